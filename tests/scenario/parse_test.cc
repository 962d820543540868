#include "scenario/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Scenario parsed(const std::string& text) {
  const auto result = parseScenario(text, "s.yaml", testVocabulary());
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text("s.yaml");
  return result.scenario;
}

const std::string kMinimal =
    "plumbline: 1\nname: smallest\ntest: T5.2\ndut:\n  topology: {kind: link}\n";

TEST(Parse, TheSmallestScenarioLeavesTheRestToTheProfile) {
  const Scenario s = parsed(kMinimal);
  EXPECT_EQ(s.file, "s.yaml");
  EXPECT_EQ(s.text, kMinimal);
  EXPECT_EQ(s.name, "smallest");
  EXPECT_THAT(s.tests, ElementsAre("T5.2"));
  EXPECT_EQ(s.bench, "rtl");
  EXPECT_EQ(s.profile, Profile::kQuick);
  EXPECT_EQ(s.seed, 1u);
  EXPECT_EQ(s.topology.kind, fabric::TopologyKind::kLink);
  EXPECT_EQ(s.traffic.format.transport, bench::Transport::kRoceWrite);
  EXPECT_FALSE(s.traffic.frame_sizes || s.traffic.message_sizes || s.traffic.qps ||
               s.traffic.directions || s.traffic.pairs);
  EXPECT_FALSE(s.parameters.repetitions || s.parameters.duration || s.parameters.drain ||
               s.parameters.resolution || s.parameters.loads || s.parameters.incast_ratios ||
               s.parameters.max_burst);
  EXPECT_THAT(s.limits, IsEmpty());
}

TEST(Parse, EveryKey) {
  const Scenario s = parsed(R"(
plumbline: 1
name: "Everything, once"
tests: [T5.3, T5.1, T5.2]
bench: rtl
profile: standard
seed: 18446744073709551615
dut:
  topology: {kind: clos2, leaves: 3, spines: 4, hosts_per_leaf: 2, link: 400G,
             host_delay: 5ns, fabric_delay: 1.5us}
  switch: {buffer: 2MiB, latency: 450ns, forwarding: cut-through}
  identification:
    vendor: Example
    model: "X 1"
    buffer per port: 2 MiB
traffic:
  transport: rocev2-send
  ip: 6
  vlan: 100
  priority: 5
  dscp: 46
  frame_sizes: [130B, 1KB]
  message_sizes: 1KiB
  qps: [1, 256]
  direction: [bi, uni]
  pairs: [[0, 5], [5, 0]]
parameters:
  repetitions: 7
  duration: 2ms
  drain: 0s
  resolution: 0.1%
  loads: [10%, 25G, 400Gb/s]
  incast_ratios: [2, 5]
  max_burst: 16777216
  sizes: [64B, 4GiB]
  ranks: [2, 6]
  flows: [1, 256]
  balancing: [spray, ecmp]
  compute: [0s, 10ms]
  iterations: 100
  progress: {per_iteration: 256, unit: images}
  soak: {duration: 86400s, interval: 60s}
limits:
  latency_p99_ns: 5000.5
  throughput_percent: 99
  burst_frames: 100
)");
  EXPECT_EQ(s.name, "Everything, once");
  EXPECT_THAT(s.tests, ElementsAre("T5.3", "T5.1", "T5.2"));
  EXPECT_EQ(s.profile, Profile::kStandard);
  EXPECT_EQ(s.seed, UINT64_MAX);
  EXPECT_EQ(s.topology.kind, fabric::TopologyKind::kClos2);
  EXPECT_EQ(s.topology.leaves, 3u);
  EXPECT_EQ(s.topology.spines, 4u);
  EXPECT_EQ(s.topology.hosts_per_leaf, 2u);
  EXPECT_EQ(s.topology.link_rate, gigabitsPerSecond(400));
  EXPECT_EQ(s.topology.host_link_delay, nanoseconds(5));
  EXPECT_EQ(s.topology.fabric_link_delay, nanoseconds(1500));
  EXPECT_EQ(s.switches.buffer_per_port, Bytes(2 << 20));
  EXPECT_EQ(s.switches.latency, nanoseconds(450));
  EXPECT_EQ(s.switches.forwarding, fabric::Forwarding::kCutThrough);
  EXPECT_THAT(s.identification, ElementsAre(Pair("vendor", "Example"), Pair("model", "X 1"),
                                            Pair("buffer per port", "2 MiB")));
  EXPECT_EQ(s.traffic.format.transport, bench::Transport::kRoceSend);
  EXPECT_TRUE(s.traffic.format.ipv6);
  EXPECT_EQ(s.traffic.format.vlan_id, 100);
  EXPECT_EQ(s.traffic.format.priority, 5);
  EXPECT_EQ(s.traffic.format.dscp, 46);
  EXPECT_EQ(s.traffic.format.qps, 1u);
  EXPECT_THAT(*s.traffic.frame_sizes, ElementsAre(Bytes(130), Bytes(1000)));
  EXPECT_THAT(*s.traffic.message_sizes, ElementsAre(Bytes(1024)));
  EXPECT_THAT(*s.traffic.qps, ElementsAre(1u, 256u));
  EXPECT_THAT(*s.traffic.directions,
              ElementsAre(Direction::kBidirectional, Direction::kUnidirectional));
  EXPECT_THAT(*s.traffic.pairs, ElementsAre(HostPair{0, 5}, HostPair{5, 0}));
  EXPECT_EQ(s.parameters.repetitions, 7u);
  EXPECT_EQ(s.parameters.duration, milliseconds(2));
  EXPECT_EQ(s.parameters.drain, Picoseconds(0));
  EXPECT_EQ(s.parameters.resolution, Fraction::partsPerTrillion(1'000'000'000));
  EXPECT_THAT(*s.parameters.loads,
              ElementsAre(Fraction::percent(10), Fraction::partsPerTrillion(62'500'000'000),
                          Fraction::one()));
  EXPECT_THAT(*s.parameters.incast_ratios, ElementsAre(2u, 5u));
  EXPECT_EQ(s.parameters.max_burst, 16777216u);
  EXPECT_THAT(*s.parameters.sizes, ElementsAre(Bytes(64), Bytes(std::int64_t{4} << 30)));
  EXPECT_THAT(*s.parameters.ranks, ElementsAre(2u, 6u));
  EXPECT_THAT(*s.parameters.flows, ElementsAre(1u, 256u));
  EXPECT_THAT(*s.parameters.balancing, ElementsAre("spray", "ecmp"));
  EXPECT_THAT(*s.parameters.compute, ElementsAre(Picoseconds(0), milliseconds(10)));
  EXPECT_EQ(s.parameters.iterations, 100u);
  EXPECT_EQ(s.parameters.progress->per_iteration, 256u);
  EXPECT_EQ(s.parameters.progress->unit, "images");
  EXPECT_EQ(s.parameters.soak.duration, seconds(86'400));
  EXPECT_EQ(s.parameters.soak.interval, seconds(60));
  ASSERT_EQ(s.limits.size(), 3u);
  EXPECT_EQ(s.limits[0].kpi, "latency_p99_ns");
  EXPECT_EQ(s.limits[0].sense, LimitSense::kAtMost);
  EXPECT_EQ(s.limits[0].bound, 5000.5);
  EXPECT_EQ(s.limits[1].kpi, "throughput_percent");
  EXPECT_EQ(s.limits[1].sense, LimitSense::kAtLeast);
  EXPECT_EQ(s.limits[2].kpi, "burst_frames");
  EXPECT_EQ(s.limits[2].sense, LimitSense::kAtLeast);

  const fabric::FabricSpec dut = s.fabricSpec();
  EXPECT_EQ(dut.hostCount(), 6u);
  EXPECT_EQ(dut.switches.latency, nanoseconds(450));
  EXPECT_EQ(dut.seed, UINT64_MAX);
  EXPECT_THAT(dut.impairments, IsEmpty());
  EXPECT_NO_THROW(fabric::validate(dut));
}

TEST(Parse, AllPairsAreHalvesOppositeEachOther) {
  const auto pairs = [](const std::string& topology, const std::string& traffic) {
    return parsed("plumbline: 1\nname: n\ntest: T5.1\ndut: {topology: " + topology +
                  "}\ntraffic: {" + traffic + "}\n")
        .hostPairs();
  };
  EXPECT_THAT(pairs("{kind: link}", ""), ElementsAre(HostPair{0, 1}));
  EXPECT_THAT(pairs("{kind: switch, hosts: 5}", "pairs: all"),
              ElementsAre(HostPair{0, 2}, HostPair{1, 3}));
  EXPECT_THAT(pairs("{kind: clos2, leaves: 2, spines: 1, hosts_per_leaf: 2}", "pairs: all"),
              ElementsAre(HostPair{0, 2}, HostPair{1, 3}));
  EXPECT_THAT(pairs("{kind: switch, hosts: 4}", "pairs: [[3, 0]]"), ElementsAre(HostPair{3, 0}));
}

TEST(Parse, ProfilesHaveNames) {
  for (const Profile profile : {Profile::kQuick, Profile::kStandard}) {
    EXPECT_EQ(profileFromName(profileName(profile)), profile);
  }
  EXPECT_EQ(profileFromName("Quick"), std::nullopt);
}

TEST(Parse, WindowsLineEndsAndAByteOrderMarkAreFine) {
  std::string text = "\xEF\xBB\xBF" + kMinimal;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  EXPECT_EQ(parsed(text).name, "smallest");
}

// A file that would unfold to 10^10 values must not even begin to.
TEST(Parse, AliasBombsAreRefusedAtOnce) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += (i > 0 ? ", *" : "*") + before;
    bomb += "]\n";
  }
  const auto result = parseScenario(bomb, "bomb.yaml", testVocabulary());
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_THAT(result.problems[0].what, HasSubstr("anchors"));
}

TEST(Parse, DepthAndSizeHaveLimits) {
  const auto firstProblem = [](const std::string& text) {
    const auto result = parseScenario(text, "x", testVocabulary());
    return result.ok() ? "" : result.problems[0].text("x");
  };
  EXPECT_THAT(firstProblem(std::string(100'000, '[')), HasSubstr("nested too deeply"));
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(firstProblem(deep), HasSubstr("nested too deeply"));
  const std::string largest = kMinimal + "#" + std::string(kMaxScenarioBytes, 'x');
  EXPECT_TRUE(problemsOfLength(std::string_view(largest).substr(0, kMaxScenarioBytes)).empty());
  const auto problems = problemsOfLength(largest);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0].text("x"), HasSubstr("x:1:1: the file is too long for a scenario"));
  const std::string file = testing::TempDir() + "/plumbline_long_scenario.yaml";
  std::ofstream(file) << largest.substr(0, kMaxScenarioBytes);
  EXPECT_EQ(loadScenario(file, testVocabulary()).name, "smallest");
  std::ofstream(file, std::ios::app) << 'x';
  EXPECT_THROW(loadScenario(file, testVocabulary()), Error);
}

TEST(Load, SaysWhichFileCannotBeRead) {
  for (const char* file : {"no/such/file.yaml", "/", "/proc/self/mem"}) {
    try {
      loadScenario(file, testVocabulary());
      ADD_FAILURE() << file;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      EXPECT_EQ(e.where(), file);
      EXPECT_THAT(e.what(), HasSubstr("cannot be read"));
    }
  }
  EXPECT_THROW(loadScenario("/dev/zero", testVocabulary()),
               Error);  // ends, although it never would
}

TEST(Load, ReportsAllProblemsOneALine) {
  const std::string file = testing::TempDir() + "/plumbline_bad_scenario.yaml";
  std::ofstream(file) << "plumbline: 2\nname: n\ntest: T9\ndut: {topology: {kind: link}}\n";
  try {
    loadScenario(file, testVocabulary());
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()),
              file + ":1:12: \"2\" is out of range (1)\n" + file +
                  ":3:7: \"T9\" is not known here (one of T5.1, T5.2, T5.3)");
  }
}

TEST(Parse, LimitsMayBeOnWhatNicsCount) {
  const Scenario s =
      parsed(kMinimal +
             "limits: {nic_retransmissions: 0, nic_cnps_sent: 10, nic_cnps_handled: 10, "
             "nic_out_of_sequence: 5}\n");
  ASSERT_EQ(s.limits.size(), 4u);
  for (const Limit& limit : s.limits) EXPECT_EQ(limit.sense, LimitSense::kAtMost) << limit.kpi;
  EXPECT_EQ(s.limits[1].kpi, "nic_cnps_sent");
  EXPECT_EQ(s.limits[1].bound, 10);
}

}  // namespace
}  // namespace plumbline::scenario
