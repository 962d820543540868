// 32 hosts send 16 MiB each to one at the same instant: completion times and losses.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using transport::RoceSpec;
using transport::UetCongestionControl;
using transport::UetSpec;

constexpr std::uint32_t kSenders = 32;
constexpr std::uint64_t kBytes = 16U << 20;
constexpr BitRate kLinkRate = gigabitsPerSecond(400);
// Payload alone at line rate: 32 x 16 MiB at 400 Gb/s. Headers and gaps add 2 to 4 %.
constexpr double kPayloadMs = 10.737;

// 128 hosts; the senders sit on all leaves but the receiver's in turn.
TrialSpec incast() {
  TrialSpec spec;
  spec.dut = leafSpine(8, 16, 16, kLinkRate, microseconds(1));
  std::vector<HostId> senders;
  for (std::uint32_t i = 0; i < kSenders; ++i) senders.push_back(16 * (1 + i % 7) + i / 7);
  spec.workload.emplace();
  spec.workload->jobs = {messagesTo(0, senders, kBytes, 1)};
  return spec;
}

TrialSpec uetIncast(UetCongestionControl control) {
  TrialSpec spec = incast();
  spec.dut.switches.trim = fabric::TrimSpec{.threshold = Bytes(600'000), .limit = Bytes(200'000)};
  spec.dut.switches.ecn = {
      {.kmin = Bytes(120'000), .kmax = Bytes(480'000), .pmax = Fraction::one()}};
  UetSpec uet;
  uet.congestion_control = control;
  spec.transport = uet;
  return spec;
}

// When each flow had its last byte acknowledged.
struct Finish {
  double first_ms = 0;
  double last_ms = 0;
};

Finish finishOf(Stack& stack) {
  const auto& times = stack.job(0).total.message_time;
  EXPECT_EQ(times.count(), kSenders);
  return {static_cast<double>(times.minimum()) / 1e9, static_cast<double>(times.maximum()) / 1e9};
}

TEST(Incast, ReceiverCreditFinishesAllFlowsTogether) {
  Stack stack(uetIncast(UetCongestionControl::kRccc));
  stack.run(milliseconds(100));
  stack.expectFinished();
  const Finish finish = finishOf(stack);
  RecordProperty("first_us", static_cast<int>(finish.first_ms * 1000));
  RecordProperty("last_us", static_cast<int>(finish.last_ms * 1000));
  EXPECT_LE(finish.last_ms, finish.first_ms * 1.01);
  EXPECT_GE(finish.first_ms, kPayloadMs);
  EXPECT_LE(finish.last_ms, kPayloadMs * 1.05);
}

// NSCC lets flows finish one after the other; the receiver's link is never idle for long, so the
// last one ends when the payload has crossed it. Another simulator's flows ended between 7.4 and
// 10.9 ms.
TEST(Incast, NsccKeepsTheReceiversLinkBusy) {
  Stack stack(uetIncast(UetCongestionControl::kNscc));
  stack.run(milliseconds(100));
  stack.expectFinished();
  const Finish finish = finishOf(stack);
  RecordProperty("first_us", static_cast<int>(finish.first_ms * 1000));
  RecordProperty("last_us", static_cast<int>(finish.last_ms * 1000));
  EXPECT_GE(finish.last_ms, kPayloadMs);
  EXPECT_LE(finish.last_ms, kPayloadMs * 1.05);
  EXPECT_GE(finish.first_ms, 7.4);
}

// Swift holds the delay at a target, so that the receiver's link is busy, the flows share it and
// the queue stays near what the target allows: 32 windows of one round trip, less what the link
// holds.
TEST(Incast, SwiftKeepsTheQueueAtItsTarget) {
  TrialSpec spec = uetIncast(UetCongestionControl::kSwift);
  spec.dut.switches.ecn.clear();  // it uses delay only
  Stack stack(spec);
  stack.run(milliseconds(100));
  stack.expectFinished();
  const Finish finish = finishOf(stack);
  EXPECT_GE(finish.last_ms, kPayloadMs);
  EXPECT_LE(finish.last_ms, kPayloadMs * 1.05);
  EXPECT_GE(finish.first_ms, 0.8 * finish.last_ms);
}

TrialSpec roceIncast() {
  TrialSpec spec = incast();
  spec.transport = RoceSpec{};
  spec.dut.switches.shared_buffer = fabric::SharedBufferSpec{.total = Bytes(64'000'000)};
  return spec;
}

// Two flights of 1 us at 400 Gb/s, 600 ns in the switch, a frame at either end.
constexpr Bytes kHeadroom{160'000};

TEST(Incast, PfcLosesNothing) {
  TrialSpec spec = roceIncast();
  fabric::PfcSpec pfc;
  pfc.xoff = Bytes(200'000);
  pfc.xon = Bytes(197'000);
  pfc.headroom = kHeadroom;
  spec.dut.switches.pfc = pfc;
  Stack stack(spec);
  const Account account = stack.run(milliseconds(100));
  stack.expectFinished();
  const Finish finish = finishOf(stack);
  RecordProperty("first_us", static_cast<int>(finish.first_ms * 1000));
  RecordProperty("last_us", static_cast<int>(finish.last_ms * 1000));
  EXPECT_EQ(account.dropped, 0U);
  EXPECT_GT(account.total.pauses, 0U);
  EXPECT_EQ(account.endpoints.retransmitted, 0U);
  EXPECT_LE(finish.last_ms, kPayloadMs * 1.05);
}

TEST(Incast, CreditsLoseNothingAndPauseNobody) {
  TrialSpec spec = roceIncast();
  // A round trip of 2.9 us at 400 Gb/s is 145 KB, and 64 B of every update are not there at once.
  spec.dut.switches.cbfc = fabric::CbfcSpec{.credits = 2'048};
  Stack stack(spec);
  const Account account = stack.run(milliseconds(100));
  stack.expectFinished();
  const Finish finish = finishOf(stack);
  RecordProperty("last_us", static_cast<int>(finish.last_ms * 1000));
  EXPECT_EQ(account.dropped, 0U);
  EXPECT_EQ(account.total.pauses, 0U);
  EXPECT_EQ(account.endpoints.retransmitted, 0U);
  EXPECT_LE(finish.last_ms, kPayloadMs * 1.05);
}

// The case that the two above prevent.
TEST(Incast, WithoutFlowControlFramesAreLostAndSentAgain) {
  TrialSpec spec = roceIncast();
  spec.dut.switches.shared_buffer = fabric::SharedBufferSpec{.total = Bytes(8'000'000)};
  RoceSpec roce;
  roce.dcqcn = transport::DcqcnSpec::hpcc();
  roce.dcqcn.enabled = true;
  roce.ack_timeout = RoceSpec::localAckTimeout(6);
  spec.transport = roce;
  spec.dut.switches.ecn = {{.kmin = Bytes(400'000), .kmax = Bytes(1'600'000)}};
  Stack stack(spec);
  const Account account = stack.run(milliseconds(400));
  stack.expectFinished();
  EXPECT_GT(account.total.drops[static_cast<std::size_t>(fabric::DropReason::kBufferFull)], 0U);
  EXPECT_EQ(account.total.drops[static_cast<std::size_t>(fabric::DropReason::kBufferFull)],
            account.dropped);
  EXPECT_GT(account.endpoints.retransmitted, 0U);
}

}  // namespace
}  // namespace plumbline::sim::testing
