// Several cards on one clock in front of one DUT: they start together, and their frames meet in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "bench/card/card_group.h"
#include "bench/card/flow_plan.h"
#include "fabric/engine/fabric.h"
#include "sim/wire.h"
#include "tests/bench_rtl/rtl_trials.h"

namespace plumbline::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The wires of a group: observes the clock, and the frames of the ports at their exact times.
class Wires final : public sim::PortPeer {
 public:
  void onFrameFromCard(std::uint32_t port, sim::FrameBytes, Picoseconds first_bit) override {
    frames[port].push_back(first_bit);
  }
  void advanceTo(Picoseconds now) override { edges.push_back(now); }

  std::map<std::uint32_t, std::vector<Picoseconds>> frames;
  std::vector<Picoseconds> edges;
};

// Two cards of two ports, each of which has two frames of 512 bytes for the next one, due with the
// start.
struct TwoCards {
  TwoCards() {
    cards.connect(&wires);
    cards.reset();
  }
  void load(std::uint32_t port) { cards.port(port).loadFlows(plan.flows[port]); }

  Wires wires;
  CardGroup cards{2, 2};
  FlowPlan plan = twoFrames();

 private:
  static FlowPlan twoFrames() {
    constexpr std::uint32_t kPorts = 4;
    TrialSpec spec;
    spec.dut.topology.hosts = kPorts;
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      StreamSpec stream = streamToHost1(512, Fraction::one());
      stream.from = port;
      stream.to = (port + 1) % kPorts;
      stream.load = BurstLoad{.frames = 2};
      spec.streams.push_back(stream);
    }
    return planFlows(spec, sharedCard().capabilities());
  }
};

TEST(CardGroup, OneClockWhoeverMakesItGoOn) {
  CardGroup cards(3, 2);
  Wires wires;
  cards.connect(&wires);
  const Picoseconds begin = cards.now();
  for (const std::uint32_t port : {0U, 4U, 2U, 5U, 1U, 3U}) {
    const Picoseconds before = cards.now();
    EXPECT_EQ(cards.port(port).counters().tx_frames, 0U);
    EXPECT_GT(cards.now(), before) << "a register access takes time on all cards";
    cards.runUntil(cards.now() + nanoseconds(100));
  }
  // Every edge once, in order, for all of them together.
  std::int64_t edge = 0;
  while (sim::edgeTime(edge) < begin) ++edge;
  ASSERT_GT(wires.edges.size(), 200U);
  for (const Picoseconds seen : wires.edges) ASSERT_EQ(seen, sim::edgeTime(++edge));
  EXPECT_EQ(cards.now(), wires.edges.back());
  EXPECT_EQ(cards.ports(), 6U);
  EXPECT_THROW(static_cast<void>(cards.port(6)), std::out_of_range);
}

TEST(CardGroup, AllPortsOfAllCardsStartAtOneInstant) {
  TwoCards two;
  CardGroup& cards = two.cards;
  for (std::uint32_t port = 0; port < 4; ++port) {
    cards.port(port).setTiming({});
    two.load(port);
  }
  const Picoseconds start = cards.earliestStart();
  cards.arm(start);
  EXPECT_TRUE(cards.sending());
  cards.runUntil(start + microseconds(2));
  EXPECT_FALSE(cards.sending());
  EXPECT_FALSE(cards.lateStart());
  ASSERT_EQ(two.wires.frames.size(), 4U);
  for (const auto& [port, times] : two.wires.frames) {
    EXPECT_EQ(times, two.wires.frames[0]) << "port " << port;
    EXPECT_GE(times.at(0), start);
  }
}

// If the start is too late for some of the cards only, the group reports it.
TEST(CardGroup, OneCardThatStartsLateIsALateStart) {
  TwoCards two;
  CardGroup& cards = two.cards;
  for (const std::uint32_t port : {0U, 2U}) two.load(port);
  // Time for the first card's three accesses.
  const Picoseconds before = cards.now();
  static_cast<void>(cards.cardTime());
  const Picoseconds accesses = cards.now() - before;
  cards.arm(cards.now() + accesses + nanoseconds(20));
  cards.runUntil(cards.now() + microseconds(2));
  EXPECT_TRUE(cards.lateStart());
  EXPECT_LT(two.wires.frames[0].at(0), two.wires.frames[2].at(0)) << "the first card was in time";
}

// Hosts 0 to 3 are on one card, 4 to 7 on another: each sends to a host of the other card, in
// phase, through one switch.
TrialSpec acrossCards() {
  TrialSpec spec;
  spec.dut.topology.hosts = 8;
  spec.departures = 1;
  for (std::uint32_t host = 0; host < 8; ++host) {
    StreamSpec stream = streamToHost1(512, Fraction::percent(50));
    stream.name = "from " + std::to_string(host);
    stream.from = host;
    stream.to = (host + 4) % 8;
    stream.start = nanoseconds(200);
    stream.group = host;
    spec.streams.push_back(stream);
  }
  spec.duration = microseconds(10);
  return spec;
}

TEST(RtlCards, StreamsOfTwoCardsStartTogetherAndCrossTheFabric) {
  const TrialSpec spec = acrossCards();
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  const Picoseconds expected = fabric::Fabric(spec.dut).unloadedLatency(0, 4, Bytes(512));
  ASSERT_EQ(seen.streams.size(), 8U);
  ASSERT_EQ(seen.latency.size(), 8U);
  for (std::uint32_t host = 0; host < 8; ++host) {
    SCOPED_TRACE(testing::Message() << "host " << host);
    const StreamResult& stream = seen.streams[host];
    // 9.8 us at half of the line rate, 42.56 ns each.
    EXPECT_EQ(stream.sent_frames, 116U);
    EXPECT_EQ(stream.received_frames, stream.sent_frames);
    EXPECT_EQ(stream.lost + stream.misdelivered + stream.out_of_order, 0U);
    ASSERT_EQ(stream.departures.size(), 1U);
    EXPECT_EQ(stream.departures, seen.streams[0].departures);
    EXPECT_GE(stream.departures[0], spec.streams[host].start);
    EXPECT_LE(stream.departures[0], spec.streams[host].start + sim::kClockPeriodMax);
    // The cards have one time: the latency contains no difference between them.
    const stats::Histogram& latency = seen.latency[host].histogram;
    EXPECT_EQ(latency.count(), stream.received_frames);
    EXPECT_GE(latency.minimum(), (expected - sim::kClockPeriodMax).count());
    EXPECT_LE(latency.maximum(), (expected + sim::kClockPeriodMax).count());
  }
}

// A trial is the same after any earlier trials, on the same cards or others.
TEST(RtlCards, TrialsRepeat) {
  const auto text = [](TrialResult result) {
    result.wall_seconds = 0;
    return result.toJson();
  };
  const std::string first = text(runOnCard(acrossCards()));
  static_cast<void>(runOnCard(bareLinkTrial()));
  EXPECT_EQ(text(runOnCard(acrossCards())), first);
  EXPECT_EQ(text(RtlBench().run(acrossCards(), {})), first);
}

// Faults at a port of the second card are reported with its host, and damage, captures and pauses
// are at the requested ports.
TEST(RtlCards, PartsOfATrialAreAtThePortsOfTheSecondCard) {
  TrialSpec spec = acrossCards();
  spec.departures = 0;
  spec.capture_port = 6;
  card::DamageRule drop;
  drop.kind = card::DamageKind::kDrop;
  drop.match = card::DamageMatch::kFlow;
  drop.flow = 5;  // the stream from host 5
  drop.first = 10;
  drop.times = 3;
  spec.damage = {{5, card::DamageDirection::kSent, drop}};
  std::map<bool, std::uint64_t> captured;
  TrialHooks hooks;
  hooks.captured = [&](const card::CapturedFrame& frame) { ++captured[frame.sent]; };
  const TrialResult seen = sharedCard().run(spec, hooks);
  ASSERT_THAT(seen.faults, IsEmpty());
  for (std::uint32_t host = 0; host < 8; ++host) {
    EXPECT_EQ(seen.streams[host].lost, host == 5 ? 3U : 0U) << host;
    EXPECT_EQ(seen.ports[host].damage_sent.has_value(), host == 5) << host;
  }
  EXPECT_EQ(seen.ports[5].damage_sent->counters.dropped, 3U);
  EXPECT_EQ(captured[true], seen.streams[6].sent_frames);
  EXPECT_EQ(captured[false], seen.streams[2].received_frames);
}

TEST(RtlCards, FourCardsAreTheMost) {
  TrialSpec spec = acrossCards();
  const std::uint32_t ports = sharedCard().capabilities().max_ports;
  spec.dut.topology.hosts = ports + 1;
  spec.streams.clear();
  for (std::uint32_t host = 0; host <= ports; ++host) {
    StreamSpec stream = streamToHost1(512, Fraction::percent(1));
    stream.from = host;
    stream.to = (host + 1) % (ports + 1);
    spec.streams.push_back(stream);
  }
  EXPECT_THAT(RtlBench().refusals(spec),
              ElementsAre(HasSubstr("the bench has " + std::to_string(ports) + " ports")));
}

}  // namespace
}  // namespace plumbline::bench
