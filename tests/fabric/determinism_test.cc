// The same input gives the same output, whatever the caller's rhythm.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

FabricSpec busySpec(Forwarding mode) {
  FabricSpec spec = closSpec(3, 2, 4);
  spec.switches.buffer_per_port = Bytes(20'000);
  spec.switches.forwarding = mode;
  spec.impairments = {{ImpairmentKind::kDelay, 0, 10, microseconds(3)},
                      {ImpairmentKind::kDuplicate, 0, 13, {}},
                      {ImpairmentKind::kDrop, 1, 7, {}},
                      {ImpairmentKind::kDelay, 5, 0, nanoseconds(1)},
                      {ImpairmentKind::kDuplicate, 5, 3, {}},
                      {ImpairmentKind::kDelay, 5, 4, nanoseconds(300)}};
  return spec;
}

// Sends each frame as late as the contract allows, in steps of one event.
Log runAsLateAsPossible(const FabricSpec& spec, const std::vector<Sending>& traffic) {
  Fabric fabric(spec);
  Log log;
  log.watch(fabric);
  for (const Sending& one : traffic) {
    Picoseconds effect = one.first_bit + spec.topology.host_link_delay;
    effect += spec.switches.forwarding == Forwarding::kStoreAndForward
                  ? bytesTime(one.packet.length)
                  : spec.switches.latency;
    const Picoseconds last_moment = effect - Picoseconds(1);
    while (fabric.nextEvent() && *fabric.nextEvent() <= last_moment) {
      fabric.runUntil(*fabric.nextEvent());
    }
    if (last_moment > fabric.now()) fabric.runUntil(last_moment);
    fabric.send(one.from, one.packet, one.first_bit);
  }
  drain(fabric);
  return log;
}

// Sends ahead and runs in steps of random length.
Log runInRandomSteps(const FabricSpec& spec, const std::vector<Sending>& traffic,
                     std::uint64_t seed) {
  Fabric fabric(spec);
  Log log;
  log.watch(fabric);
  RandomStream random(seed, "steps");
  std::size_t next = 0;
  while (next < traffic.size() || fabric.nextEvent()) {
    const auto step = static_cast<std::int64_t>(random.below(2'000'000));
    while (next < traffic.size() && traffic[next].first_bit <= fabric.now() + Picoseconds(step)) {
      fabric.send(traffic[next].from, traffic[next].packet, traffic[next].first_bit);
      ++next;
    }
    fabric.runUntil(fabric.now() + Picoseconds(step));
  }
  return log;
}

class Determinism : public ::testing::TestWithParam<Forwarding> {};

TEST_P(Determinism, CallersRhythmDoesNotMatter) {
  const FabricSpec spec = busySpec(GetParam());
  std::vector<Sending> traffic = randomTraffic(spec.hostCount(), 500, 85, 21);
  // The latest moment to send depends on the frame's length; the caller below needs that order.
  std::stable_sort(traffic.begin(), traffic.end(), [&](const Sending& a, const Sending& b) {
    const bool store = GetParam() == Forwarding::kStoreAndForward;
    return a.first_bit + bytesTime(store ? a.packet.length : 0) <
           b.first_bit + bytesTime(store ? b.packet.length : 0);
  });
  const Log ahead = runAll(spec, traffic);
  EXPECT_GT(ahead.losses.size(), 10U);
  EXPECT_EQ(runAll(spec, traffic), ahead);
  EXPECT_EQ(runAsLateAsPossible(spec, traffic), ahead);

  std::stable_sort(traffic.begin(), traffic.end(),
                   [](const Sending& a, const Sending& b) { return a.first_bit < b.first_bit; });
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
    EXPECT_EQ(runInRandomSteps(spec, traffic, seed), ahead);
  }
}

// Hosts may be served in any order; only the order per host counts.
TEST_P(Determinism, OrderOfHostsDoesNotMatter) {
  const FabricSpec spec = busySpec(GetParam());
  std::vector<Sending> traffic = randomTraffic(spec.hostCount(), 300, 85, 4);
  const Log by_time = runAll(spec, traffic);
  std::stable_sort(traffic.begin(), traffic.end(),
                   [](const Sending& a, const Sending& b) { return a.from > b.from; });
  EXPECT_EQ(runAll(spec, traffic), by_time);
}

INSTANTIATE_TEST_SUITE_P(Modes, Determinism,
                         ::testing::Values(Forwarding::kStoreAndForward, Forwarding::kCutThrough),
                         [](const auto& info) {
                           return info.param == Forwarding::kCutThrough ? "CutThrough"
                                                                        : "StoreAndForward";
                         });

TEST(Observers, CannotAlterAnything) {
  const FabricSpec spec = busySpec(Forwarding::kStoreAndForward);
  const auto traffic = randomTraffic(spec.hostCount(), 300, 85, 8);
  Fabric watched(spec);
  const Log log = runAll(watched, traffic);
  Fabric alone(spec);
  for (const Sending& one : traffic) alone.send(one.from, one.packet, one.first_bit);
  drain(alone);
  ASSERT_EQ(watched.counters().size(), alone.counters().size());
  std::uint64_t delivered = 0;
  for (std::size_t i = 0; i < alone.counters().size(); ++i) {
    const PortCounters a = alone.counters()[i];
    const PortCounters w = watched.counters()[i];
    EXPECT_EQ(a.packets, w.packets);
    EXPECT_EQ(a.drops, w.drops);
    EXPECT_EQ(a.max_queue_bytes, w.max_queue_bytes);
    if (a.node < 3 && a.port < 4) delivered += a.packets;
  }
  EXPECT_EQ(delivered, log.deliveries.size());
}

// An endpoint that answers from within its observer.
TEST(Observers, MaySendButNotRun) {
  Fabric fabric(switchSpec(2));
  std::vector<Picoseconds> arrivals;
  fabric.onDeliver([&](HostId to, const Packet& packet, Picoseconds time) {
    EXPECT_EQ(fabric.now(), time);
    EXPECT_THROW(fabric.runUntil(time), Error);
    arrivals.push_back(time);
    if (arrivals.size() < 5) fabric.send(to, packetTo(to, 1 - to, packet.length), time);
  });
  fabric.send(0, packetTo(0, 1, 100), Picoseconds(0));
  fabric.runUntil(microseconds(100));
  ASSERT_EQ(arrivals.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(arrivals[i],
              static_cast<std::int64_t>(i + 1) * fabric.unloadedLatency(0, 1, Bytes(100)));
  }
  EXPECT_EQ(fabric.now(), microseconds(100));
}

TEST(Time, RunUntilIsInclusiveAndNeverGoesBack) {
  Fabric fabric(linkSpec());
  Log log;
  log.watch(fabric);
  EXPECT_FALSE(fabric.nextEvent().has_value());
  fabric.send(0, packetTo(0, 1, 64), nanoseconds(10));
  ASSERT_TRUE(fabric.nextEvent().has_value());
  EXPECT_EQ(*fabric.nextEvent(), nanoseconds(60));
  fabric.runUntil(nanoseconds(60) - Picoseconds(1));
  EXPECT_EQ(log.deliveries.size(), 0U);
  fabric.runUntil(nanoseconds(60));
  EXPECT_EQ(log.deliveries.size(), 1U);
  EXPECT_EQ(fabric.now(), nanoseconds(60));
  EXPECT_THROW(fabric.runUntil(nanoseconds(59)), Error);
}

}  // namespace
}  // namespace plumbline::fabric::testing
