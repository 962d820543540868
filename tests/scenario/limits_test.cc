// The limits in docs/scenarios.md, one after the other: the stated maximum is read, one more is
// refused. A limit of one reader must not exceed that of another.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fabric/spec/fabric_spec.h"
#include "scenario/parse.h"
#include "scenario/sweep.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string free(const std::string& topology, const std::string& workload) {
  return "plumbline: 1\nname: n\ntest: free\ndut:\n" + topology + "transport: {kind: roce}\n" +
         workload;
}

std::vector<std::string> problemsOf(const std::string& text) {
  EXPECT_LE(text.size(), kMaxScenarioBytes);
  return messages(parseScenario(text, "s", simVocabulary()));
}

// `hosts` hosts on one switch, and the other switches in a row after it; every cable with all its
// options.
std::string graph(std::size_t hosts, std::size_t switches) {
  std::string text = "  topology:\n    kind: graph\n    hosts: [";
  for (std::size_t i = 0; i < hosts; ++i) text += fmt::format("h{},", i);
  text += "]\n    switches: [";
  for (std::size_t i = 0; i < switches; ++i) text += fmt::format("s{},", i);
  text += "]\n    cables:\n";
  for (std::size_t i = 0; i < hosts; ++i) {
    text += fmt::format("    - {{a: h{}, b: s0, rate: 100G, delay: 3ns}}\n", i);
  }
  for (std::size_t i = 1; i < switches; ++i) {
    text += fmt::format("    - {{a: s{}, b: s{}, rate: 100G, delay: 3ns}}\n", i - 1, i);
  }
  return text;
}

const std::string kPair = "workload: {kind: messages, pairs: [[0, 1]], messages: 1}\n";

TEST(ScenarioLimits, AGraphHasAsManyHostsAsAnyTopology) {
  ASSERT_EQ(fabric::kMaxHosts, 8192U);
  const std::string largest = free(graph(8192, 1), kPair);
  const ParseResult result = parseScenario(largest, "s", simVocabulary());
  ASSERT_THAT(messages(result), IsEmpty());
  EXPECT_EQ(result.scenario.topology.hostCount(), 8192U);
  EXPECT_EQ(result.scenario.topology.graph.cables.size(), 8192U);
  EXPECT_THAT(problemsOf(free(graph(8193, 1), kPair)), testing::Contains(HasSubstr("8193")));
}

// Every cable as json.dumps(indent=2) of Python writes it.
TEST(ScenarioLimits, TheLargestGraphMayBeIndentedJson) {
  std::string names;
  std::string cables;
  for (int i = 0; i < 8192; ++i) {
    const char* comma = i == 0 ? "" : ",";
    names += fmt::format("{}\n        \"h{}\"", comma, i);
    cables += fmt::format(
        "{}\n        {{\n          \"a\": \"h{}\",\n          \"b\": \"s0\",\n"
        "          \"rate\": \"100G\",\n          \"delay\": \"3ns\"\n        }}",
        comma, i);
  }
  const std::string text = fmt::format(
      R"({{
  "plumbline": 1,
  "name": "n",
  "test": "free",
  "dut": {{
    "topology": {{
      "kind": "graph",
      "hosts": [{}
      ],
      "switches": [
        "s0"
      ],
      "cables": [{}
      ]
    }}
  }},
  "transport": {{
    "kind": "roce"
  }},
  "workload": {{
    "kind": "messages",
    "pairs": [[0, 1]],
    "messages": 1
  }}
}}
)",
      names, cables);
  EXPECT_GT(text.size(), std::size_t{1} << 20);
  EXPECT_THAT(problemsOf(text), IsEmpty());
}

TEST(ScenarioLimits, AGraphHasAsManySwitchesAsThreeTiers) {
  EXPECT_THAT(problemsOf(free(graph(8192, 3072), kPair)), IsEmpty());
  EXPECT_THAT(problemsOf(free(graph(2, 3073), kPair)), testing::Contains(HasSubstr("3073")));
}

TEST(ScenarioLimits, EveryHostMayBeNamedInEveryList) {
  const std::string topology =
      "  topology: {kind: clos2, leaves: 64, spines: 1, hosts_per_leaf: 128}\n";
  std::string hosts;
  std::string ring;
  std::string back;
  for (int i = 0; i < 8192; ++i) {
    hosts += fmt::format("{},", 8191 - i);
    ring += fmt::format("[{},{}],", i, (i + 1) % 8192);
    back += fmt::format("[{},{}],", (i + 1) % 8192, i);
  }
  EXPECT_THAT(problemsOf(free(topology, "workload: {kind: permutation, messages: 1, hosts: [" +
                                            hosts + "]}\n")),
              IsEmpty());
  EXPECT_THAT(problemsOf(free(topology, "workload: {kind: messages, messages: 1, pairs: [" + ring +
                                            back + "]}\n")),
              IsEmpty());
  std::string entries;
  for (int i = 0; i < 8192; ++i) {
    entries +=
        fmt::format("{{time: {}ns, from: {}, to: {}, size: 1KB, tag: 1}},", i, i, (i + 1) % 8192);
  }
  EXPECT_THAT(problemsOf(free(topology, "workload: {kind: trace, entries: [" + entries + "]}\n")),
              IsEmpty());
}

// A point of a sweep is written out, line by line: it may be longer than a user's file.
TEST(ScenarioLimits, APointOfASweepOfTheLargestFileIsAScenario) {
  const std::string text = free(graph(8192, 1024), kPair) + "sweep: {seed: [1, 2]}\n";
  ASSERT_THAT(problemsOf(text), IsEmpty());
  const Sweep sweep(text, "s");
  const Scenario point = sweep.scenario(1, simVocabulary());
  const ParseResult again = parseScenario(point.text, "s", simVocabulary());
  ASSERT_THAT(messages(again), IsEmpty());
  EXPECT_EQ(again.scenario.seed, 2U);
  EXPECT_EQ(again.scenario.topology.graph.cables.size(), 9215U);
}

TEST(ScenarioLimits, FieldsOfTheIdentification) {
  const auto with = [](int entries, std::size_t characters) {
    std::string text = "  topology: {kind: switch}\n  identification:\n";
    for (int i = 0; i < entries; ++i) {
      text += fmt::format("    k{}: {}\n", i, std::string(characters, 'x'));
    }
    return problemsOf(free(text, kPair));
  };
  EXPECT_THAT(with(64, 500), IsEmpty());
  EXPECT_THAT(with(65, 1), testing::ElementsAre(HasSubstr("too many entries")));
  EXPECT_THAT(with(1, 501), testing::ElementsAre(HasSubstr("too long")));
}

TEST(ScenarioLimits, Jobs) {
  const auto jobs = [](int count) {
    std::string text = "workload:\n";
    for (int i = 0; i < count; ++i) text += "- {kind: pairs, ranks: 2, messages: 1}\n";
    return problemsOf(free("  topology: {kind: clos2, leaves: 32, hosts_per_leaf: 32}\n", text));
  };
  EXPECT_THAT(jobs(256), IsEmpty());
  EXPECT_THAT(jobs(257), testing::Contains(HasSubstr("257 jobs")));
}

}  // namespace
}  // namespace plumbline::scenario
