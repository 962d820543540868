// A tree of files that replaces /proc and /sys.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "endpoint/host_configuration.h"
#include "tests/results/temp_directory.h"

namespace plumbline::endpoint {

class FakeSys : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = directory_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  // A symbolic link to a thing of this name.
  void link(const std::string& file, const std::string& name) {
    const std::filesystem::path path = directory_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_symlink("/somewhere/" + name, path);
  }
  [[nodiscard]] std::string root() const { return directory_.path().string(); }
  static std::map<std::string, std::string> mapOf(const Configuration& configuration) {
    return {configuration.begin(), configuration.end()};
  }

 private:
  TempDirectory directory_;
};

}  // namespace plumbline::endpoint
