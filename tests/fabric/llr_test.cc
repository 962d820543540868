// Bit errors, and link-level retry against them.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::uint32_t kLongLength = 4'096;
constexpr Picoseconds kLongSerialization{327'680};  // at 100 Gb/s
constexpr std::uint32_t kFrames = 20'000;

// chainSpec() with bit errors between the switches.
FabricSpec noisyChain(double rate) {
  FabricSpec spec = chainSpec();
  spec.bit_errors = {{"s0-s1", rate}};
  spec.switches.buffer_per_port = Bytes(100'000'000);
  return spec;
}

void expectInOrder(ListFabric& fabric) {
  const auto& arrivals = fabric.host(1).arrivals();
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    ASSERT_LT(arrivals[i - 1].packet.psn, arrivals[i].packet.psn);
  }
}

TEST(BitErrors, WithoutRetryLossesAreBinomial) {
  for (const double rate : {1e-7, 1e-6, 1e-5}) {
    ListFabric fabric(noisyChain(rate), 0);
    fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), nanoseconds(400));
    fabric.drain();
    fabric.expectConserved();
    const double p = 1 - std::pow(1 - rate, 8.0 * kLongLength);
    const double slack = 3.29 * std::sqrt(kFrames * p * (1 - p)) + 0.5;
    const LinkCounters counters = fabric.counters("s0-s1");
    EXPECT_NEAR(static_cast<double>(counters.damaged), kFrames * p, slack) << rate;
    EXPECT_EQ(counters.drops[static_cast<unsigned>(DropReason::kCorrupt)], counters.damaged);
    EXPECT_EQ(fabric.host(1).arrivals().size(), kFrames - counters.damaged);
    expectInOrder(fabric);
  }
}

TEST(Llr, NothingIsLostAndOrderIsKept) {
  for (const double rate : {1e-6, 1e-5}) {
    FabricSpec spec = noisyChain(rate);
    spec.switches.llr = LlrSpec{};
    ListFabric fabric(spec);
    fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames);
    fabric.drain();
    EXPECT_EQ(fabric.expectConserved().dropped, 0U);
    EXPECT_EQ(fabric.host(1).arrivals().size(), kFrames);
    expectInOrder(fabric);
    const LinkCounters counters = fabric.counters("s0-s1");
    EXPECT_GT(counters.damaged, 100U);
    EXPECT_GT(counters.retries, 0U);
    EXPECT_LE(counters.retries, counters.damaged);
    // A frame behind a damaged one is not asked for by itself.
    EXPECT_GE(counters.nacks, counters.retries);
    EXPECT_LE(counters.nacks, counters.damaged);
    EXPECT_GT(counters.replayed, counters.retries);  // go-back-N
    EXPECT_EQ(counters.packets, kFrames);
    EXPECT_EQ(fabric.log().of(RecordKind::kRetry).size(), counters.retries);
    // No retry is quicker than the closed form of an isolated one.
    const LlrSpec llr;
    for (const Record& one : fabric.log().of(RecordKind::kRetry)) {
      EXPECT_GE(one.value, (2 * kChainDelay + llr.receiver_processing + llr.sender_processing +
                            kLongSerialization)
                               .count());
    }
  }
}

TEST(Llr, AnIsolatedErrorCostsARoundTripAndTheFrame) {
  LlrSpec llr;
  llr.receiver_processing = nanoseconds(130);
  llr.sender_processing = nanoseconds(70);
  FabricSpec spec = noisyChain(1e-6);
  spec.switches.llr = llr;
  ListFabric fabric(spec);
  // So far apart that the next frame comes after the retry, and after a second one as well.
  fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), microseconds(20));
  fabric.drain(milliseconds(500));
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  const Picoseconds closed_form = 2 * kChainDelay + nanoseconds(130 + 70) + kLongSerialization;
  const LinkCounters counters = fabric.counters("s0-s1");
  const auto retries = fabric.log().of(RecordKind::kRetry);
  ASSERT_GT(retries.size(), 300U);
  EXPECT_EQ(retries.size(), counters.retries);
  // A frame can be hit again in its replay, about one in thirty: two rounds, or more.
  std::size_t once = 0;
  for (const Record& one : retries) {
    EXPECT_EQ(one.value % closed_form.count(), 0);
    if (one.value == closed_form.count()) ++once;
  }
  EXPECT_GT(once, retries.size() * 9 / 10);
  EXPECT_EQ(counters.replayed, counters.damaged);
  EXPECT_EQ(counters.nacks, counters.damaged);
  // The frame arrives that much later, and no other frame is touched.
  std::size_t late = 0;
  const Picoseconds unloaded =
      nanoseconds(50 + 600 + 600 + 50) + kChainDelay + 3 * kLongSerialization;
  for (const auto& one : fabric.host(1).arrivals()) {
    const Picoseconds latency = one.time - microseconds(20) * one.packet.psn;
    if (latency == unloaded) continue;
    EXPECT_EQ((latency - unloaded).count() % closed_form.count(), 0);
    ++late;
  }
  EXPECT_EQ(late, retries.size());
}

}  // namespace
}  // namespace plumbline::fabric::testing
