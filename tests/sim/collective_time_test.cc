// Collectives without contention end as latency and serialisation determine, to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "workload/ideal_time.h"

namespace plumbline::sim::testing {
namespace {

using workload::Algorithm;
using workload::CollectiveKind;
using workload::MessageTime;

constexpr BitRate kRate = gigabitsPerSecond(400);
constexpr Picoseconds kDelay = nanoseconds(500);
constexpr Picoseconds kSwitchLatency = nanoseconds(600);
constexpr std::uint64_t kMtu = 4096;

// RDMA Write over unreliable connections: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, and a
// RETH of 16 in the first packet of a message.
constexpr std::int64_t kHeaders = 14 + 20 + 8 + 12 + 4 + 4;
constexpr std::int64_t kReth = 16;

std::int64_t packetsOf(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes / kMtu); }

Picoseconds wire(std::int64_t bytes) { return serializationTime(Bytes(bytes), kRate); }

// Messages are multiples of the MTU, so the first frame is the longest, and the following ones keep
// their distance through a store-and-forward switch. The last bit then arrives, after the sender's
// wire became free for the next message, one delay per link, and per switch its latency and the
// first frame's serialisation later; the last frame's gap to the next (20 B) does not count.
MessageTime messageTime(std::int64_t switches) {
  MessageTime time;
  time.serialization = [](std::uint64_t bytes) {
    const std::int64_t frame = kHeaders + static_cast<std::int64_t>(kMtu) + 20;
    return wire(packetsOf(bytes) * frame + kReth);
  };
  const std::int64_t first = kHeaders + kReth + static_cast<std::int64_t>(kMtu);
  time.latency = kDelay * (switches + 1) + (kSwitchLatency + wire(first)) * switches - wire(20);
  // Packets to two receivers alternate, so each finds its path free: the last one is not delayed by
  // a longer first one.
  time.in_turns = [time, switches](std::uint64_t bytes) {
    const std::int64_t longer = packetsOf(bytes) == 1 ? 0 : kReth;
    return MessageTime::Turn{time.serialization(kMtu) - wire(longer),
                             time.latency - wire(longer) * switches};
  };
  return time;
}

TrialSpec trial(const fabric::FabricSpec& dut, std::vector<HostId> hosts,
                const workload::CollectiveSpec& collective) {
  TrialSpec spec;
  spec.dut = dut;
  spec.dut.switches.latency = kSwitchLatency;
  spec.dut.switches.buffer_per_port = Bytes(100'000'000);
  transport::RoceSpec roce;
  roce.service = transport::RoceService::kUc;
  roce.path_mtu = kMtu;
  spec.transport = roce;
  spec.workload.emplace();
  spec.workload->jobs = {testing::collective("one", std::move(hosts), collective)};
  return spec;
}

Picoseconds simulated(const TrialSpec& spec) {
  Stack stack(spec);
  const Account account = stack.run(seconds(1));
  stack.expectFinished();
  EXPECT_EQ(account.dropped + account.inside, 0U);
  return stack.job(0).iterations.at(0).duration();
}

// The latency of the formula above is the fabric's own for its unloaded paths.
TEST(CollectiveTime, LatencyIsThatOfTheUnloadedPath) {
  fabric::FabricSpec one = oneSwitch(2, kRate, kDelay);
  one.switches.latency = kSwitchLatency;
  fabric::FabricSpec three = leafSpine(2, 1, 1, kRate, kDelay);
  three.switches.latency = kSwitchLatency;
  const std::int64_t frame = kHeaders + kReth + static_cast<std::int64_t>(kMtu);
  for (const auto& [spec, switches] : {std::pair{one, 1}, std::pair{three, 3}}) {
    const fabric::Fabric fabric(spec);
    // From the first bit sent to the last one received; a message of one packet.
    EXPECT_EQ(fabric.unloadedLatency(0, 1, Bytes(frame)) + wire(frame),
              messageTime(switches).arrival(kMtu));
  }
}

TEST(CollectiveTime, Rings) {
  for (const std::uint32_t ranks : {2U, 3U, 4U, 7U, 16U}) {
    for (const std::uint64_t packets : {1U, 2U, 25U}) {
      workload::CollectiveSpec spec;
      spec.bytes = packets * kMtu * ranks;
      const fabric::FabricSpec dut = oneSwitch(ranks, kRate, kDelay);
      const MessageTime time = messageTime(1);
      spec.kind = CollectiveKind::kAllReduce;
      EXPECT_EQ(simulated(trial(dut, hostsFrom(0, ranks), spec)),
                ringAllReduceTime(ranks, spec.bytes, time))
          << ranks << " ranks, " << packets << " packets";
      for (const CollectiveKind kind :
           {CollectiveKind::kAllGather, CollectiveKind::kReduceScatter}) {
        spec.kind = kind;
        EXPECT_EQ(simulated(trial(dut, hostsFrom(0, ranks), spec)),
                  ringHalfTime(ranks, spec.bytes, time))
            << ranks << " ranks, " << packets << " packets";
      }
    }
  }
}

// The order of ranks on the hosts does not matter where every path is alike.
TEST(CollectiveTime, RingInAnyOrder) {
  workload::CollectiveSpec spec;
  spec.bytes = kMtu * 6 * 4;
  EXPECT_EQ(simulated(trial(oneSwitch(8, kRate, kDelay), {5, 1, 7, 0, 3, 6}, spec)),
            ringAllReduceTime(6, spec.bytes, messageTime(1)));
}

// Two ranks on two leaves: three switches between them, one spine, so no collisions.
TEST(CollectiveTime, RingAcrossASpine) {
  workload::CollectiveSpec spec;
  spec.bytes = kMtu * 2 * 10;
  EXPECT_EQ(simulated(trial(leafSpine(2, 1, 1, kRate, kDelay), {0, 1}, spec)),
            ringAllReduceTime(2, spec.bytes, messageTime(3)));
}

TEST(CollectiveTime, HalvingDoubling) {
  for (const std::uint32_t ranks : {2U, 4U, 8U, 32U}) {
    workload::CollectiveSpec spec;
    spec.algorithm = Algorithm::kHalvingDoubling;
    spec.bytes = 3 * kMtu * ranks;
    EXPECT_EQ(simulated(trial(oneSwitch(ranks, kRate, kDelay), hostsFrom(0, ranks), spec)),
              halvingDoublingTime(ranks, spec.bytes, messageTime(1)))
        << ranks;
  }
}

// Chunks of one packet and of several: the packets to two children take turns on the wire.
TEST(CollectiveTime, TreeBroadcast) {
  for (const std::uint32_t ranks : {2U, 3U, 7U, 8U, 20U}) {
    for (const std::uint32_t chunks : {1U, 5U, 60U}) {
      for (const std::uint64_t packets : {1U, 2U, 3U, 16U}) {
        workload::CollectiveSpec spec;
        spec.kind = CollectiveKind::kBroadcast;
        spec.algorithm = Algorithm::kTree;
        spec.chunk_bytes = packets * kMtu;
        spec.window = 64;
        spec.bytes = chunks * spec.chunk_bytes;
        EXPECT_EQ(simulated(trial(oneSwitch(ranks, kRate, kDelay), hostsFrom(0, ranks), spec)),
                  treeBroadcastTime(ranks, chunks, spec.chunk_bytes, messageTime(1)))
            << ranks << " ranks, " << chunks << " chunks of " << packets;
      }
    }
  }
}

// All tokens of two ranks to each other's expert: remote bytes over the rate and the way.
TEST(CollectiveTime, DispatchOfExpertsWithoutContention) {
  for (const std::uint64_t packets : {1U, 4U}) {
    TrialSpec spec = trial(oneSwitch(2, kRate, kDelay), hostsFrom(0, 2), {});
    workload::MoeProgram program;
    program.routing = workload::MoeRouting::kMatrix;
    program.experts = 2;
    program.top_k = 1;
    program.tokens = 20;
    program.ranks_per_server = 1;
    program.dispatch_bytes = packets * kMtu;
    program.combine_bytes = 2 * packets * kMtu;
    program.matrix = {0, 20, 20, 0};
    spec.workload->jobs[0].program = program;
    Stack stack(spec);
    stack.run(seconds(1));
    stack.expectFinished();
    const workload::MoeResult& moe = *stack.job(0).moe;
    const MessageTime time = messageTime(1);
    const Picoseconds dispatch = time.serialization(packets * kMtu) * 20 + time.latency;
    EXPECT_EQ(moe.dispatch.durations, std::vector<Picoseconds>(1, dispatch));
    const Picoseconds combine = time.serialization(2 * packets * kMtu) * 20 + time.latency;
    EXPECT_EQ(moe.combine.durations, std::vector<Picoseconds>(1, combine));
    EXPECT_EQ(moe.round_trips, std::vector<Picoseconds>(1, dispatch + combine));
  }
}

TEST(CollectiveTime, DirectAllToAll) {
  for (const std::uint32_t ranks : {2U, 4U, 9U}) {
    workload::CollectiveSpec spec;
    spec.kind = CollectiveKind::kAllToAll;
    spec.algorithm = Algorithm::kLinearShift;
    spec.bytes = 5 * kMtu * ranks;
    EXPECT_EQ(simulated(trial(oneSwitch(ranks, kRate, kDelay), hostsFrom(0, ranks), spec)),
              directAllToAllTime(ranks, spec.bytes, messageTime(1)))
        << ranks;
  }
}

// An unreliable connection's message is complete for its sender when it has left, so only arrivals
// are waited for.
TEST(CollectiveTime, PairwiseAllToAll) {
  for (const std::uint32_t ranks : {2U, 4U, 16U}) {
    for (const Algorithm algorithm : {Algorithm::kLinearShift, Algorithm::kXor}) {
      workload::CollectiveSpec spec;
      spec.kind = CollectiveKind::kAllToAll;
      spec.algorithm = algorithm;
      spec.window = 1;
      spec.bytes = 5 * kMtu * ranks;
      EXPECT_EQ(simulated(trial(oneSwitch(ranks, kRate, kDelay), hostsFrom(0, ranks), spec)),
                pairwiseAllToAllTime(ranks, spec.bytes, messageTime(1)))
          << ranks;
    }
  }
}

// A ring per rail over its share of the buffer, between the servers' own delays.
TEST(CollectiveTime, Hierarchical) {
  for (const std::uint32_t servers : {2U, 3U, 8U}) {
    workload::CollectiveSpec spec;
    spec.algorithm = Algorithm::kHierarchical;
    spec.ranks_per_server = 4;
    spec.before = microseconds(3);
    spec.after = microseconds(4);
    const std::uint64_t share = 10 * kMtu * servers;
    spec.bytes = share * spec.ranks_per_server;
    const std::uint32_t ranks = servers * spec.ranks_per_server;
    EXPECT_EQ(simulated(trial(oneSwitch(ranks, kRate, kDelay), hostsFrom(0, ranks), spec)),
              microseconds(7) + ringAllReduceTime(servers, share, messageTime(1)))
        << servers << " servers";
  }
}

// A ring that loses its wire to another job for a while is late: equality above means something.
TEST(CollectiveTime, ContentionIsSeen) {
  workload::CollectiveSpec spec;
  spec.bytes = kMtu * 4 * 25;
  TrialSpec contended = trial(oneSwitch(4, kRate, kDelay), hostsFrom(0, 4), spec);
  contended.workload->jobs.push_back(messagesBetween({{0, 1}}, 25 * kMtu, 1));
  EXPECT_GT(simulated(contended), ringAllReduceTime(4, spec.bytes, messageTime(1)));
}

}  // namespace
}  // namespace plumbline::sim::testing
