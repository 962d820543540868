// The minimal simulator with which fabric_bench compares the full model: it delivers everything,
// and takes about as long (in its own time) as the full model for the same work.
#include "tests/benchmarks/minimal_fabric.h"

#include <gtest/gtest.h>

#include "tests/sim/stack.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

constexpr std::uint32_t kPackets = 512;  // 2 MiB

struct Case {
  const char* name;
  std::vector<minimal::Message> messages;
  std::uint32_t at_once;
};

std::vector<Case> cases() {
  return {{"incast", minimal::incast(32, kPackets), 1},
          {"permutation", minimal::permutation(kPackets), 1},
          {"alltoall", minimal::allToAll(8), 8},
          {"one packet each", minimal::allToAll(1), 127}};
}

// Every packet is delivered once; it was trimmed and sent again as often as it was sent before; and
// each of these is answered.
TEST(MinimalFabric, DeliversEveryPacketAndAnswersEveryOneSent) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    std::uint64_t packets = 0;
    std::uint64_t sequence_sum = 0;
    for (const minimal::Message& message : one.messages) {
      packets += message.packets;
      sequence_sum += std::uint64_t{message.packets} * (message.packets - 1) / 2;
    }
    const minimal::Outcome outcome = minimal::run(one.messages, one.at_once);
    EXPECT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.delivered, packets);
    EXPECT_EQ(outcome.sequence_sum, sequence_sum);
    EXPECT_EQ(outcome.data_sent, outcome.delivered + outcome.trimmed);
    EXPECT_EQ(outcome.answers, outcome.data_sent);
  }
}

// Two hops there and two back below a leaf, four and four across the spines, trimmed or not.
TEST(MinimalFabric, CountsAHopPerLink) {
  const minimal::Outcome across = minimal::run(minimal::permutation(kPackets), 1);
  EXPECT_EQ(across.hops, 8 * across.data_sent);
  const minimal::Outcome below = minimal::run({{0, 1, kPackets}, {17, 16, kPackets}}, 1);
  EXPECT_EQ(below.hops, 4 * below.data_sent);
}

// Four links of 1 us and three switches of 600 ns each way; 4218 bytes and 84 bytes at 400 Gb/s
// four times each.
TEST(MinimalFabric, OnePacketTakesTheIdleRoundTrip) {
  const minimal::Outcome outcome = minimal::run({{0, 16, 1}}, 1);
  EXPECT_EQ(outcome.end_ps, 2 * (4 * 1'000'000 + 3 * 600'000) + 4 * (4218 + 84) * 20);
}

// Without other traffic: the last of the packets leaves when the others have.
TEST(MinimalFabric, OneMessageGoesAtLineRate) {
  const minimal::Outcome outcome = minimal::run({{0, 16, kPackets}}, 1);
  EXPECT_EQ(outcome.end_ps,
            2 * (4 * 1'000'000 + 3 * 600'000) + 4 * (4218 + 84) * 20 + (kPackets - 1) * 4218 * 20);
}

TEST(MinimalFabric, TrimsAndMarksWhatAnIncastQueues) {
  const minimal::Outcome outcome = minimal::run(minimal::incast(32, kPackets), 1);
  EXPECT_GT(outcome.trimmed, 0U);
  EXPECT_GT(outcome.marked, outcome.delivered / 4);
}

TEST(MinimalFabric, IsTheSameEveryTime) {
  for (const Case& one : cases()) {
    const minimal::Outcome first = minimal::run(one.messages, one.at_once);
    const minimal::Outcome second = minimal::run(one.messages, one.at_once);
    EXPECT_EQ(first.end_ps, second.end_ps) << one.name;
    EXPECT_EQ(first.hops, second.hops) << one.name;
    EXPECT_EQ(first.trimmed, second.trimmed) << one.name;
    EXPECT_EQ(first.marked, second.marked) << one.name;
  }
}

// The network and the transport of scenarios/bench/permutation128.yaml.
TrialSpec fullModel() {
  TrialSpec spec;
  spec.dut = leafSpine(8, 16, minimal::kHostsPerLeaf, gigabitsPerSecond(400), microseconds(1));
  spec.dut.switches.ecn = {
      {.kmin = Bytes(120'000), .kmax = Bytes(480'000), .pmax = Fraction::one()}};
  spec.dut.switches.trim = fabric::TrimSpec{.threshold = Bytes(600'000), .limit = Bytes(200'000)};
  transport::UetSpec uet;
  uet.base_rtt = microseconds(12);
  spec.transport = uet;
  spec.workload.emplace();
  return spec;
}

// When the full model has done the same.
Picoseconds fullModelEnd(const Case& one) {
  TrialSpec spec = fullModel();
  std::vector<std::pair<HostId, HostId>> pairs;
  for (const minimal::Message& message : one.messages) pairs.emplace_back(message.from, message.to);
  const std::uint64_t bytes = std::uint64_t{one.messages.front().packets} * minimal::kPayload;
  spec.workload->jobs = {messagesBetween(pairs, bytes, 1)};
  if (one.at_once > 1) {
    workload::CollectiveSpec all_to_all;
    all_to_all.kind = workload::CollectiveKind::kAllToAll;
    all_to_all.algorithm = workload::Algorithm::kLinearShift;
    all_to_all.bytes = bytes * minimal::kHosts;
    all_to_all.window = one.at_once;
    spec.workload->jobs = {collective("all", hostsFrom(0, minimal::kHosts), all_to_all)};
  }
  Stack stack(spec);
  stack.run(milliseconds(20));
  stack.expectFinished();
  return stack.job(0).total.last_done;
}

TEST(MinimalFabric, TakesAboutAsLongAsTheFullModel) {
  for (const Case& one : cases()) {
    const minimal::Outcome outcome = minimal::run(one.messages, one.at_once);
    const double ratio =
        static_cast<double>(outcome.end_ps) / static_cast<double>(fullModelEnd(one).count());
    RecordProperty(one.name, std::to_string(ratio));
    EXPECT_NEAR(ratio, 1.0, 0.2) << one.name;
  }
}

}  // namespace
}  // namespace plumbline::sim::testing
