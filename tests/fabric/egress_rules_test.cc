// Admission, trimming and marking at an egress queue, by the equations of docs/model/switch.md.
#include "fabric/switch/egress_rules.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::int64_t kKmin = 100'000;
constexpr std::int64_t kKmax = 400'000;

SwitchSpec markingSpec(bool at_dequeue) {
  SwitchSpec spec;
  EcnSpec ecn;
  ecn.kmin = Bytes(kKmin);
  ecn.kmax = Bytes(kKmax);
  ecn.pmax = Fraction::percent(20);
  ecn.at_dequeue = at_dequeue;
  spec.ecn = {ecn};
  return spec;
}

Packet ectPacket() {
  Packet packet;
  packet.length = 1000;
  packet.ect = true;
  return packet;
}

// RED: p = pmax (q - kmin) / (kmax - kmin). Of evenly spaced random numbers, the share p is marked.
TEST(EgressRules, MarksWithTheProbabilityOfRed) {
  const EgressRules rules(markingSpec(false));
  constexpr std::uint64_t kDraws = 10'000;
  for (const std::int64_t depth : {kKmin + 1, kKmin + 75'000, kKmin + 150'000, kKmax}) {
    std::uint64_t marked = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const std::uint64_t random = i * (UINT64_MAX / kDraws);
      marked += std::uint64_t{rules.marks(0, depth, [&] { return random; })};
    }
    const double expected = 0.2 * static_cast<double>(depth - kKmin) / (kKmax - kKmin);
    EXPECT_NEAR(static_cast<double>(marked) / kDraws, expected, 1.0 / kDraws) << depth;
  }
}

TEST(EgressRules, MarksEveryFrameAboveKmaxWithoutARandomNumber) {
  const EgressRules rules(markingSpec(false));
  int draws = 0;
  EXPECT_TRUE(rules.marks(0, kKmax + 1, [&] { return std::uint64_t(++draws) << 63U; }));
  EXPECT_EQ(draws, 0);
}

// Up to kmin no frame is tested, and only ECT frames without a mark are, at one place.
TEST(EgressRules, TestsEctFramesAboveKminAtOnePlace) {
  for (const bool at_dequeue : {false, true}) {
    const EgressRules rules(markingSpec(at_dequeue));
    Packet packet = ectPacket();
    EXPECT_EQ(rules.testsAtEnqueue(packet, kKmin + 1), !at_dequeue);
    EXPECT_EQ(rules.testsAtDequeue(packet, kKmin + 1), at_dequeue);
    EXPECT_FALSE(rules.testsAtEnqueue(packet, kKmin) || rules.testsAtDequeue(packet, kKmin));
    packet.ce = true;
    EXPECT_FALSE(rules.testsAtEnqueue(packet, kKmax) || rules.testsAtDequeue(packet, kKmax));
    packet.ce = packet.ect = false;
    EXPECT_FALSE(rules.testsAtEnqueue(packet, kKmax) || rules.testsAtDequeue(packet, kKmax));
  }
}

// A frame is queued unchanged if its queue, itself included, is within the limit of its kind.
TEST(EgressRules, LimitsQueuesByKindOfFrame) {
  SwitchSpec spec;
  spec.trim.emplace();
  spec.trim->threshold = Bytes(50'000);
  spec.trim->limit = Bytes(20'000);
  const EgressRules rules(spec);
  Packet packet = ectPacket();  // 1000 bytes
  EXPECT_TRUE(rules.admits(packet, 1'000'000'000, true));
  EXPECT_FALSE(rules.admits(packet, 0, false));
  packet.trimmable = true;
  EXPECT_TRUE(rules.admits(packet, 49'000, true));
  EXPECT_FALSE(rules.admits(packet, 49'001, true));
  for (const bool trimmable : {false, true}) {
    packet.trimmable = trimmable;
    packet.trimmed = true;
    EXPECT_TRUE(rules.admits(packet, 19'000, true));
    EXPECT_FALSE(rules.admits(packet, 19'001, true));
    EXPECT_FALSE(rules.mayTrim(packet));
  }
}

TEST(EgressRules, TrimmingCutsMarksAndMovesAFrame) {
  SwitchSpec spec;
  spec.trim.emplace();
  spec.trim->keep = Bytes(64);
  spec.trim->priority = 6;
  const EgressRules rules(spec);
  Packet packet = ectPacket();
  packet.trimmable = true;
  ASSERT_TRUE(rules.mayTrim(packet));
  rules.trim(packet, true);
  EXPECT_EQ(packet.length, 64);
  EXPECT_EQ(packet.priority, 6);
  EXPECT_TRUE(packet.trimmed && packet.trimmed_last_hop);
  EXPECT_FALSE(EgressRules(SwitchSpec{}).mayTrim(ectPacket()));
}

}  // namespace
}  // namespace plumbline::fabric::testing
