// Faults found by validate(), reported at the wrong value in the file.
#include "scenario/spec_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A specification with rules of all kinds, and its validate().
struct Item {
  std::uint32_t size = 1;
};
struct Spec {
  std::uint32_t low = 1;
  std::uint32_t high = 9;
  std::uint32_t other = 5;
  std::vector<Item> items;
};

[[noreturn]] void fail(const std::string& what, const std::string& where) {
  throw Error(ErrorKind::kUsage, what, where, "allowed: less");
}

void validate(const Spec& spec) {
  if (spec.low > 100) fail("too large", "spec.low");
  if (spec.high > 100) fail("too large", "spec.high");
  for (std::size_t i = 0; i < spec.items.size(); ++i) {
    if (spec.items[i].size > 100) fail("too large", "spec.items[" + std::to_string(i) + "].size");
  }
  if (spec.low + spec.high > 100) fail("too much", "spec.low + spec.high");
  if (spec.low > spec.high) fail("above high", "spec.low");
  if (spec.other > 100) fail("too large", "spec.other");
}

// Reports for a map with the keys l, h, o and items, read as `spec`.
std::vector<std::string> reported(const std::string& text, bool others_depend = false) {
  const YamlTree tree = parseYaml(text);
  Problems problems;
  FieldPlaces places;
  Spec spec;
  SpecReader map(*readMap(tree.root, "spec", problems), "spec", &places, problems);
  map.read("l", "low", spec.low);
  map.read("h", "high", spec.high);
  map.read("o", "other", spec.other);
  if (const YamlNode* node = map.optional("items")) {
    readItems("items", *node, "spec.items", spec.items, places, problems, others_depend,
              [](SpecReader& item, Item& value) { item.read("size", "size", value.size); });
  }
  map.finish();
  places.judge([&] { validate(spec); }, tree.root, problems);
  std::vector<std::string> all;
  for (const Problem& problem : problems.sorted()) all.push_back(problem.text("s"));
  return all;
}

TEST(SpecReader, SaysNothingOfWhatIsRight) {
  EXPECT_THAT(reported("{}"), IsEmpty());
  EXPECT_THAT(reported("{l: 2, h: 3, items: [{size: 4}, {}]}"), IsEmpty());
}

TEST(SpecReader, ReportsEveryFieldAtItsPlace) {
  EXPECT_THAT(reported("l: 101\nh: 102\no:   103\n"),
              ElementsAre("s:1:4: \"101\": too large (less)", "s:2:4: \"102\": too large (less)",
                          "s:3:6: \"103\": too large (less)"));
}

TEST(SpecReader, AFaultOfADefaultSaysSo) {
  EXPECT_THAT(reported("h: 0\n"), ElementsAre("s:1:1: \"l\" is left out: above high (less)"));
}

// Together they may be too much only because of the defaults that stand in for 101 and 102.
TEST(SpecReader, AFaultOfSeveralFieldsWaitsForTheirOwn) {
  EXPECT_THAT(reported("l: 99\nh: 101\no: 102\n"), ElementsAre("s:2:4: \"101\": too large (less)"));
}

TEST(SpecReader, UnreadableValuesAreNotJudged) {
  EXPECT_THAT(reported("l: x\nh: 0\n"),
              ElementsAre("s:1:4: \"x\": this is not a plain integer (0 to 4294967295)"));
}

TEST(SpecReader, AFaultOfSeveralFieldsIsShownAtTheirMap) {
  EXPECT_THAT(reported("\n  {l: 60, h: 70}\n"),
              ElementsAre("s:2:3: spec.low + spec.high: too much (less)"));
}

TEST(SpecReader, ReportsEveryItemOfAList) {
  EXPECT_THAT(reported("o: 101\nitems:\n- {size: 101}\n- {size: 2}\n- {size: 103}\n"),
              ElementsAre("s:1:4: \"101\": too large (less)", "s:3:10: \"101\": too large (less)",
                          "s:5:10: \"103\": too large (less)"));
}

TEST(SpecReader, OneMapStandsForAListOfOne) {
  EXPECT_THAT(reported("items: {size: 101}\n"), ElementsAre("s:1:15: \"101\": too large (less)"));
}

TEST(SpecReader, ItemsThatCannotBeReadDoNotShiftTheOthers) {
  EXPECT_THAT(reported("items:\n- {size: x}\n- {size: 1}\n- {sice: 1}\n- {size: 104}\n- 5\n"),
              ElementsAre("s:2:10: \"x\": this is not a plain integer (0 to 4294967295)",
                          "s:4:4: unknown key \"sice\" in \"items\" (did you mean \"size\"?)",
                          "s:5:10: \"104\": too large (less)",
                          "s:6:3: \"items\" must be a map (key: value, each on its own line, or "
                          "{key: value, …})"));
}

// Other errors may only follow from the item that had to be left out.
TEST(SpecReader, NothingFollowsFromAListThatOthersDependOn) {
  EXPECT_THAT(
      reported("o: 101\nitems: [{size: 101}, {size: 102}]\n", true),
      ElementsAre("s:2:16: \"101\": too large (less)", "s:2:29: \"102\": too large (less)"));
}

TEST(SpecReader, OtherKindsOfErrorAreNotMistakesOfTheFile) {
  const YamlTree tree = parseYaml("{}");
  Problems problems;
  FieldPlaces places;
  EXPECT_THROW(places.judge([] { throw Error(ErrorKind::kTester, "broken"); }, tree.root, problems),
               Error);
  EXPECT_EQ(problems.count(), 0u);
}

TEST(SpecReader, AFaultWithoutAFieldIsShownAtTheRoot) {
  const YamlTree tree = parseYaml("\n\n  a: b\n");
  Problems problems;
  FieldPlaces places;
  places.judge([] { throw Error(ErrorKind::kUsage, "wrong", {}, "right"); }, tree.root, problems);
  ASSERT_EQ(problems.count(), 1u);
  EXPECT_EQ(problems.sorted()[0].text("s"), "s:3:3: wrong (right)");
}

TEST(SpecReader, PrioritiesAreABitEach) {
  const auto read = [](const std::string& text) {
    Problems problems;
    return readPriorities(parseYaml(text).root, problems);
  };
  EXPECT_EQ(read("3"), 0x08);
  EXPECT_EQ(read("[0, 7]"), 0x81);
  EXPECT_EQ(read("[0, 1, 2, 3, 4, 5, 6, 7]"), 0xFF);
  for (const char* wrong : {"8", "[]", "[3, 3]", "[x]", "{}", "-1"}) {
    EXPECT_EQ(read(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace plumbline::scenario
