#include "base/token_file.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace plumbline
