// Packet trimming: which frames, to what, where to, and how many.
#include <gtest/gtest.h>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::int64_t kTrimmableLength = 4'096;

TrimSpec trimSpec(std::int64_t threshold, std::int64_t limit) {
  TrimSpec trim;
  trim.threshold = Bytes(threshold);
  trim.keep = Bytes(96);
  trim.priority = 5;
  trim.limit = Bytes(limit);
  return trim;
}

// `senders` hosts send one trimmable frame each at the same instant to the last host.
ListFabric& addIncast(ListFabric& fabric, std::uint32_t senders, HostId to) {
  for (HostId from = 0; from < senders; ++from) {
    Packet packet = frame(from, to, kTrimmableLength, 1);
    packet.trimmable = true;
    packet.psn = from;
    fabric.host(from).add(packet, Picoseconds(0));
  }
  return fabric;
}

TEST(Trimming, FramesBehindAFullQueueAreCutAndGoFirst) {
  FabricSpec spec;
  spec.topology.hosts = 21;
  spec.switches.trim = trimSpec(10 * kTrimmableLength, 100'000);
  ListFabric fabric(spec);
  addIncast(fabric, 20, 20).drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  // Ten frames are exactly the threshold; the other ten are cut.
  const auto& arrivals = fabric.host(20).arrivals();
  ASSERT_EQ(arrivals.size(), 20U);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const Packet& packet = arrivals[i].packet;
    const bool cut = i < 10;  // they overtake: nothing had started when they were cut
    EXPECT_EQ(packet.trimmed, cut) << i;
    EXPECT_EQ(packet.trimmed_last_hop, cut) << i;
    EXPECT_EQ(packet.length, cut ? 96 : kTrimmableLength) << i;
    EXPECT_EQ(packet.priority, cut ? 5 : 1) << i;
    EXPECT_EQ(packet.psn, cut ? 10 + i : i - 10) << i;
  }
  EXPECT_EQ(totalCounters(*fabric).trimmed, 10U);
  const auto trims = fabric.log().of(RecordKind::kTrim);
  ASSERT_EQ(trims.size(), 10U);
  for (const Record& one : trims) EXPECT_EQ(one.value, 10 * kTrimmableLength);
}

TEST(Trimming, TheQueueOfTrimmedFramesHasALimit) {
  FabricSpec spec;
  spec.topology.hosts = 21;
  spec.switches.trim = trimSpec(10 * kTrimmableLength, std::int64_t{4} * 96);
  ListFabric fabric(spec);
  addIncast(fabric, 20, 20).drain();
  fabric.expectConserved();
  EXPECT_EQ(fabric.host(20).arrivals().size(), 14U);
  const LinkCounters total = totalCounters(*fabric);
  EXPECT_EQ(total.trimmed, 10U);
  EXPECT_EQ(total.dropped(), 6U);
  EXPECT_EQ(total.drops[static_cast<unsigned>(DropReason::kTrimmedFull)], 6U);
}

TEST(Trimming, AFrameThatMayNotBeTrimmedHasTheWholeBuffer) {
  FabricSpec spec;
  spec.topology.hosts = 21;
  spec.switches.buffer_per_port = Bytes(15 * kTrimmableLength);
  spec.switches.trim = trimSpec(10 * kTrimmableLength, 100'000);
  ListFabric fabric(spec);
  for (HostId from = 0; from < 20; ++from) {
    fabric.host(from).add(frame(from, 20, kTrimmableLength, 1), Picoseconds(0));
  }
  fabric.drain();
  fabric.expectConserved();
  EXPECT_EQ(fabric.host(20).arrivals().size(), 15U);
  EXPECT_EQ(totalCounters(*fabric).drops[static_cast<unsigned>(DropReason::kBufferFull)], 5U);
  EXPECT_EQ(totalCounters(*fabric).trimmed, 0U);
}

TEST(Trimming, InFrontOfAnotherSwitchItIsNotTheLastHop) {
  GraphBuilder graph(9, 2);
  for (int host = 0; host < 8; ++host) {
    graph.cable("h" + std::to_string(host), "s0", gigabitsPerSecond(100), nanoseconds(50));
  }
  graph.cable("h8", "s1", gigabitsPerSecond(100), nanoseconds(50));
  graph.cable("s0", "s1", gigabitsPerSecond(100), nanoseconds(250));
  FabricSpec spec = graph.spec();
  spec.switches.trim = trimSpec(2 * kTrimmableLength, 100'000);
  ListFabric fabric(spec);
  addIncast(fabric, 8, 8).drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  std::uint32_t trimmed = 0;
  for (const auto& one : fabric.host(8).arrivals()) {
    trimmed += one.packet.trimmed ? 1 : 0;
    EXPECT_FALSE(one.packet.trimmed_last_hop);
    EXPECT_EQ(one.packet.hops, 2U);
  }
  EXPECT_EQ(trimmed, 6U);
}

}  // namespace
}  // namespace plumbline::fabric::testing
