// Queue pairs and UET on the Verilated card, against frames decoded on their way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/bench_rtl/rtl_trials.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A capture at the sender.
struct Captured {
  std::map<std::uint32_t, std::vector<std::uint32_t>> psns;    // by queue pair or context
  std::map<std::uint32_t, std::vector<std::uint8_t>> opcodes;  // by queue pair
  std::set<std::uint16_t> ports;
  std::vector<std::uint32_t> order;
};

TrialResult runCaptured(TrialSpec spec, Captured& captured) {
  spec.capture_port = 0;
  TrialHooks hooks;
  hooks.captured = [&captured](const card::CapturedFrame& frame) {
    if (!frame.sent) return;
    const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
    ASSERT_TRUE(decoded.ok());
    captured.ports.insert(decoded.udp->source_port);
    if (decoded.roce() != nullptr) {
      const wire::Bth& bth = decoded.roce()->bth;
      captured.psns[bth.dest_qp].push_back(bth.psn);
      captured.opcodes[bth.dest_qp].push_back(bth.opcode);
      captured.order.push_back(bth.dest_qp);
    } else {
      const auto& request = std::get<wire::PdsRequest>(decoded.uet()->pds);
      captured.psns[request.spdcid].push_back(request.psn);
    }
  };
  return sharedCard().run(spec, hooks);
}

void expectContinuous(const Captured& captured) {
  for (const auto& [pair, psns] : captured.psns) {
    for (std::size_t i = 0; i < psns.size(); ++i) ASSERT_EQ(psns[i], i) << pair;
  }
}

TEST(RtlQueuePairs, EachHasItsPsnsItsShareAndItsCounts) {
  TrialSpec spec = bareLinkTrial();
  spec.streams[0].frame = Bytes(254);
  spec.streams[0].format.qps = 300;
  spec.streams[0].queue_pairs = QueuePairSpec{{}, 1, true};
  Captured captured;
  const TrialResult seen = runCaptured(spec, captured);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(captured.psns.size(), 300U);
  EXPECT_EQ(captured.ports.size(), 300U);
  expectContinuous(captured);
  const std::vector<QueuePairResult>& pairs = seen.streams[0].queue_pairs;
  ASSERT_EQ(pairs.size(), 300U);
  std::uint64_t all = 0;
  std::size_t number = 0;
  for (const auto& [pair, psns] : captured.psns) {
    EXPECT_EQ(pairs[number].sent, psns.size());
    EXPECT_EQ(pairs[number].received, psns.size());
    EXPECT_EQ(pairs[number].lost + pairs[number].duplicate + pairs[number].out_of_order, 0U);
    all += pairs[number++].received;
  }
  EXPECT_EQ(all, seen.streams[0].sent_frames);
  EXPECT_EQ(seen.streams[0].received_frames, all);
}

TEST(RtlQueuePairs, TurnsAreThoseOfTheWeights) {
  TrialSpec spec = bareLinkTrial();
  spec.streams[0].frame = Bytes(254);
  spec.streams[0].format.qps = 3;
  spec.streams[0].queue_pairs = QueuePairSpec{{3, 2, 1}, 1, true};
  Captured captured;
  const TrialResult seen = runCaptured(spec, captured);
  ASSERT_THAT(seen.faults, IsEmpty());
  ASSERT_GT(captured.order.size(), 600U);
  for (std::size_t round = 0; round < 100; ++round) {
    std::map<std::uint32_t, int> turns;
    for (std::size_t i = 0; i < 6; ++i) ++turns[captured.order[6 * round + i]];
    EXPECT_EQ(turns[0x100], 3);
    EXPECT_EQ(turns[0x101], 2);
    EXPECT_EQ(turns[0x102], 1);
  }
  expectContinuous(captured);
}

TEST(RtlQueuePairs, MessagesAreWhole) {
  TrialSpec spec = bareLinkTrial();
  spec.streams[0].frame = Bytes(254);
  spec.streams[0].format.qps = 5;
  spec.streams[0].queue_pairs = QueuePairSpec{{}, 4, true};
  Captured captured;
  const TrialResult seen = runCaptured(spec, captured);
  ASSERT_THAT(seen.faults, IsEmpty());
  expectContinuous(captured);
  constexpr std::uint8_t kOpcodes[] = {0x06, 0x07, 0x07, 0x08};
  for (const auto& [pair, opcodes] : captured.opcodes) {
    for (std::size_t i = 0; i < opcodes.size(); ++i) ASSERT_EQ(opcodes[i], kOpcodes[i % 4]);
  }
  EXPECT_EQ(seen.lost(), 0U);
  EXPECT_EQ(seen.ports[1].icrc_errors, 0U);
}

// All queue pairs of a port at 3:1 are more turns than a round has, and no more in two streams.
TEST(RtlQueuePairs, AStreamForEachWeightNeedsNoMoreTurns) {
  TrialSpec spec = bareLinkTrial();
  spec.duration = microseconds(250);
  spec.streams = {streamToHost1(128, Fraction::percent(80))};
  spec.streams[0].format.qps = 4096;
  spec.streams[0].queue_pairs = QueuePairSpec{{}, 1, true};
  for (std::uint32_t i = 0; i < 4096; ++i) {
    spec.streams[0].queue_pairs->weights.push_back(i % 2 == 0 ? 3 : 1);
  }
  EXPECT_THAT(sharedCard().refusals(spec),
              ElementsAre(HasSubstr("8192 turns a round, the card has 4096; a stream for each")));
  spec.streams = {streamToHost1(128, Fraction::percent(60)),
                  streamToHost1(128, Fraction::percent(20))};
  spec.streams[1].name = "other";
  for (StreamSpec& stream : spec.streams) {
    stream.format.qps = 2048;
    stream.queue_pairs = QueuePairSpec{{}, 1, true};
  }
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  // 250 us at 11.84 ns a frame, for 2048 queue pairs: 6.19 turns, and a third of that.
  const double slots = 250'000 / 11.84;
  for (std::size_t i = 0; i < 2; ++i) {
    const double turns = slots * (i == 0 ? 0.6 : 0.2) / 2048;
    ASSERT_EQ(seen.streams[i].queue_pairs.size(), 2048U);
    for (const QueuePairResult& pair : seen.streams[i].queue_pairs) {
      ASSERT_NEAR(static_cast<double>(pair.sent), turns, 1);
      ASSERT_EQ(pair.received, pair.sent);
      ASSERT_EQ(pair.lost + pair.duplicate + pair.out_of_order, 0U);
    }
  }
}

// Messages of given bytes, in bursts of one each: the card's own byte counters give the length of
// their frames.
TEST(RtlQueuePairs, MessagesOfGivenBytesLeaveInBursts) {
  TrialSpec spec = bareLinkTrial();
  StreamSpec& stream = spec.streams[0];
  stream.frame = Bytes(14 + 20 + 8 + 12 + 16 + 1024 + 4 + 4);
  stream.format.qps = 2;
  stream.queue_pairs = QueuePairSpec{{}, 4, false, Bytes(3500)};
  stream.load = BurstLoad{4, Bytes(0), 10, microseconds(4)};
  Captured captured;
  const TrialResult seen = runCaptured(spec, captured);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.lost(), 0U);
  EXPECT_EQ(seen.streams[0].sent_frames, 40U);
  EXPECT_EQ(seen.streams[0].sent_bytes, 10U * (4 * 62 + 16 + 3500));
  EXPECT_EQ(seen.streams[0].received_bytes, seen.streams[0].sent_bytes);
  EXPECT_EQ(seen.ports[1].icrc_errors, 0U);
  ASSERT_EQ(captured.opcodes.size(), 2U);
  for (const auto& [pair, opcodes] : captured.opcodes) EXPECT_EQ(opcodes.size(), 20U);
}

// At a constant load only whole messages are sent.
TEST(RtlQueuePairs, AConstantLoadEndsWithAWholeMessage) {
  TrialSpec spec = bareLinkTrial();
  StreamSpec& stream = spec.streams[0];
  stream.frame = Bytes(14 + 20 + 8 + 12 + 16 + 1024 + 4 + 4);
  stream.queue_pairs = QueuePairSpec{{}, 4, false, Bytes(4096)};
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  // A frame takes 1,122 B with its gap, 112.2 ns at 80 %: 446 begin in 50 us, which is 111
  // messages.
  EXPECT_EQ(seen.streams[0].sent_frames, 444U);
  EXPECT_EQ(seen.streams[0].sent_bytes, 111U * (4 * 62 + 16 + 4096));
}

// One source port for all queue pairs: only a fabric that hashes the BTH distinguishes them.
TEST(RtlQueuePairs, SpreadByTheBthWhereTheFabricLooksAtIt) {
  for (const bool bth : {false, true}) {
    TrialSpec spec = bareLinkTrial();
    spec.dut.topology.kind = fabric::TopologyKind::kClos2;
    spec.dut.topology.leaves = 2;
    spec.dut.topology.spines = 4;
    spec.dut.topology.hosts_per_leaf = 1;
    spec.dut.switches.load_balancing.kind =
        bth ? fabric::LoadBalancingKind::kEcmpQp : fabric::LoadBalancingKind::kEcmp;
    spec.streams[0].format.qps = 64;
    spec.streams[0].format.entropy = Entropy::kFixed;
    spec.streams[0].queue_pairs = QueuePairSpec{{}, 1, true};
    const TrialResult seen = runOnCard(spec);
    ASSERT_THAT(seen.faults, IsEmpty());
    EXPECT_EQ(seen.lost(), 0U);
    // leaf0's ports to the spines, in the order of the fabric's counters.
    std::size_t used = 0;
    for (const DutPort& port : seen.dut) {
      if (port.name.rfind("leaf0", 0) == 0 && port.packets > 0) ++used;
    }
    EXPECT_EQ(used, bth ? 4U : 1U);
  }
}

TEST(RtlUet, ContextsAndEntropyAreTheirOwn) {
  TrialSpec spec = bareLinkTrial();
  spec.streams[0].format.transport = Transport::kUetRud;
  spec.streams[0].format.qps = 7;
  spec.streams[0].queue_pairs = QueuePairSpec{{}, 1, true};
  const std::map<Entropy, std::size_t> ports{{Entropy::kPerQueuePair, 7},
                                             {Entropy::kFixed, 1},
                                             {Entropy::kRoundRobin, 32},
                                             {Entropy::kRandom, 32}};
  for (const auto& [entropy, expected] : ports) {
    spec.streams[0].format.entropy = entropy;
    spec.streams[0].format.entropy_values = 32;
    Captured captured;
    const TrialResult seen = runCaptured(spec, captured);
    ASSERT_THAT(seen.faults, IsEmpty());
    EXPECT_EQ(captured.ports.size(), expected);
    EXPECT_EQ(captured.psns.size(), 7U);
    expectContinuous(captured);
    ASSERT_EQ(seen.streams[0].queue_pairs.size(), 7U);
    for (const QueuePairResult& pair : seen.streams[0].queue_pairs) {
      EXPECT_EQ(pair.received, pair.sent);
      EXPECT_EQ(pair.lost + pair.out_of_order, 0U);
    }
    EXPECT_EQ(seen.ports[1].untagged, 0U);
  }
}

TEST(RtlUet, EveryServiceArrives) {
  for (const Transport transport :
       {Transport::kUetRud, Transport::kUetRod, Transport::kUetRudi, Transport::kUetUud}) {
    TrialSpec spec = bareLinkTrial();
    spec.streams[0].format.transport = transport;
    spec.duration = microseconds(10);
    const TrialResult seen = runOnCard(spec);
    ASSERT_THAT(seen.faults, IsEmpty());
    EXPECT_EQ(seen.streams[0].received_frames, 188U) << static_cast<int>(transport);
    EXPECT_EQ(seen.ports[1].untagged + seen.ports[1].icrc_errors, 0U);
  }
}

// Entropy per packet over four paths of unequal queues: overtaking is counted, nothing is lost.
TEST(RtlUet, SprayedPacketsAreReorderedNotLost) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.dut.topology.leaves = 2;
  spec.dut.topology.spines = 4;
  spec.dut.topology.hosts_per_leaf = 2;
  spec.duration = microseconds(50);
  for (const std::uint32_t from : {0U, 1U}) {
    StreamSpec stream = streamToHost1(254, Fraction::percent(90));
    stream.from = from;
    stream.to = 2 + from;
    stream.format.transport = Transport::kUetRud;
    stream.format.entropy = Entropy::kRandom;
    stream.format.entropy_values = 64;
    stream.queue_pairs = QueuePairSpec{{}, 1, true};
    spec.streams.push_back(stream);
  }
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.lost(), 0U);
  EXPECT_GT(seen.streams[0].out_of_order, 0U);
  EXPECT_GT(seen.streams[0].reorder_depth, 0U);
  EXPECT_EQ(seen.streams[0].reorder_depth, seen.streams[0].queue_pairs[0].reorder_depth);
  EXPECT_EQ(seen.streams[0].out_of_order, seen.streams[0].queue_pairs[0].out_of_order);
}

}  // namespace
}  // namespace plumbline::bench
