// Parts of a trial that need a tester card: how they are stored, and which benches refuse them.
#include "bench/trial/card_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/card/flow_plan.h"
#include "bench/sim/sim_bench.h"
#include "bench/trial/bench.h"
#include "bench/trial/trial.h"
#include "tests/bench_rtl/all_differ.h"

namespace plumbline::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Capabilities cardCapabilities() {
  Capabilities capabilities;
  capabilities.name = "card";
  capabilities.max_ports = 4;
  capabilities.line_rate = gigabitsPerSecond(100);
  capabilities.flows_per_port = 256;
  capabilities.groups = 16;
  capabilities.max_qps = 4096;
  capabilities.damage = capabilities.pfc_send = true;
  capabilities.queue_pairs = capabilities.patterns = capabilities.departures = true;
  return capabilities;
}

TrialSpec specOfParts() {
  TrialSpec spec;
  StreamSpec stream;
  stream.name = "s";
  stream.to = 1;
  stream.frame = Bytes(254);  // of whole words of payload, in messages too
  stream.load = ConstantLoad{Fraction::percent(50)};
  stream.format.qps = 2;
  stream.format.entropy = Entropy::kRandom;
  stream.format.entropy_values = 4;
  stream.queue_pairs = QueuePairSpec{{2, 1}, 3, true};
  stream.gaps = DrawnGaps{1};
  spec.streams = {stream};
  spec.duration = microseconds(10);
  spec.damage = {
      {0, card::DamageDirection::kSent, card::DamageRule{.kind = card::DamageKind::kBits}},
      {1, card::DamageDirection::kReceived, card::BitErrors{1e-6, 9}}};
  spec.storms = {{1, {.priorities = 8, .quanta = 100}, 5, microseconds(1), nanoseconds(3)}};
  return spec;
}

card::DamageRule& rule(TrialSpec& spec) { return std::get<card::DamageRule>(spec.damage[0].what); }
card::BitErrors& errors(TrialSpec& spec) { return std::get<card::BitErrors>(spec.damage[1].what); }

// Every part must show in the key under which a trial's result is stored.
TEST(CardPartsJson, DiffersWhateverDiffers) {
  using Change = void (*)(TrialSpec&);
  const Change changes[] = {
      [](TrialSpec& s) { s.damage.clear(); },
      [](TrialSpec& s) { s.damage[0].host = 1; },
      [](TrialSpec& s) { s.damage[0].direction = card::DamageDirection::kReceived; },
      [](TrialSpec& s) { rule(s).kind = card::DamageKind::kDrop; },
      [](TrialSpec& s) { rule(s).match = card::DamageMatch::kFlow; },
      [](TrialSpec& s) { rule(s).flow = 1; },
      [](TrialSpec& s) { rule(s).message_type = 1; },
      [](TrialSpec& s) { rule(s).first = 1; },
      [](TrialSpec& s) { rule(s).last = 1; },
      [](TrialSpec& s) { rule(s).step = 2; },
      [](TrialSpec& s) { rule(s).times = 1; },
      [](TrialSpec& s) { rule(s).offset = 1; },
      [](TrialSpec& s) { rule(s).bits = 2; },
      [](TrialSpec& s) { rule(s).mask = 2; },
      [](TrialSpec& s) { rule(s).bytes = 65; },
      [](TrialSpec& s) { errors(s).ratio = 2e-6; },
      [](TrialSpec& s) { errors(s).seed = 10; },
      [](TrialSpec& s) { s.storms.clear(); },
      [](TrialSpec& s) { s.storms[0].host = 0; },
      [](TrialSpec& s) { s.storms[0].frame.priorities = 9; },
      [](TrialSpec& s) { s.storms[0].frame.quanta = 101; },
      [](TrialSpec& s) { s.storms[0].frames = 6; },
      [](TrialSpec& s) { s.storms[0].period += Picoseconds(1); },
      [](TrialSpec& s) { s.storms[0].start += Picoseconds(1); },
      [](TrialSpec& s) { s.obey_pfc = 0; },
      [](TrialSpec& s) { s.obey_pfc = 8; },
      [](TrialSpec& s) { s.paused_frames_wait = true; },
      [](TrialSpec& s) { s.departures = 1; },
      [](TrialSpec& s) { s.streams[0].format.transport = Transport::kUetRud; },
      [](TrialSpec& s) { s.streams[0].format.transport = Transport::kUetRod; },
      [](TrialSpec& s) { s.streams[0].format.transport = Transport::kUetRudi; },
      [](TrialSpec& s) { s.streams[0].format.transport = Transport::kUetUud; },
      [](TrialSpec& s) { s.streams[0].format.entropy = Entropy::kPerQueuePair; },
      [](TrialSpec& s) { s.streams[0].format.entropy = Entropy::kFixed; },
      [](TrialSpec& s) { s.streams[0].format.entropy = Entropy::kRoundRobin; },
      [](TrialSpec& s) { s.streams[0].format.entropy_values = 5; },
      [](TrialSpec& s) { s.streams[0].queue_pairs.reset(); },
      [](TrialSpec& s) {
        s.streams[0].queue_pairs->weights = {1, 2};
      },
      [](TrialSpec& s) { s.streams[0].queue_pairs->message_frames = 1; },
      [](TrialSpec& s) { s.streams[0].queue_pairs->counted = false; },
      [](TrialSpec& s) { s.streams[0].gaps.reset(); },
      [](TrialSpec& s) { s.streams[0].gaps = DrawnGaps{2}; },
      [](TrialSpec& s) {
        s.streams[0].gaps = ListedGaps{{nanoseconds(1)}, 1};
      },
      [](TrialSpec& s) {
        s.streams[0].gaps = ListedGaps{{nanoseconds(2)}, 1};
      },
      [](TrialSpec& s) {
        s.streams[0].gaps = ListedGaps{{nanoseconds(1)}, 2};
      },
  };
  expectAllDiffer(specOfParts(), changes, [](const TrialSpec& spec) { return spec.toJson(); });
}

TEST(CardPartsJson, LeaveTrialsWithoutThemAsTheyWere) {
  TrialSpec spec;
  spec.streams.emplace_back().load = ConstantLoad{Fraction::one()};
  for (const char* key :
       {"damage", "storms", "obey", "wait", "departures", "queue", "entropy", "gaps"}) {
    EXPECT_THAT(spec.toJson(), Not(HasSubstr(key)));
  }
}

TEST(CardPartsJson, ResultsComeBack) {
  TrialResult result;
  result.bench = "rtl";
  StreamResult stream;
  stream.reorder_depth = 3;
  stream.queue_pairs = {{1, 2, 3, 4, 5, 6}, {}};
  stream.departures = {Picoseconds(-1), seconds(1)};
  result.streams = {stream};
  PortResult port;
  port.runts = 1;
  port.giants = 2;
  port.tx_given_up = 3;
  port.tx_waited = 4;
  port.dut_discarded = 5;
  port.pauses_unlogged = 6;
  port.priority[7].tx_xoff = 7;
  port.damage_sent = DamageOutcome{
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
      {{card::DamageKind::kRandom, card::DamageMatch::kControl, 1, 2, 3, 4, Picoseconds(5)}}};
  port.damage_received = DamageOutcome{};
  port.pauses = {{Picoseconds(9), true, 8, 0}, {Picoseconds(10), false, 0, 8}};
  result.ports = {port, PortResult{}};
  const TrialResult back = TrialResult::fromJson(result.toJson());
  EXPECT_EQ(back.toJson(), result.toJson());
  EXPECT_EQ(back.streams[0].departures, stream.departures);
  ASSERT_EQ(back.streams[0].queue_pairs.size(), 2U);
  EXPECT_EQ(back.streams[0].queue_pairs[0].reorder_depth, 6U);
  EXPECT_EQ(back.streams[0].reorder_depth, 3U);
  ASSERT_TRUE(back.ports[0].damage_sent && back.ports[0].damage_received);
  EXPECT_EQ(back.ports[0].damage_sent->counters, port.damage_sent->counters);
  EXPECT_EQ(back.ports[0].damage_sent->log, port.damage_sent->log);
  EXPECT_EQ(back.ports[0].pauses, port.pauses);
  EXPECT_EQ(back.ports[0].priority[7].tx_xoff, 7U);
  EXPECT_EQ(back.ports[0].runts + 10 * back.ports[0].giants + 100 * back.ports[0].tx_given_up +
                1000 * back.ports[0].tx_waited + 10'000 * back.ports[0].dut_discarded +
                100'000 * back.ports[0].pauses_unlogged,
            654'321U);
  EXPECT_FALSE(back.ports[1].damage_sent || back.ports[1].damage_received);
}

TEST(CardParts, ASimulatedHostHasNone) {
  const SimBench bench({.line_rate = gigabitsPerSecond(100)});
  const std::vector<std::string> why = bench.refusals(specOfParts());
  for (const char* part : {"damage on purpose", "a PFC storm", "a stream of messages",
                           "a stream with drawn or listed gaps"}) {
    EXPECT_THAT(why, Contains(HasSubstr(part))) << part;
  }
  TrialSpec spec = specOfParts();
  spec.damage.clear();
  spec.storms.clear();
  spec.streams[0].queue_pairs.reset();
  spec.streams[0].format.entropy = Entropy::kPerQueuePair;
  spec.streams[0].gaps.reset();
  EXPECT_THAT(bench.refusals(spec), IsEmpty());
  spec.departures = 1;
  EXPECT_THAT(bench.refusals(spec), Contains(HasSubstr("recording departures")));
}

TEST(CardParts, WhatTheCardCannotIsNamed) {
  const auto refusals = [](void (*change)(TrialSpec&)) {
    TrialSpec spec = specOfParts();
    change(spec);
    return planRefusals(spec, cardCapabilities());
  };
  EXPECT_THAT(refusals([](TrialSpec&) {}), IsEmpty());
  EXPECT_THAT(refusals([](TrialSpec& s) { rule(s).step = 0; }),
              Contains(HasSubstr("damage 0: damage rule: every 0th frame")));
  EXPECT_THAT(refusals([](TrialSpec& s) {
                rule(s).match = card::DamageMatch::kFlow;
                rule(s).flow = 1;
              }),
              Contains(HasSubstr("host 0 does not send stream 1")));
  EXPECT_THAT(refusals([](TrialSpec& s) { errors(s).ratio = 0.5; }),
              Contains(HasSubstr("damage 1: ")));
  EXPECT_THAT(refusals([](TrialSpec& s) { s.damage.resize(7, s.damage[0]); }),
              Contains(HasSubstr("6 rules")));
  EXPECT_THAT(refusals([](TrialSpec& s) { s.damage.push_back(s.damage[1]); }),
              Contains(HasSubstr("2 sources")));
  EXPECT_THAT(refusals([](TrialSpec& s) {
                s.dut.topology.hosts = 3;
                s.damage[0].host = 2;
              }),
              Contains(HasSubstr("host 2 is no port of the tester")));
  EXPECT_THAT(refusals([](TrialSpec& s) { s.storms.push_back(s.storms[0]); }),
              Contains(HasSubstr("a port has one storm")));
  EXPECT_THAT(refusals([](TrialSpec& s) { s.storms[0].period = nanoseconds(12); }),
              Contains(HasSubstr("12000 ps apart")));
  EXPECT_THAT(refusals([](TrialSpec& s) { s.storms[0].frame.priorities = 0; }),
              Contains(HasSubstr("it pauses no priority")));
  EXPECT_THAT(refusals([](TrialSpec& s) {
                s.streams[0].queue_pairs = QueuePairSpec{};
                s.streams[0].format.qps = 4096;
                s.streams.push_back(s.streams[0]);
              }),
              Contains(HasSubstr("host 0: the flows of a port take 8192 queue pairs")));
  EXPECT_THAT(refusals([](TrialSpec& s) {
                s.streams[0].format.qps = 4097;
                s.streams[0].queue_pairs->weights.clear();
              }),
              Contains(HasSubstr("4097 streams and queue pairs")));
}

TEST(CardParts, GapsThatCannotBeAreNamed) {
  const auto refusals = [](GapPattern gaps) {
    TrialSpec spec = specOfParts();
    spec.streams[0].gaps = std::move(gaps);
    return planRefusals(spec, cardCapabilities());
  };
  // 274 byte times are 21.92 ns.
  EXPECT_THAT(refusals(ListedGaps{{Picoseconds(21'920)}, 1}), IsEmpty());
  EXPECT_THAT(refusals(ListedGaps{{seconds(1), Picoseconds(21'919)}, 1}),
              Contains(HasSubstr("a gap of 21919 ps, its frames take 21920 ps")));
  EXPECT_THAT(refusals(ListedGaps{{}, 1}), Contains(HasSubstr("0 gaps, each 1 times")));
  EXPECT_THAT(refusals(ListedGaps{{seconds(1)}, 0}), Contains(HasSubstr("each 0 times")));
  EXPECT_THAT(refusals(ListedGaps{{seconds(1)}, 65536}), Contains(HasSubstr("each 65536 times")));
  EXPECT_THAT(refusals(ListedGaps{std::vector(4097, seconds(1)), 1}),
              Contains(HasSubstr("4097 gaps")));
  TrialSpec spec = specOfParts();
  spec.streams[0].load = BurstLoad{};
  EXPECT_THAT(planRefusals(spec, cardCapabilities()),
              Contains(HasSubstr("require a constant-rate load")));
}

// 100, 100, 300 ns, each twice: due at 0, 100, 200, 300, 400, 700 and every 1000 ns again.
TEST(CardParts, ListedGapsEndWithTheTrial) {
  TrialSpec spec = specOfParts();
  spec.streams[0].gaps = ListedGaps{{nanoseconds(100), nanoseconds(100), nanoseconds(300)}, 2};
  const auto planned = [&spec](std::int64_t duration_ns) {
    spec.duration = nanoseconds(duration_ns);
    const FlowPlan plan = planFlows(spec, cardCapabilities());
    EXPECT_EQ(plan.flows[0][0].burst_frames, plan.streams[0].frames);
    return plan.streams[0].frames;
  };
  EXPECT_EQ(planned(1), 1U);
  EXPECT_EQ(planned(100), 1U);
  EXPECT_EQ(planned(101), 2U);
  EXPECT_EQ(planned(700), 5U);
  EXPECT_EQ(planned(701), 6U);
  EXPECT_EQ(planned(1000), 6U);
  EXPECT_EQ(planned(1001), 7U);
  EXPECT_EQ(planned(10'701), 66U);
  spec.storms.clear();
  EXPECT_EQ(planFlows(spec, cardCapabilities()).end, nanoseconds(10'700) + Picoseconds(21'920));
}

TEST(CardParts, StormsEndWithTheirLastPause) {
  const PfcStormSpec storm{0, {.priorities = 1, .quanta = 100}, 3, microseconds(2), nanoseconds(7)};
  // 2 periods and 100 × 512 bits at 100 Gb/s.
  EXPECT_EQ(endOf(storm, gigabitsPerSecond(100)), Picoseconds(7'000 + 4'000'000 + 512'000));
}

// Every counted queue pair has a row of its own, one stream after the other.
TEST(CardParts, QueuePairsHaveRows) {
  TrialSpec spec = specOfParts();
  spec.streams.push_back(spec.streams[0]);
  spec.streams.push_back(spec.streams[0]);
  spec.streams[1].queue_pairs->counted = false;
  for (StreamSpec& stream : spec.streams) stream.load = ConstantLoad{Fraction::percent(20)};
  const FlowPlan plan = planFlows(spec, cardCapabilities());
  EXPECT_TRUE(plan.wide_rows);
  EXPECT_EQ(plan.streams[0].row, 0U);
  EXPECT_EQ(plan.streams[0].rows, 2U);
  EXPECT_EQ(plan.streams[1].row, 2U);
  EXPECT_EQ(plan.streams[1].rows, 1U);
  EXPECT_EQ(plan.streams[2].row, 3U);
  EXPECT_TRUE(plan.flows[0][2].wide_row);
  EXPECT_EQ(plan.flows[0][2].row, 3U);
}

}  // namespace
}  // namespace plumbline::bench
