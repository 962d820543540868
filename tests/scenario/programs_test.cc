// Scenarios as programs write them: the same content in other words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenario/flat_keys.h"
#include "scenario/parse.h"
#include "scenario/yaml_tree.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// The text of the value of `a`.
std::string valueOf(const std::string& text) {
  const YamlTree tree = parseYaml(text);
  EXPECT_EQ(tree.error, "") << text << " at " << tree.root.line << ":" << tree.root.column;
  return tree.root.members.empty() ? "" : tree.root.members[0].value.text;
}

std::string faultIn(const std::string& text) {
  const YamlTree tree = parseYaml(text);
  return std::to_string(tree.root.line) + ":" + std::to_string(tree.root.column) + ": " +
         tree.error;
}

const std::string kGrin = "\xF0\x9F\x98\x80";   // U+1F600
const std::string kClef = "\xF0\x9D\x84\x9E";   // U+1D11E
const std::string kLast = "\xF4\x8F\xBF\xBF";   // U+10FFFF
const std::string kFirst = "\xF0\x90\x80\x80";  // U+10000

TEST(ScenarioFromPrograms, SurrogatePairsAreCharacters) {
  EXPECT_EQ(valueOf(R"({"a": "\ud83d\ude00"})"), kGrin);
  EXPECT_EQ(valueOf(R"({"a": "x\uD834\uDD1Ey\ud83d\ude00"})"), "x" + kClef + "y" + kGrin);
  EXPECT_EQ(valueOf(R"({"a": "\udbff\udfff\ud800\udc00"})"), kLast + kFirst);
  EXPECT_EQ(valueOf(R"(a: "\u00b5s \ud83d\ude00 \"\\ \/")"), "\xC2\xB5s " + kGrin + " \"\\ /");
  // As a key, and with others around it.
  const YamlTree tree =
      parseYaml(R"({"\ud83d\ude00": 1, "b": ["\ud834\udd1e", {"c": "\ud83d\ude00"}]})");
  ASSERT_EQ(tree.error, "");
  EXPECT_EQ(tree.root.members[0].key.text, kGrin);
  EXPECT_EQ(tree.root.members[1].value.items[0].text, kClef);
  EXPECT_EQ(tree.root.members[1].value.items[1].members[0].value.text, kGrin);
}

TEST(ScenarioFromPrograms, WhatOnlyLooksLikeAPairStaysText) {
  EXPECT_EQ(valueOf(R"(a: "\\ud83d\\ude00")"), R"(\ud83d\ude00)");
  EXPECT_EQ(valueOf(R"(a: '\ud83d\ude00')"), R"(\ud83d\ude00)");
  EXPECT_EQ(valueOf(R"(a: plain \ud83d\ude00 text)"), R"(plain \ud83d\ude00 text)");
  EXPECT_EQ(valueOf("a: |\n  \\ud83d\n  \\ude00\n"), "\\ud83d\n\\ude00\n");
  EXPECT_EQ(valueOf("# \\ud83d\na: \"\\ud83d\\ude00\"  # \\ude00\n"), kGrin);
  EXPECT_EQ(valueOf("a: \"\\ud83d\\ude00\"\nb: \\ud83d\n"), kGrin);
}

// The file may itself contain some of the characters that replace the halves.
TEST(ScenarioFromPrograms, PrivateCharactersAreKept) {
  const std::string first = "\xEE\x80\x80";   // U+E000
  const std::string second = "\xEE\x80\x81";  // U+E001
  EXPECT_EQ(valueOf("a: \"" + first + "\\ud83d\\ude00\\uE001\\U0000E002\""),
            first + kGrin + second + "\xEE\x80\x82");
  EXPECT_EQ(valueOf(R"(a: '\uE000 \ud83d')"), R"(\uE000 \ud83d)");
}

TEST(ScenarioFromPrograms, HalfAPairIsRefusedAtItsPlace) {
  EXPECT_EQ(faultIn(R"({"a": "x\ud83d"})"), "1:9: this is half of a surrogate pair");
  EXPECT_EQ(faultIn("a: 1\nb: \"\\ude00\"\n"), "2:5: this is half of a surrogate pair");
  EXPECT_EQ(faultIn(R"({"a": "\ude00\ud83d"})"), "1:8: this is half of a surrogate pair");
  EXPECT_EQ(faultIn(R"({"a": "\ud83d\ud83d\ude00"})"), "1:8: this is half of a surrogate pair");
  EXPECT_EQ(faultIn(R"({"a": "\ud83d \ude00"})"), "1:8: this is half of a surrogate pair");
  EXPECT_EQ(faultIn("{\"\xC2\xB5\": \"\xC2\xB5\\ud83dx\"}"),
            "1:9: this is half of a surrogate pair");
  EXPECT_EQ(faultIn(R"({"\ud83d": 1})"), "1:3: this is half of a surrogate pair");
  EXPECT_THAT(faultIn(R"(a: "\U0000D83D")"), HasSubstr("1:"));
}

TEST(ScenarioFromPrograms, LinesMayEndInAnyWay) {
  const std::string unix = "a: one\nb:\n  - |\n    two\n    three\n  - \"x\n    y\"\nc: d\n";
  const auto keys = flatKeys(unix);
  ASSERT_THAT(keys,
              ElementsAre(Pair("a", "one"), Pair("b", "[two\nthree\n, x y]"), Pair("c", "d")));
  for (const char* end : {"\r\n", "\r"}) {
    std::string other;
    for (const char c : unix) other += c == '\n' ? std::string(end) : std::string(1, c);
    EXPECT_EQ(flatKeys(other), keys);
    EXPECT_EQ(flatKeys("\xEF\xBB\xBF" + other), keys);
  }
  EXPECT_EQ(flatKeys("---\n" + unix + "...\n"), keys);
  EXPECT_EQ(flatKeys("%YAML 1.2\n---\n" + unix), keys);
}

// The place of a mistake does not depend on them.
TEST(ScenarioFromPrograms, PlacesAreThoseOfTheFile) {
  for (const char* text : {"a: 1\nb: *c\n",
                           "\xEF\xBB\xBF"
                           "a: 1\nb: *c\n",
                           "a: 1\r\nb: *c\r\n", "a: 1\rb: *c\r"}) {
    EXPECT_THAT(faultIn(text), HasSubstr("2:4: not valid YAML: the referenced anchor"));
  }
  EXPECT_THAT(faultIn("\xEF\xBB\xBF*c\n"), HasSubstr("1:1: not valid YAML: the referenced anchor"));
}

TEST(ScenarioFromPrograms, JsonMayBeIndentedWithTabs) {
  EXPECT_THAT(
      flatKeys("{\n\t\"a\": [\n\t\t1,\n\t\t2\n\t],\n\t\"b\": {\n\t\t\"c\":\t\"d\"\n\t}\n}\n"),
      ElementsAre(Pair("a", "[1, 2]"), Pair("b.c", "d")));
  EXPECT_THAT(flatKeys(R"({"a":"b","c":[],"d":{},"e":true})"),
              ElementsAre(Pair("a", "b"), Pair("c", "[]"), Pair("d", "{}"), Pair("e", "true")));
}

TEST(ScenarioFromPrograms, TextThatLooksLikeSomethingElseStaysText) {
  const auto result = parseScenario(
      R"({"plumbline": 1, "name": "null", "test": "T5.1", "dut": {"topology": {"kind": "link"},
 "identification": {"a": "no", "b": "010", "c": "1e3", "d": "null", "e": "0x1F", "f": "~", "g": "2026-11-25"}}})",
      "s", testVocabulary());
  ASSERT_TRUE(result.ok()) << result.problems[0].text("s");
  EXPECT_EQ(result.scenario.name, "null");
  EXPECT_THAT(result.scenario.identification,
              ElementsAre(Pair("a", "no"), Pair("b", "010"), Pair("c", "1e3"), Pair("d", "null"),
                          Pair("e", "0x1F"), Pair("f", "~"), Pair("g", "2026-11-25")));
}

TEST(ScenarioFromPrograms, AKeyTwiceIsRefusedWhereverItIs) {
  EXPECT_THAT(
      messages(parseScenario(
          "{\"plumbline\": 1, \"name\": \"n\", \"test\": \"T5.1\", \"name\": \"m\",\n"
          " \"dut\": {\"topology\": {\"kind\": \"link\", \"link\": \"100G\", \"link\": \"200G\"},\n"
          " \"identification\": {\"a\": \"b\", \"\\u0061\": \"c\"}}}\n",
          "s", testVocabulary())),
      ElementsAre("s:1:47: the key \"name\" appears twice (each key once)",
                  "s:2:55: the key \"link\" appears twice (each key once)",
                  "s:3:31: the key \"a\" appears twice (each key once)"));
}

}  // namespace
}  // namespace plumbline::scenario
