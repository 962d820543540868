// Pairs of runs: recovery by mechanisms in the network compared with recovery by the transports.
#include <gtest/gtest.h>

#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using fabric::DropReason;

std::uint64_t drops(const Account& account, DropReason reason) {
  return account.total.drops[static_cast<std::size_t>(reason)];
}

struct Finished {
  Account account;
  Picoseconds time;
};

Finished runToEnd(const TrialSpec& spec) {
  Stack stack(spec);
  Finished run;
  run.account = stack.run(seconds(2));
  stack.expectFinished();
  EXPECT_EQ(run.account.inside, 0U);
  const auto& job = stack.job(0);
  run.time =
      job.iterations.empty() ? job.total.last_done - job.total.first_posted : job.completionTime();
  return run;
}

// A frame of 4 KiB is damaged once in 300 on each link.
TEST(Recovery, LinkRetrySparesRoceEveryRetransmission) {
  TrialSpec spec;
  spec.dut = leafSpine(2, 2, 2, gigabitsPerSecond(100), nanoseconds(500));
  spec.dut.switches.shared_buffer = fabric::SharedBufferSpec{};
  spec.dut.switches.pfc = fabric::PfcSpec{};
  spec.dut.bit_errors = {{"*", 1e-7}};
  transport::RoceSpec roce;
  roce.ack_timeout = transport::RoceSpec::localAckTimeout(6);
  spec.transport = roce;
  spec.workload.emplace();
  workload::CollectiveSpec ring;
  ring.bytes = 16U << 20;
  spec.workload->jobs = {collective("ring", {0, 2, 1, 3}, ring)};

  const Finished without = runToEnd(spec);
  EXPECT_GT(drops(without.account, DropReason::kCorrupt), 50U);
  EXPECT_EQ(drops(without.account, DropReason::kCorrupt), without.account.dropped);
  EXPECT_EQ(without.account.total.damaged, without.account.dropped);
  EXPECT_GT(without.account.endpoints.retransmitted, without.account.dropped / 2);

  spec.dut.switches.llr = fabric::LlrSpec{};
  const Finished with = runToEnd(spec);
  EXPECT_GT(with.account.total.damaged, 50U);
  EXPECT_GT(with.account.total.retries, 50U);
  EXPECT_EQ(with.account.dropped, 0U);
  EXPECT_EQ(with.account.endpoints.retransmitted, 0U);
  EXPECT_EQ(with.account.endpoints.timeouts, 0U);
  EXPECT_LT(with.time, without.time);
  RecordProperty("retransmitted_without",
                 static_cast<int>(without.account.endpoints.retransmitted));
  RecordProperty("us_without", static_cast<int>(without.time.toMicroseconds()));
  RecordProperty("us_with", static_cast<int>(with.time.toMicroseconds()));
}

// 16 hosts over 8 uplinks of their own rate: until congestion control reacts, half of the traffic
// is lost.
TEST(Recovery, TrimmingTellsAtOnceWhatDropsLeaveToTimeouts) {
  TrialSpec spec;
  spec.dut = leafSpine(2, 8, 16, gigabitsPerSecond(400), microseconds(1));
  spec.dut.switches.ecn = {
      {.kmin = Bytes(120'000), .kmax = Bytes(480'000), .pmax = Fraction::one()}};
  transport::UetSpec uet;
  uet.base_rtt = microseconds(12);
  uet.trimming = false;
  spec.transport = uet;
  spec.workload.emplace();
  std::vector<std::pair<HostId, HostId>> pairs;
  for (HostId host = 0; host < 16; ++host) pairs.emplace_back(host, 16 + host);
  spec.workload->jobs = {messagesBetween(pairs, 4U << 20, 1)};
  spec.dut.switches.buffer_per_port = Bytes(300'000);

  const Finished dropping = runToEnd(spec);
  EXPECT_GT(drops(dropping.account, DropReason::kBufferFull), 0U);
  EXPECT_GT(dropping.account.endpoints.retransmitted, 0U);
  EXPECT_EQ(dropping.account.total.trimmed, 0U);

  uet.trimming = true;
  spec.transport = uet;
  spec.dut.switches.trim = fabric::TrimSpec{.threshold = Bytes(150'000), .limit = Bytes(150'000)};
  const Finished trimming = runToEnd(spec);
  EXPECT_EQ(trimming.account.dropped, 0U);
  EXPECT_GT(trimming.account.total.trimmed, 0U);
  EXPECT_EQ(trimming.account.endpoints.trimmed_received, trimming.account.total.trimmed);
  EXPECT_GE(trimming.account.endpoints.retransmitted, trimming.account.total.trimmed);
  EXPECT_EQ(trimming.account.endpoints.timeouts, 0U);
  EXPECT_LE(trimming.time, dropping.time);
  // 2:1: at least 4 MiB at half of 400 Gb/s.
  EXPECT_GE(trimming.time, nanoseconds(167'772));
  RecordProperty("us_dropping", static_cast<int>(dropping.time.toMicroseconds()));
  RecordProperty("us_trimming", static_cast<int>(trimming.time.toMicroseconds()));
}

}  // namespace
}  // namespace plumbline::sim::testing
