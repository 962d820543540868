#include "base/beneath.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class Beneath : public testing::Test {
 protected:
  Beneath() {
    fs::create_directories(top_ / "files" / "below");
    std::ofstream(top_ / "secret") << "secret";
    std::ofstream(top_ / "files" / "trace.csv") << "trace";
    std::ofstream(top_ / "files" / "below" / "deep.csv") << "deep";
    fs::create_symlink("../secret", top_ / "files" / "link");
    fs::create_symlink(top_ / "files" / "trace.csv", top_ / "files" / "inner");
    fs::create_directory_symlink("..", top_ / "files" / "up");
    fs::create_directory_symlink("below", top_ / "files" / "here");
    ::mkfifo((top_ / "files" / "pipe").c_str(), 0600);
  }
  ~Beneath() override { fs::remove_all(top_); }

  // Contents of the file, or "" if it is not opened.
  std::string read(const std::string& name) {
    error_ = 0;
    const auto file = openBelow((top_ / "files").string(), name, error_);
    if (!file) return {};
    std::ostringstream text;
    text << std::ifstream(file->path(), std::ios::binary).rdbuf();
    EXPECT_EQ(file->size(), text.str().size());
    return text.str();
  }

  fs::path top_ = fs::temp_directory_path() / ("beneath-" + std::to_string(::getpid()));
  int error_ = 0;
};

TEST_F(Beneath, FilesBelowAreRead) {
  EXPECT_EQ(read("trace.csv"), "trace");
  EXPECT_EQ(read("below/deep.csv"), "deep");
  EXPECT_EQ(read("./below/./deep.csv"), "deep");
}

TEST_F(Beneath, NothingLeadsOut) {
  for (const std::string name : {"../secret", "below/../../secret", "below/../trace.csv",
                                 "/etc/hostname", "link", "up/secret", "inner", "here/deep.csv", "",
                                 "below", ".", "pipe", "none.csv", "trace.csv/", "a\0b"}) {
    EXPECT_EQ(read(name), "") << name;
    EXPECT_NE(error_, 0) << name;
    EXPECT_NE(openFault(error_), "") << name;
  }
}

TEST_F(Beneath, APipeIsNotWaitedFor) {
  int error = 0;
  EXPECT_FALSE(openRegular((top_ / "files" / "pipe").string(), error));
  EXPECT_EQ(openFault(error), "it is no regular file");
  EXPECT_TRUE(openRegular((top_ / "files" / "link").string(), error));
}

}  // namespace
}  // namespace plumbline
