#include "bench/trial/trial.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "tests/bench_rtl/all_differ.h"

namespace plumbline::bench {
namespace {

TrialSpec someSpec() {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.dut.impairments.push_back({fabric::ImpairmentKind::kDelay, 1, 7, nanoseconds(5)});
  StreamSpec constant;
  constant.name = "a";
  constant.to = 2;
  constant.load = ConstantLoad{Fraction::percent(50)};
  constant.format.vlan_id = 100;
  StreamSpec burst;
  burst.name = "b";
  burst.from = 1;
  burst.to = 2;
  burst.load = BurstLoad{.frames = 9, .extra_gap = Bytes(3), .bursts = 2, .interval = seconds(1)};
  spec.streams = {constant, burst};
  spec.duration = microseconds(10);
  return spec;
}

TEST(TrialSpecJson, IsEqualForEqualTrials) { EXPECT_EQ(someSpec().toJson(), someSpec().toJson()); }

// Every member of the spec must show in the key under which its result is stored.
TEST(TrialSpecJson, DiffersWhateverDiffers) {
  using Change = void (*)(TrialSpec&);
  const Change changes[] = {
      [](TrialSpec& s) { s.duration += Picoseconds(1); },
      [](TrialSpec& s) { s.drain += Picoseconds(1); },
      [](TrialSpec& s) { s.capture_port = 0; },
      [](TrialSpec& s) { s.transport.emplace(transport::RoceSpec()); },
      [](TrialSpec& s) { s.transport.emplace(transport::UetSpec()); },
      [](TrialSpec& s) { s.workload.emplace(); },
      [](TrialSpec& s) { s.fast_forward.emplace(); },
      [](TrialSpec& s) { s.early_end.emplace(); },
      [](TrialSpec& s) { s.early_end.emplace().figure = WatchedFigure::kIterationTime; },
      [](TrialSpec& s) { s.early_end.emplace().not_before = seconds(1); },
      [](TrialSpec& s) { s.early_end.emplace().from = seconds(1); },
      [](TrialSpec& s) { s.early_end.emplace().rule.half_width = 0.01; },
      [](TrialSpec& s) { s.fast_forward.emplace().packets = 1; },
      [](TrialSpec& s) { s.dut.seed = 2; },
      [](TrialSpec& s) { s.dut.topology.kind = fabric::TopologyKind::kSingleSwitch; },
      [](TrialSpec& s) { s.dut.topology.leaves = 3; },
      [](TrialSpec& s) { s.dut.topology.spines = 3; },
      [](TrialSpec& s) { s.dut.topology.hosts_per_leaf = 3; },
      [](TrialSpec& s) { s.dut.topology.link_rate = gigabitsPerSecond(200); },
      [](TrialSpec& s) { s.dut.topology.host_link_delay += Picoseconds(1); },
      [](TrialSpec& s) { s.dut.topology.fabric_link_delay += Picoseconds(1); },
      [](TrialSpec& s) { s.dut.switches.buffer_per_port += Bytes(1); },
      [](TrialSpec& s) { s.dut.switches.latency += Picoseconds(1); },
      [](TrialSpec& s) { s.dut.switches.forwarding = fabric::Forwarding::kCutThrough; },
      [](TrialSpec& s) { s.dut.impairments.clear(); },
      [](TrialSpec& s) { s.dut.impairments[0].kind = fabric::ImpairmentKind::kDrop; },
      [](TrialSpec& s) { s.dut.impairments[0].host = 2; },
      [](TrialSpec& s) { s.dut.impairments[0].frame = 8; },
      [](TrialSpec& s) { s.dut.impairments[0].delay += Picoseconds(1); },
      [](TrialSpec& s) { s.streams.pop_back(); },
      [](TrialSpec& s) { std::swap(s.streams[0], s.streams[1]); },
      [](TrialSpec& s) { s.streams[0].name = "c"; },
      [](TrialSpec& s) { s.streams[0].from = 1; },
      [](TrialSpec& s) { s.streams[0].to = 3; },
      [](TrialSpec& s) { s.streams[0].frame = Bytes(65); },
      [](TrialSpec& s) { s.streams[0].start = Picoseconds(1); },
      [](TrialSpec& s) { s.streams[0].group = 1; },
      [](TrialSpec& s) { s.streams[0].load = ConstantLoad{Fraction::partsPerTrillion(1)}; },
      [](TrialSpec& s) { s.streams[0].load = BurstLoad{}; },
      [](TrialSpec& s) { s.streams[0].format.transport = Transport::kUdp; },
      [](TrialSpec& s) { s.streams[0].format.transport = Transport::kRoceSend; },
      [](TrialSpec& s) { s.streams[0].format.ipv6 = true; },
      [](TrialSpec& s) { s.streams[0].format.vlan_id.reset(); },
      [](TrialSpec& s) { s.streams[0].format.vlan_id = 101; },
      [](TrialSpec& s) { s.streams[0].format.priority = 4; },
      [](TrialSpec& s) { s.streams[0].format.dscp = 27; },
      [](TrialSpec& s) { s.streams[0].format.ect = false; },
      [](TrialSpec& s) { s.streams[0].format.qps = 2; },
      [](TrialSpec& s) { std::get<BurstLoad>(s.streams[1].load).frames = 10; },
      [](TrialSpec& s) { std::get<BurstLoad>(s.streams[1].load).extra_gap = Bytes(4); },
      [](TrialSpec& s) { std::get<BurstLoad>(s.streams[1].load).bursts = 3; },
      [](TrialSpec& s) { std::get<BurstLoad>(s.streams[1].load).interval = seconds(2); },
  };
  expectAllDiffer(someSpec(), changes, [](const TrialSpec& spec) { return spec.toJson(); });
}

TEST(TrialSpecJson, LeavesOutWhatTheTopologyDoesNotUse) {
  TrialSpec a = someSpec();
  a.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  TrialSpec b = a;
  b.dut.topology.spines = 17;
  b.dut.topology.fabric_link_delay = seconds(1);
  EXPECT_EQ(a.toJson(), b.toJson());
}

TrialResult someResult() {
  TrialResult result;
  result.bench = "rtl";
  StreamResult stream;
  stream.name = "a \"quoted\" name";
  stream.sent_frames = 0xFFFFFFFFFFFFFFFF;
  stream.sent_bytes = 1;
  stream.received_frames = 2;
  stream.received_bytes = 3;
  stream.lost = 4;
  stream.duplicate = 5;
  stream.out_of_order = 6;
  stream.stale = 7;
  stream.ce = 8;
  stream.bad_icrc = 9;
  stream.misdelivered = 10;
  result.streams = {stream, StreamResult{}};
  PortResult port;
  port.tx_frames = 11;
  port.tx_bytes = 12;
  port.tx_late = 13;
  port.tx_late_max = Picoseconds(14);
  port.rx_frames = 15;
  port.rx_bytes = 16;
  port.fcs_errors = 17;
  port.icrc_errors = 18;
  port.untagged = 19;
  port.priority[7] = {20, 21, Picoseconds(22)};
  result.ports = {port};
  GroupLatency latency;
  latency.group = 3;
  for (const std::uint64_t value : {0, 1, 612345, 612345, 999999}) latency.histogram.record(value);
  result.latency = {latency};
  result.dut = {{"leaf0 port 2", 23, 24, Bytes(25)}};
  result.faults = {"late", "overflow"};
  result.card_time = Picoseconds(26);
  result.wall_seconds = 0.1;
  return result;
}

TEST(TrialResultJson, ComesBackAsItWas) {
  const std::string text = someResult().toJson();
  const TrialResult result = TrialResult::fromJson(text);
  EXPECT_EQ(result.toJson(), text);
  // Not only the same text, but read from the right places.
  EXPECT_EQ(result.streams[0].sent_frames, 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(result.streams[0].stale, 7U);
  EXPECT_EQ(result.streams[0].misdelivered, 10U);
  EXPECT_EQ(result.ports[0].tx_late_max, Picoseconds(14));
  EXPECT_EQ(result.ports[0].priority[7].rx_xon, 21U);
  EXPECT_EQ(result.latency[0].group, 3U);
  EXPECT_EQ(result.latency[0].histogram.count(), 5U);
  EXPECT_EQ(result.latency[0].histogram.minimum(), 0U);
  EXPECT_EQ(result.latency[0].histogram.maximum(), 999999U);
  EXPECT_EQ(result.dut[0].max_queue, Bytes(25));
  EXPECT_EQ(result.faults.size(), 2U);
  EXPECT_FALSE(result.valid());
  EXPECT_EQ(result.wall_seconds, 0.1);
}

TEST(TrialResultJson, RefusesWhatItDidNotWrite) {
  EXPECT_THROW(TrialResult::fromJson(""), Error);
  EXPECT_THROW(TrialResult::fromJson("{}"), Error);
  EXPECT_THROW(TrialResult::fromJson("[1]"), Error);
  const auto changed = [](const auto& change) {
    nlohmann::json json = nlohmann::json::parse(someResult().toJson());
    change(json);
    return json.dump();
  };
  using nlohmann::json;
  for (const auto& text : {
           changed([](json& j) { j["format"] = 2; }),
           changed([](json& j) { j.erase("faults"); }),
           changed([](json& j) { j["observed"] = "guessed"; }),
           changed([](json& j) { j["streams"][0]["lost"] = "many"; }),
           changed([](json& j) { j["ports"][0]["priority"].erase(7); }),
           // Cells out of order, outside the histogram, against the summary.
           changed([](json& j) {
             std::swap(j["latency"][0]["cells"][1], j["latency"][0]["cells"][3]);
           }),
           changed([](json& j) { j["latency"][0]["cells"][3][0] = 4352; }),
           changed([](json& j) { j["latency"][0]["minimum_ps"] = 1; }),
       }) {
    try {
      TrialResult::fromJson(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kTester);
    }
  }
}

TEST(TrialResult, AddsUpLossOfAllStreams) {
  TrialResult result;
  EXPECT_EQ(result.lost(), 0U);
  result.streams.resize(3);
  result.streams[0].lost = 5;
  result.streams[2].lost = 7;
  EXPECT_EQ(result.lost(), 12U);
}

}  // namespace
}  // namespace plumbline::bench
