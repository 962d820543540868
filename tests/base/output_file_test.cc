#include "base/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "tests/base/error_of.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string textOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(OutputFile, WhatCanBeWrittenIsLeftAsItIs) {
  const TempDirectory scratch;
  const std::string fresh = (scratch.path() / "fresh").string();
  requireWritable(fresh);
  EXPECT_FALSE(fs::exists(fresh));
  writeFile(fresh, "kept");
  requireWritable(fresh);
  EXPECT_EQ(textOf(fresh), "kept");
  // Of a link that leads nowhere yet, the file it leads to.
  fs::create_symlink(scratch.path() / "target", scratch.path() / "link");
  requireWritable((scratch.path() / "link").string());
  EXPECT_FALSE(fs::exists(scratch.path() / "target"));
  EXPECT_TRUE(fs::is_symlink(scratch.path() / "link"));
  requireWritable("/dev/null");
}

TEST(OutputFile, WhatCannotBeWrittenIsRefusedWithTheReason) {
  const TempDirectory scratch;
  const std::string file = (scratch.path() / "file").string();
  writeFile(file, "");
  const std::string missing = (scratch.path() / "missing" / "x").string();
  struct Case {
    std::string place;
    const char* reason;
  };
  for (const Case& one :
       {Case{missing, "No such file or directory"}, Case{scratch.path().string(), "Is a directory"},
        Case{file + "/x", "Not a directory"}, Case{"", "No such file or directory"},
        Case{(scratch.path() / std::string(300, 'x')).string(), "File name too long"}}) {
    const Error error = errorOf([&] { requireWritable(one.place, "--json"); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(one.reason));
    EXPECT_THAT(error.what(), HasSubstr("--json " + one.place));
  }
  EXPECT_EQ(errorOf([&] { OutputFile output(missing); }).kind(), ErrorKind::kUsage);
}

TEST(OutputFile, ADirectoryIsMadeOrRefused) {
  const TempDirectory scratch;
  const fs::path directory = scratch.path() / "a" / "b";
  requireDirectory(directory.string());
  EXPECT_TRUE(fs::is_directory(directory));
  requireDirectory(directory.string());
  writeFile((scratch.path() / "file").string(), "");
  for (const char* place : {"file", "file/below"}) {
    const Error error =
        errorOf([&] { requireDirectory((scratch.path() / place).string(), "--report"); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("--report "));
  }
  EXPECT_EQ(errorOf([] { requireDirectory("/proc/plumbline/x"); }).kind(), ErrorKind::kUsage);
}

TEST(OutputFile, AFullDiskIsSaid) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  requireWritable("/dev/full");  // found when something is written
  const Error whole = errorOf([] { writeFile("/dev/full", "text"); });
  EXPECT_EQ(whole.kind(), ErrorKind::kTester);
  EXPECT_THAT(whole.what(),
              HasSubstr("/dev/full: the output could not be written completely: No space left"));
  EXPECT_EQ(errorOf([] { OutputFile("/dev/full").write("a piece"); }).kind(), ErrorKind::kTester);
  // The check finds errors of writes to the stream at the latest.
  OutputFile output("/dev/full");
  output.stream() << "a small piece";
  EXPECT_EQ(errorOf([&] { output.check(); }).kind(), ErrorKind::kTester);
}

// Results of other runs are in it.
TEST(OutputFile, ADatabaseIsNotReplaced) {
  const TempDirectory scratch;
  const std::string file = (scratch.path() / "plumbline.db").string();
  std::ofstream(file, std::ios::binary) << std::string("SQLite format 3\0more", 20);
  const std::string before = textOf(file);
  EXPECT_THAT(errorOf([&] { requireWritable(file, "--json"); }).what(),
              HasSubstr("this is a database, which the output would replace"));
  EXPECT_EQ(errorOf([&] { writeFile(file, "x"); }).kind(), ErrorKind::kUsage);
  EXPECT_EQ(textOf(file), before);
}

// No file of this name is meant.
TEST(OutputFile, ADashIsRefused) {
  EXPECT_THAT(
      errorOf([] { requireWritable("-", "--json"); }).what(),
      AllOf(HasSubstr("--json -: \"-\" is not read as standard output"), HasSubstr("/dev/stdout")));
  EXPECT_EQ(errorOf([] { writeFile("-", "x"); }).kind(), ErrorKind::kUsage);
}

TEST(OutputFile, APipeWithoutAReaderIsNotWaitedFor) {
  const TempDirectory scratch;
  const std::string pipe = (scratch.path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(errorOf([&] { writeFile(pipe, "x"); }).what(), HasSubstr("nothing reads this pipe"));
  // With a reader, all of it arrives in one piece.
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  writeFile(pipe, "text");
  std::string text(10, ' ');
  EXPECT_EQ(::read(reader, text.data(), text.size()), 4);
  ::close(reader);
}

}  // namespace
}  // namespace plumbline
