// Sweeps: the points of a file, the contents of each, and the places of reported mistakes.
#include "scenario/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kBase = R"(plumbline: 1
name: small
test: T5.1
dut:
  topology: {kind: switch, hosts: 3}
  switch: {latency: 600ns}
traffic: {message_sizes: [64B, 1KiB], pairs: [[0, 2], [1, 2]]}
)";

std::vector<std::string> complaints(const std::string& sweep) {
  return messages(parseScenario(kBase + sweep, "s", testVocabulary()));
}

std::string complaint(const std::string& sweep) {
  const auto all = complaints(sweep);
  return all.empty() ? std::string() : all.front();
}

Sweep sweepOf(const std::string& sweep) { return {kBase + sweep, "folder/s.yaml"}; }

TEST(SweepTest, IsTheProductOfItsListsWithTheLastOneFastest) {
  const Sweep sweep =
      sweepOf("sweep:\n  dut.switch.latency: [300ns, 1us]\n  traffic.qps: [1, 4, 16]\n");
  ASSERT_EQ(sweep.size(), 6U);
  EXPECT_THAT(sweep.values(0), ElementsAre("300ns", "1"));
  EXPECT_THAT(sweep.values(1), ElementsAre("300ns", "4"));
  EXPECT_THAT(sweep.values(5), ElementsAre("1us", "16"));
  EXPECT_EQ(sweep.label(5), "latency 1us, qps 16");
  for (std::size_t point = 0; point < sweep.size(); ++point) {
    const Scenario scenario = sweep.scenario(point, testVocabulary());
    EXPECT_EQ(scenario.switches.latency, point < 3 ? nanoseconds(300) : microseconds(1));
    EXPECT_THAT(*scenario.traffic.qps,
                ElementsAre(std::vector<std::uint32_t>{1, 4, 16}[point % 3]));
    EXPECT_EQ(scenario.topology.hosts, 3U);
    EXPECT_EQ(scenario.file, "folder/s.yaml");
    EXPECT_TRUE(scenario.sweep.empty());
  }
}

// The text of a point is a file of its own, with the same meaning as the point.
TEST(SweepTest, APointsTextIsTheScenarioOfThePoint) {
  const Sweep sweep = sweepOf(
      "sweep:\n  dut.topology: [{kind: link}, {kind: clos2, leaves: 2, spines: 1}]\n"
      "  traffic.message_sizes: [[64B], [256B, 4KiB]]\n  traffic.pairs: [[[0, 1]]]\n"
      "  dut.switch: [{latency: 1us}]\n");
  // A bare link has no switches: that point is wrong, and only that.
  EXPECT_THROW(static_cast<void>(sweep.scenario(0, testVocabulary())), Error);
  const Scenario scenario = sweep.scenario(3, testVocabulary());
  const ParseResult again = parseScenario(scenario.text, "t", testVocabulary());
  ASSERT_TRUE(again.ok()) << again.problems.front().text("t") << "\n" << scenario.text;
  EXPECT_EQ(again.scenario.topology.kind, fabric::TopologyKind::kClos2);
  EXPECT_EQ(again.scenario.topology.spines, 1U);
  EXPECT_EQ(again.scenario.switches.latency, microseconds(1));
  EXPECT_THAT(*again.scenario.traffic.message_sizes, ElementsAre(Bytes(256), Bytes(4096)));
  EXPECT_THAT(*again.scenario.traffic.pairs, ElementsAre(HostPair{0, 1}));
  EXPECT_THAT(scenario.text, testing::StartsWith("# Point 4 of 4: topology {kind: clos2, leaves: "
                                                 "2, spines: 1}, message_sizes [256B, 4KiB]"));
}

TEST(SweepTest, MakesKeysThatTheFileLeavesOut) {
  const Sweep sweep = sweepOf("sweep: {parameters.repetitions: [2, 3]}\n");
  EXPECT_EQ(sweep.scenario(1, testVocabulary()).parameters.repetitions, 3U);
}

TEST(SweepTest, ReachesIntoLists) {
  const Sweep sweep =
      sweepOf("sweep: {traffic.pairs.1.0: [0, 1], traffic.message_sizes.1: 512B}\n");
  EXPECT_THROW(static_cast<void>(sweep.scenario(0, testVocabulary())),
               Error);  // the pair 0, 2 twice
  const Scenario scenario = sweep.scenario(1, testVocabulary());
  EXPECT_THAT(*scenario.traffic.pairs, ElementsAre(HostPair{0, 2}, HostPair{1, 2}));
  EXPECT_THAT(*scenario.traffic.message_sizes, ElementsAre(Bytes(64), Bytes(512)));
}

TEST(SweepTest, KeysThatEndAlikeAreNamedInFull) {
  const Sweep sweep =
      sweepOf("sweep: {dut.topology.link: [100G], dut.topology.fabric_link: [100G], seed: [7]}\n");
  EXPECT_EQ(sweep.label(0), "link 100G, fabric_link 100G, seed 7");
  const Sweep alike = sweepOf("sweep: {traffic.priority: [1], a.priority: [2]}\n");
  EXPECT_EQ(alike.label(0), "traffic.priority 1, a.priority 2");
}

TEST(SweepTest, TheScenarioIsTheFirstPointAndKnowsTheAxes) {
  const auto result =
      parseScenario(kBase + "sweep: {dut.switch.latency: [1us, 2us]}\n", "s", testVocabulary());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.scenario.switches.latency, microseconds(1));
  ASSERT_EQ(result.scenario.sweep.size(), 1U);
  EXPECT_EQ(result.scenario.sweep[0].key, "dut.switch.latency");
  EXPECT_THAT(result.scenario.sweep[0].values, ElementsAre("1us", "2us"));
}

// Every wrong value is reported at its place, and a mistake common to all points once.
TEST(SweepTest, MistakesAreReportedWhereTheyStand) {
  EXPECT_THAT(complaints("sweep:\n  dut.switch.latency: [1us, 2lightyears]\n  seed: [1, -1]\n"
                         "sead: 1\n"),
              ElementsAre(HasSubstr("s:9:29: \"2lightyears\""), HasSubstr("s:10:13: \"-1\""),
                          "s:11:1: unknown key \"sead\" (did you mean \"seed\"?)"));
  EXPECT_EQ(complaint("sweep:\n  dut.swich.latency: [1us]\n"),
            "s:9:3: unknown key \"swich\" in \"dut\" (did you mean \"switch\"?)");
  EXPECT_THAT(complaint("sweep: {dut.switch.latency: [~]}\n"),
              HasSubstr("s:8:30: the value is missing"));
}

TEST(SweepTest, TheSectionItselfIsChecked) {
  EXPECT_THAT(complaint("sweep: []\n"), HasSubstr("s:8:8: a sweep needs keys"));
  EXPECT_THAT(complaint("sweep: 3\n"), HasSubstr("s:8:8: a sweep needs keys"));
  EXPECT_THAT(complaint("sweep: {seed: []}\n"), HasSubstr("s:8:15: the list is empty"));
  EXPECT_THAT(complaint("sweep: {seed: [1, 1]}\n"), HasSubstr("already"));
  EXPECT_THAT(complaint("sweep: {sweep.seed: [1]}\n"), HasSubstr("cannot be swept"));
  EXPECT_THAT(complaint("sweep: {limits.busbw_gbps: [10, 95]}\n"),
              HasSubstr("s:8:9: \"limits.busbw_gbps\" cannot be swept: limits hold for every"));
  EXPECT_THAT(complaint("sweep: {limits: [{busbw_gbps: 10}]}\n"), HasSubstr("cannot be swept"));
  EXPECT_THAT(complaint("sweep: {dut..x: [1]}\n"), HasSubstr("cannot be swept"));
  EXPECT_THAT(complaint("sweep: {dut.switch: [{latency: 1us}], dut.switch.latency: [1us]}\n"),
              HasSubstr("are the same place"));
  EXPECT_THAT(complaint("sweep: {seed: [1], seed: [2]}\n"), HasSubstr("appears twice"));
  EXPECT_THAT(complaint("sweep: {seed: [1]}\nsweep: {seed: [2]}\n"), HasSubstr("appears twice"));
  EXPECT_THAT(complaint("sweep: {name.first: [a]}\n"), HasSubstr("there is no \"first\""));
  EXPECT_THAT(complaint("sweep: {traffic.pairs.2: [[0, 1]]}\n"), HasSubstr("0 to 1"));
}

TEST(SweepTest, HasAtMostAThousandPoints) {
  const auto list = [](int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::to_string(i + 1);
    return text + "]";
  };
  EXPECT_EQ(complaint("sweep: {seed: " + list(100) + ", traffic.qps: " + list(10) + "}\n"), "");
  EXPECT_THAT(complaint("sweep: {seed: " + list(91) + ", traffic.qps: " + list(11) + "}\n"),
              HasSubstr("too many points (at most 1000"));
  EXPECT_THAT(complaint("sweep: {seed: " + list(1001) + "}\n"), HasSubstr("at most 1000"));
}

TEST(SweepTest, OtherFilesAreNoSweeps) {
  EXPECT_THROW(Sweep(kBase, "s"), Error);
  EXPECT_THROW(Sweep("sweep", "s"), Error);
  EXPECT_THROW(Sweep("[", "s"), Error);
}

}  // namespace
}  // namespace plumbline::scenario
