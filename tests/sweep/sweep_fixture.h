// A small sweep on simulated hosts, and the contents of its points and its merged run.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sweep/sweep_directory.h"
#include "tests/results/temp_directory.h"

namespace plumbline::sweep {

// The bytes of a file.
std::string contentOf(const std::filesystem::path& file);

class SweepFixture : public testing::Test {
 protected:
  // Six points, each of some trials: latency of a switch over its latency and the frame's size.
  static const std::string kScenario;

  // Writes the scenario and begins its sweep in a folder of this name.
  SweepDirectory begin(const std::string& folder, const std::string& scenario = kScenario);
  std::string write(const std::string& name, const std::string& text);
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return scratch_.path() / name;
  }

  // Measures a point in this process.
  static void measure(const SweepDirectory& directory, std::size_t point);
  static void measureAll(const SweepDirectory& directory);
  // The parts of the merged run that must not depend on the order and place of measuring.
  static std::vector<std::string> mergedOutcome(const SweepDirectory& directory);

  TempDirectory scratch_;
};

}  // namespace plumbline::sweep
