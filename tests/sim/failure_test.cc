// Links that fail while hosts depend on them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

using fabric::DropReason;
using fabric::Observer;
using fabric::Record;
using fabric::RecordKind;

constexpr Picoseconds kDown = microseconds(300);
// Of a frame of 1024 bytes, until its last bit has arrived.
constexpr Picoseconds kFlight = nanoseconds(500 + 82);
constexpr Picoseconds kConvergence = microseconds(100);

// Times of drops, and of departures into one link.
class FailureLog final : public Observer {
 public:
  explicit FailureLog(fabric::LinkId link) : link_(link) {}

  [[nodiscard]] std::uint32_t interests() const override {
    return bit(RecordKind::kDrop) | bit(RecordKind::kDeparture);
  }
  void onRecord(const Record& record) override {
    if (record.kind == RecordKind::kDrop) {
      drops.push_back(record);
    } else if (record.link == link_) {
      departures.push_back(record.time);
    }
  }

  std::vector<Record> drops;
  std::vector<Picoseconds> departures;

 private:
  fabric::LinkId link_;
};

// Four hosts on each of two leaves, two spines; the cable from leaf 0 to spine 0 fails.
TrialSpec failing() {
  TrialSpec spec;
  spec.dut = leafSpine(2, 2, 4, gigabitsPerSecond(100), nanoseconds(500));
  spec.dut.switches.shared_buffer = fabric::SharedBufferSpec{};
  spec.dut.switches.pfc = fabric::PfcSpec{};
  spec.dut.convergence = kConvergence;
  spec.dut.failures.push_back({"leaf0-spine0", kDown, {}});
  return spec;
}

// Every rank's neighbours are on the other leaf.
workload::JobSpec ringAcross() {
  workload::CollectiveSpec ring;
  ring.bytes = 8U << 20;
  return collective("ring", {0, 4, 1, 5, 2, 6, 3, 7}, ring);
}

// Traffic at half of the remaining rate: nothing is queued, so each frame's fate shows the switch's
// routing at its arrival.
TEST(Failure, TrafficTakesAnotherWayWhenTheSwitchesHaveConverged) {
  TrialSpec spec = failing();
  spec.duration = microseconds(800);
  for (HostId host = 0; host < 4; ++host) {
    bench::StreamSpec stream;
    stream.name = "stream";
    stream.from = host;
    stream.to = 4 + host;
    stream.format.qps = 64;
    stream.frame = Bytes(1'024);
    stream.load = bench::ConstantLoad{Fraction::percent(10)};
    spec.streams.push_back(stream);
  }
  Stack stack(spec);
  FailureLog log(stack.fabric().topology().requireLink("leaf0-spine0", "test"));
  stack.fabric().observe(log);
  const Account account = stack.run(milliseconds(10));
  ASSERT_FALSE(log.drops.empty());
  for (const Record& drop : log.drops) {
    EXPECT_EQ(drop.reason, DropReason::kLinkDown);
    // The record is of the frame's departure: it was still on the wire when the cable failed.
    EXPECT_GE(drop.time, kDown - kFlight);
    EXPECT_LE(drop.time, kDown + kConvergence);
  }
  // A frame comes every 0.2 us, and half of them go this way, by hash.
  EXPECT_GE(log.drops.back().time, kDown + kConvergence - microseconds(5));
  ASSERT_FALSE(log.departures.empty());
  EXPECT_LE(log.departures.back(), kDown + kConvergence);
  std::uint64_t lost = 0;
  for (const auto& outcome : stack.hosts().streamOutcomes()) lost += outcome.lost();
  EXPECT_EQ(lost, account.dropped);
  EXPECT_EQ(account.dropped, log.drops.size());
  EXPECT_EQ(account.total.drops[static_cast<std::size_t>(DropReason::kLinkDown)], lost);
}

struct Outcome {
  Picoseconds intact;
  Picoseconds failed;
  Account account;
};

Outcome runRing(const bench::TransportSpec& transport, std::optional<Picoseconds> up) {
  TrialSpec spec = failing();
  spec.transport = transport;
  spec.workload.emplace();
  spec.workload->jobs = {ringAcross()};
  spec.dut.failures[0].up = up;
  Outcome outcome;
  {
    Stack stack(spec);
    outcome.account = stack.run(seconds(1));
    stack.expectFinished();
    EXPECT_EQ(outcome.account.inside, 0U);
    outcome.failed = stack.job(0).completionTime();
  }
  spec.dut.failures.clear();
  Stack stack(spec);
  EXPECT_EQ(stack.run(seconds(1)).dropped, 0U);
  stack.expectFinished();
  outcome.intact = stack.job(0).completionTime();
  return outcome;
}

void expectRecovered(const Outcome& outcome) {
  const Account& account = outcome.account;
  EXPECT_GT(account.total.drops[static_cast<std::size_t>(DropReason::kLinkDown)], 0U);
  EXPECT_EQ(account.total.drops[static_cast<std::size_t>(DropReason::kLinkDown)], account.dropped);
  EXPECT_GE(account.endpoints.retransmitted, 1U);
  EXPECT_GT(outcome.failed, outcome.intact);
  EXPECT_GT(outcome.intact, kDown + kConvergence);  // the failure is in its middle
}

TEST(Failure, AllReduceOverRoceCompletes) {
  transport::RoceSpec roce;
  roce.ack_timeout = transport::RoceSpec::localAckTimeout(6);
  for (const std::optional<Picoseconds> up :
       {std::optional<Picoseconds>{}, std::optional<Picoseconds>{microseconds(700)}}) {
    const Outcome outcome = runRing(roce, up);
    expectRecovered(outcome);
    RecordProperty(up ? "flap_us" : "down_us", static_cast<int>(outcome.failed.toMicroseconds()));
    RecordProperty("intact_us", static_cast<int>(outcome.intact.toMicroseconds()));
  }
}

TEST(Failure, AllReduceOverUetCompletes) {
  transport::UetSpec uet;
  uet.base_rtt = microseconds(8);
  uet.rto = microseconds(200);
  for (const auto policy :
       {transport::UetEntropyPolicy::kOblivious, transport::UetEntropyPolicy::kReps}) {
    uet.entropy.policy = policy;
    const Outcome outcome = runRing(uet, {});
    expectRecovered(outcome);
    RecordProperty(policy == transport::UetEntropyPolicy::kReps ? "reps_us" : "oblivious_us",
                   static_cast<int>(outcome.failed.toMicroseconds()));
    RecordProperty("intact_us", static_cast<int>(outcome.intact.toMicroseconds()));
  }
}

}  // namespace
}  // namespace plumbline::sim::testing
