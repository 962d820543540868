#include "scenario/yaml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline::scenario {
namespace {

// The parser reads the written text as the same tree.
void expectComesBack(const std::string& text) {
  const YamlTree tree = parseYaml(text);
  ASSERT_TRUE(tree.error.empty()) << tree.error << " in " << text;
  const std::string written = yamlText(tree.root);
  const YamlTree again = parseYaml(written);
  ASSERT_TRUE(again.error.empty()) << again.error << " in " << written;
  EXPECT_TRUE(sameYaml(tree.root, again.root)) << text << "\nbecame\n" << written;
}

TEST(YamlTextTest, IsReadAsTheSameTree) {
  for (const char* text : {
           "a: 1",
           "a: {b: [1, 2, {c: d}], e: []}\nf: {}\ng: ~\nh:\ni: [[1, 2], [3]]",
           "- 1\n- [2]\n- {a: 1}\n-\n  - x",
           "\"quoted key\": \"a: b # c\"\n'it''s': \"line\\nbreak\\ttab \\\"quote\\\" \\\\\"",
           "a: |\n  one\n  two\nb: >\n  folded\n  text",
           "a: plain [in] {block}, with commas\nb: a#b\nc: -1\nd: \"~\"\ne: 'null'",
           "a: plain over\n  two lines",
           "schlüssel: größe µs → …",
           "a: \"\"\nb: ''",
           R"("key of \u2028 lines": "\r \t \uFEFF \u0085 \u00FC")",
       }) {
    expectComesBack(text);
  }
  const std::string long_key(3000, 'k');
  expectComesBack("? " + long_key + "\n: {a: 1}\nb:\n  - ? " + long_key + "\n    : c\n");
}

TEST(YamlTextTest, WhatIsNotTextIsNotRead) {
  for (const char* text :
       {R"(a: "\0")", R"(a: "\e[31m")", R"("\a": 1)", R"(a: "\N")", R"(a: "\x7F")"}) {
    EXPECT_EQ(parseYaml(text).error, "this value is not text") << text;
  }
}

TEST(YamlTextTest, KeepsWhatIsTextApartFromNumbers) {
  const YamlTree tree = parseYaml("a: \"1\"\nb: 1");
  const YamlTree again = parseYaml(yamlText(tree.root));
  EXPECT_TRUE(again.root.members[0].value.quoted);
  EXPECT_FALSE(again.root.members[1].value.quoted);
}

TEST(YamlTextTest, AValueOnOneLine) {
  const YamlTree tree = parseYaml("[{kind: switch, hosts: 4}, [1, 2], 64KB, ~, \"a\\nb\", []]");
  EXPECT_EQ(yamlLine(tree.root), "[{kind: switch, hosts: 4}, [1, 2], 64KB, ~, a b, []]");
}

TEST(YamlTextTest, TellsTreesApart) {
  const auto same = [](const char* a, const char* b) {
    return sameYaml(parseYaml(a).root, parseYaml(b).root);
  };
  EXPECT_TRUE(same("{a: [1, 2]}", "a:\n  - 1\n  - 2"));
  EXPECT_FALSE(same("{a: [1, 2]}", "{a: [1, 3]}"));
  EXPECT_FALSE(same("{a: [1, 2]}", "{b: [1, 2]}"));
  EXPECT_FALSE(same("[1]", "[1, 2]"));
  EXPECT_FALSE(same("[1]", "{1: 1}"));
}

}  // namespace
}  // namespace plumbline::scenario
