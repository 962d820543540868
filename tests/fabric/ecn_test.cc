// ECN marking: thresholds, the ramp, and the decision at dequeue.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::int64_t kRoundLength = 1'000;

FabricSpec incastSpec(const EcnSpec& ecn, std::uint32_t senders) {
  FabricSpec spec;
  spec.topology.hosts = senders + 1;
  spec.switches.ecn = {ecn};
  return spec;
}

// `senders` hosts send one frame each at the same instant, `rounds` times; the i-th of them finds i
// frames in the queue.
void addRounds(ListFabric& fabric, std::uint32_t senders, std::uint32_t rounds, bool ect = true) {
  for (HostId from = 0; from < senders; ++from) {
    Packet packet = frame(from, senders, kRoundLength);
    packet.ect = ect;
    for (std::uint32_t i = 0; i < rounds; ++i) {
      fabric.host(from).add(packet, microseconds(5) * i);
    }
  }
}

EcnSpec ramp(std::int64_t kmin, std::int64_t kmax, std::int64_t percent, bool at_dequeue = false) {
  EcnSpec ecn;
  ecn.kmin = Bytes(kmin);
  ecn.kmax = Bytes(kmax);
  ecn.pmax = Fraction::percent(percent);
  ecn.at_dequeue = at_dequeue;
  return ecn;
}

TEST(Ecn, AStepIsRecoveredExactly) {
  for (const std::int64_t threshold : {0, 999, 1'000, 7'999, 8'000, 8'001}) {
    constexpr std::uint32_t kSenders = 20;
    ListFabric fabric(incastSpec(ramp(threshold, threshold, 20), kSenders));
    addRounds(fabric, kSenders, 1);
    fabric.drain();
    fabric.expectConserved();
    // Frames that find more than the threshold: i * length > threshold.
    const std::int64_t unmarked = std::min<std::int64_t>(threshold / kRoundLength + 1, kSenders);
    const auto marks = fabric.log().of(RecordKind::kMark);
    EXPECT_EQ(static_cast<std::int64_t>(marks.size()), kSenders - unmarked) << threshold;
    EXPECT_EQ(marks.front().value, unmarked * kRoundLength);
    std::int64_t ce = 0;
    for (const auto& arrival : fabric.host(kSenders).arrivals()) ce += arrival.packet.ce ? 1 : 0;
    EXPECT_EQ(ce, kSenders - unmarked);
    EXPECT_EQ(totalCounters(*fabric).marked, marks.size());
  }
}

TEST(Ecn, AtDequeueTheFramesBehindDecide) {
  constexpr std::uint32_t kSenders = 20;
  ListFabric fabric(incastSpec(ramp(5'000, 5'000, 20, true), kSenders));
  addRounds(fabric, kSenders, 1);
  fabric.drain();
  fabric.expectConserved();
  // The first leaves 19 behind it, the last none; those with more than five are marked.
  const auto& arrivals = fabric.host(kSenders).arrivals();
  ASSERT_EQ(arrivals.size(), kSenders);
  for (std::size_t i = 0; i < kSenders; ++i) {
    EXPECT_EQ(arrivals[i].packet.ce, kSenders - 1 - i > 5) << "frame " << i;
  }
}

TEST(Ecn, OnlyEctFramesAndNamedPrioritiesAreMarked) {
  constexpr std::uint32_t kSenders = 10;
  ListFabric not_ect(incastSpec(ramp(0, 0, 100), kSenders));
  addRounds(not_ect, kSenders, 1, false);
  not_ect.drain();
  EXPECT_TRUE(not_ect.log().of(RecordKind::kMark).empty());
  EcnSpec other = ramp(0, 0, 100);
  other.priorities = 0xFE;
  ListFabric not_named(incastSpec(other, kSenders));
  addRounds(not_named, kSenders, 1);
  not_named.drain();
  EXPECT_TRUE(not_named.log().of(RecordKind::kMark).empty());
}

class Ramp : public ::testing::TestWithParam<bool> {};

// At every depth between the thresholds the share of marked frames is binomial.
TEST_P(Ramp, MarksWithItsProbability) {
  constexpr std::uint32_t kSenders = 24;
  constexpr std::uint32_t kRounds = 3'000;
  constexpr std::int64_t kMin = 4'000;
  constexpr std::int64_t kMax = 20'000;
  const bool at_dequeue = GetParam();
  FabricSpec spec = incastSpec(ramp(kMin, kMax, 60, at_dequeue), kSenders);
  ListFabric fabric(spec, Observer::bit(RecordKind::kMark));
  addRounds(fabric, kSenders, kRounds);
  fabric.drain();
  fabric.expectConserved();
  std::map<std::int64_t, std::uint32_t> marked;
  for (const Record& one : fabric.log().all()) ++marked[one.value];
  for (std::int64_t i = 0; i < kSenders; ++i) {
    const std::int64_t depth = i * kRoundLength;
    double p = 0.6 * static_cast<double>(depth - kMin) / static_cast<double>(kMax - kMin);
    if (depth <= kMin) p = 0;
    if (depth > kMax) p = 1;
    // 99.9 % of a binomial, and half a frame for its steps.
    const double slack = 3.29 * std::sqrt(kRounds * p * (1 - p)) + (p > 0 && p < 1 ? 0.5 : 0);
    EXPECT_NEAR(marked[depth], kRounds * p, slack) << "depth " << depth;
  }
}

INSTANTIATE_TEST_SUITE_P(Where, Ramp, ::testing::Bool());

}  // namespace
}  // namespace plumbline::fabric::testing
