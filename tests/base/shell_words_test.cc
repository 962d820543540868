// Words as a shell reads them, checked with a real shell.
#include "base/shell_words.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace plumbline {
namespace {

// The only word of `command` as a shell passes it on.
std::string passedOn(const std::string& word) {
  const std::string command =
      "set -- " + word + R"(; test $# = 1 || echo "$# words"; printf '%s|' "$1")";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(::popen(command.c_str(), "r"),
                                                              &::pclose);
  std::string text;
  std::array<char, 256> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), shell.get())) {
    text.append(part.data(), size);
  }
  return text;
}

TEST(ShellWords, AShellReadsThemAsTheyAre) {
  for (const char* word :
       {"plain", "with space", "a$HOME",    "it's", "\"quoted\"", "back\\slash",
        "`id`",  "$(id)",      "a;b",       "a&b",  "a|b",        "*",
        "?",     "[a]",        "{a,b}",     "~",    "~root",      "#no comment",
        "!x",    "a\nb",       "tab\there", "'",    "''",         "",
        "a=b",   "=ls",        "<in",       ">out", "(a)",        "\xC2\xB5s \xF0\x9F\x98\x80",
        "a\\'b"}) {
    EXPECT_EQ(passedOn(shellWord(word)), std::string(word) + "|");
  }
}

TEST(ShellWords, WhatNeedsNoQuotesHasNone) {
  for (const char* word : {"results", "a-b/run_1.yaml", "10.0.0.2:8470,10.0.0.3", "1ms"}) {
    EXPECT_EQ(shellWord(word), word);
  }
}

TEST(ShellWords, APathIsNoOption) {
  EXPECT_EQ(shellPath("-x.yaml"), "./-x.yaml");
  EXPECT_EQ(shellPath("--results"), "./--results");
  EXPECT_EQ(shellPath("- x"), "'./- x'");
  EXPECT_EQ(shellPath("a b"), "'a b'");
}

}  // namespace
}  // namespace plumbline
