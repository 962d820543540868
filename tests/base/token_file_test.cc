#include "base/token_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/output_file.h"
#include "tests/base/error_of.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

TEST(TokenFile, IsItsFirstLineHoweverItEnds) {
  const TempDirectory scratch;
  const std::string file = (scratch.path() / "token").string();
  for (const char* text :
       {"secret", "secret\n", "secret\r\n", "secret\nmore\n", "\xEF\xBB\xBFsecret\r\n"}) {
    writeFile(file, text);
    EXPECT_EQ(readToken(file), "secret") << text;
  }
  for (const char* text : {"", "\n", "\r\nsecret\n"}) {
    writeFile(file, text);
    EXPECT_EQ(errorOf([&] { readToken(file); }).kind(), ErrorKind::kUsage) << text;
  }
  EXPECT_EQ(errorOf([&] { readToken(file + "x"); }).kind(), ErrorKind::kUsage);
}

TEST(TokenFile, SaysWhatMakesATokenWeak) {
  const TempDirectory scratch;
  const std::string file = (scratch.path() / "token").string();
  writeFile(file, "s\n");
  ::chmod(file.c_str(), 0644);
  ASSERT_EQ(tokenWarnings(file).size(), 2U);
  EXPECT_NE(tokenWarnings(file)[0].find("other users of this machine can read"), std::string::npos);
  EXPECT_NE(tokenWarnings(file)[1].find("a token of 1 characters"), std::string::npos);
  writeFile(file, "0123456789abcdef\n");
  ::chmod(file.c_str(), 0600);
  EXPECT_TRUE(tokenWarnings(file).empty());
}

}  // namespace
}  // namespace plumbline
