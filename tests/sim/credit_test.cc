// Receiver credit on an idle lossless fabric: hosts that send to several others at once keep their
// wires busy, and no timer decides when they end.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/sim/base_rtt.h"
#include "tests/sim/stack.h"
#include "transport/uet/uet_spec.h"
#include "transport/uet/uet_wire.h"

namespace plumbline::sim::testing {
namespace {

using transport::UetCongestionControl;
using transport::UetService;
using transport::UetSpec;
using workload::CollectiveKind;
using workload::JobSpec;

constexpr BitRate kCreditLinks = gigabitsPerSecond(100);
constexpr Picoseconds kCreditDelay = nanoseconds(100);

TrialSpec creditTrial(std::uint32_t hosts, const JobSpec& job, const UetSpec& uet) {
  TrialSpec spec;
  spec.dut = oneSwitch(hosts, kCreditLinks, kCreditDelay);
  spec.dut.switches.latency = nanoseconds(600);
  spec.dut.switches.buffer_per_port = Bytes(10'000'000);
  spec.workload.emplace();
  spec.workload->jobs = {job};
  UetSpec with_rtt = uet;
  with_rtt.base_rtt = bench::idleRoundTrip(spec.dut, spec.workload, uet);
  spec.transport = with_rtt;
  return spec;
}

// From the job's begin to the completion of its last message.
Picoseconds timeOf(const TrialSpec& spec) {
  Stack stack(spec);
  const Account account = stack.run(seconds(1));
  stack.expectFinished();
  EXPECT_EQ(account.dropped + account.inside, 0U);
  EXPECT_EQ(account.endpoints.retransmitted + account.endpoints.timeouts, 0U);
  const workload::JobResult& job = stack.job(0);
  if (!job.iterations.empty()) return job.iterations.at(0).duration();
  return Picoseconds(static_cast<std::int64_t>(job.total.message_time.maximum()));
}

std::vector<UetSpec> creditSpecs() {
  std::vector<UetSpec> specs;
  for (const UetService service : {UetService::kRod, UetService::kRud}) {
    for (const UetCongestionControl control :
         {UetCongestionControl::kRccc, UetCongestionControl::kNsccRccc}) {
      UetSpec& spec = specs.emplace_back();
      spec.service = service;
      spec.congestion_control = control;
    }
  }
  return specs;
}

// How long the data frames of `messages` messages of `bytes` each need on a wire.
Picoseconds onWire(const UetSpec& uet, std::uint32_t messages, std::uint64_t bytes) {
  const std::uint64_t full = (bytes - 1) / uet.mtu_payload;
  const auto frame = [&uet](std::uint64_t payload) {
    return 20U + transport::frameBytes(uet, transport::dataType(uet), transport::kSesStandard,
                                       static_cast<std::uint16_t>(payload));
  };
  const std::uint64_t each = full * frame(uet.mtu_payload) + frame(bytes - full * uet.mtu_payload);
  return serializationTime(Bytes(static_cast<std::int64_t>(messages * each)), kCreditLinks);
}

// `busy`: how long the busiest wire needs for its data. The receivers give 99 % of their links in
// nominal bytes, of which a frame has 4 more on the wire; requests and credits share the wires with
// data: 104 of 4242 byte times at most for each. One round trip is idle between the first window
// and the credit for the second.
void expectBusyWire(std::uint32_t hosts, const JobSpec& job, const UetSpec& uet, Picoseconds busy) {
  const TrialSpec spec = creditTrial(hosts, job, uet);
  const Picoseconds base_rtt = std::get<UetSpec>(*spec.transport).base_rtt;
  const Picoseconds time = timeOf(spec);
  EXPECT_GE(time, busy);
  EXPECT_LE(time.toSeconds(), busy.toSeconds() * 1.035 + 3 * base_rtt.toSeconds());
  for (const Picoseconds rto : {microseconds(200), milliseconds(10)}) {
    UetSpec other = uet;
    other.rto = rto;
    EXPECT_EQ(timeOf(creditTrial(hosts, job, other)), time) << rto.count();
  }
}

TEST(Credit, OneSourceOfSeveralDestinationsKeepsItsWireBusy) {
  for (const UetSpec& uet : creditSpecs()) {
    for (const std::uint32_t destinations : {1U, 2U, 3U, 8U}) {
      for (const std::uint64_t bytes : {1U, 4097U, 100'003U, 250'000U, 262'144U}) {
        SCOPED_TRACE(std::to_string(destinations) + " x " + std::to_string(bytes));
        std::vector<std::pair<HostId, HostId>> pairs;
        for (std::uint32_t i = 1; i <= destinations; ++i) pairs.emplace_back(0, i);
        expectBusyWire(9, messagesBetween(pairs, bytes, 1), uet, onWire(uet, destinations, bytes));
      }
    }
  }
}

TEST(Credit, AllToAllKeepsAllWiresBusy) {
  for (const UetSpec& uet : creditSpecs()) {
    for (const std::uint32_t ranks : {4U, 8U, 16U}) {
      for (const std::uint64_t bytes : {100'003U, 1'000'000U, 1'048'576U}) {
        SCOPED_TRACE(std::to_string(ranks) + ": " + std::to_string(bytes));
        workload::CollectiveSpec all_to_all;
        all_to_all.kind = CollectiveKind::kAllToAll;
        all_to_all.algorithm = workload::Algorithm::kLinearShift;
        all_to_all.bytes = bytes;
        expectBusyWire(ranks, collective("all", hostsFrom(0, ranks), all_to_all), uet,
                       onWire(uet, ranks - 1, bytes / ranks));
      }
    }
  }
}

// Tokens of 7408 and 14336 bytes to some of the others, who have unequal loads. Without receiver
// credit the wire of the busiest rank is busy too.
TEST(Credit, ExpertsGetTheirTokensAsSoonAsWithoutIt) {
  JobSpec job;
  job.name = "moe";
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = hostsFrom(0, 8);
  workload::MoeProgram moe;
  moe.tokens = 128;
  moe.experts = 16;
  moe.top_k = 2;
  moe.ranks_per_server = 1;
  job.program = moe;
  for (const UetSpec& uet : creditSpecs()) {
    UetSpec nscc = uet;
    nscc.congestion_control = UetCongestionControl::kNscc;
    const Picoseconds time = timeOf(creditTrial(8, job, uet));
    EXPECT_LE(time.toSeconds(), 1.1 * timeOf(creditTrial(8, job, nscc)).toSeconds());
    for (const Picoseconds rto : {microseconds(200), milliseconds(10)}) {
      UetSpec other = uet;
      other.rto = rto;
      EXPECT_EQ(timeOf(creditTrial(8, job, other)), time) << rto.count();
    }
  }
}

// Host 0 also sends to a busy receiver. That must not keep it from what its wire has left.
TEST(Credit, ABusyDestinationDoesNotHoldUpAnIdleOne) {
  constexpr std::uint64_t kBytes = 2'000'000;
  for (const UetSpec& uet : creditSpecs()) {
    std::vector<std::pair<HostId, HostId>> pairs = {{0, 1}};
    for (HostId sender = 3; sender < 11; ++sender) pairs.emplace_back(sender, 1);
    TrialSpec spec = creditTrial(11, messagesBetween(pairs, kBytes, 1), uet);
    JobSpec idle = messagesBetween({{0, 2}}, kBytes, 1);
    idle.name = "idle";
    spec.workload->jobs.push_back(idle);
    Stack stack(spec);
    stack.run(seconds(1));
    stack.expectFinished();
    // Eight of nine parts of its wire are left.
    const double time = static_cast<double>(stack.job(1).total.message_time.maximum()) / 1e12;
    EXPECT_LE(time, onWire(uet, 1, kBytes).toSeconds() * 9 / 8 * 1.05 + 20e-6);
    EXPECT_GE(time, onWire(uet, 1, kBytes).toSeconds());
  }
}

}  // namespace
}  // namespace plumbline::sim::testing
