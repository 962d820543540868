// The bench on the Verilated card against known properties of the simulated DUT and of the trial.
#include "bench/card/rtl_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "bench/sim/sim_bench.h"
#include "fabric/engine/fabric.h"
#include "sim/wire.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One bench for all tests of this file, so that they also run one after the other on one card.
RtlBench& sharedBench() {
  static RtlBench bench;
  return bench;
}

StreamSpec constantStream(std::uint32_t from, std::uint32_t to, Bytes frame, Fraction rate) {
  StreamSpec stream;
  stream.name = std::to_string(from) + " to " + std::to_string(to);
  stream.from = from;
  stream.to = to;
  stream.frame = frame;
  stream.load = ConstantLoad{rate};
  return stream;
}

StreamSpec burstStream(std::uint32_t from, std::uint32_t to, Bytes frame, std::uint32_t frames) {
  StreamSpec stream = constantStream(from, to, frame, Fraction::one());
  stream.load = BurstLoad{.frames = frames};
  return stream;
}

TrialSpec linkTrial(std::vector<StreamSpec> streams, Picoseconds delay = nanoseconds(500)) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.dut.topology.host_link_delay = delay;
  spec.streams = std::move(streams);
  spec.duration = microseconds(20);
  return spec;
}

TrialSpec switchTrial(std::uint32_t hosts, std::vector<StreamSpec> streams) {
  TrialSpec spec;
  spec.dut.topology.hosts = hosts;
  spec.streams = std::move(streams);
  spec.duration = microseconds(20);
  return spec;
}

TrialResult run(const TrialSpec& spec) { return sharedBench().run(spec, {}); }

// Takes a snapshot at every call.
class Onlooker final : public TrialObserver {
 public:
  bool due() override { return true; }
  void onSnapshot(const TrialSnapshot& snapshot) override { seen.push_back(snapshot); }
  std::vector<TrialSnapshot> seen;
};

std::string withoutWallTime(TrialResult result) {
  result.wall_seconds = 0;
  return result.toJson();
}

// The criterion: one-way latency over a bare link equals the configured delay within one clock, for
// every frame. Sizes that fill beats exactly, by one byte more, and in between.
TEST(RtlBenchLatency, OfABareLinkIsItsDelay) {
  for (const std::int64_t size : {98, 127, 128, 129, 512, 1518, 4174, 9216}) {
    for (const Picoseconds delay : {nanoseconds(500), Picoseconds(1'234'567)}) {
      const TrialResult result =
          run(linkTrial({constantStream(0, 1, Bytes(size), Fraction::percent(90)),
                         constantStream(1, 0, Bytes(size), Fraction::percent(90))},
                        delay));
      ASSERT_THAT(result.faults, IsEmpty()) << size;
      ASSERT_EQ(result.latency.size(), 1U);
      const stats::Histogram& latency = result.latency[0].histogram;
      EXPECT_EQ(latency.count(), result.streams[0].sent_frames + result.streams[1].sent_frames);
      EXPECT_GE(latency.minimum(), (delay - sim::kClockPeriodMax).count()) << size;
      EXPECT_LE(latency.maximum(), (delay + sim::kClockPeriodMax).count()) << size;
      EXPECT_EQ(result.lost(), 0U);
    }
  }
}

TEST(RtlBenchLatency, OfASwitchIsThatOfTheClosedForm) {
  for (const auto forwarding :
       {fabric::Forwarding::kStoreAndForward, fabric::Forwarding::kCutThrough}) {
    for (const std::int64_t size : {98, 1024, 4174}) {
      TrialSpec spec = switchTrial(2, {constantStream(0, 1, Bytes(size), Fraction::percent(20))});
      spec.dut.switches.forwarding = forwarding;
      const Picoseconds expected = fabric::Fabric(spec.dut).unloadedLatency(0, 1, Bytes(size));
      const TrialResult result = run(spec);
      ASSERT_THAT(result.faults, IsEmpty());
      const stats::Histogram& latency = result.latency.at(0).histogram;
      EXPECT_GE(latency.minimum(), (expected - sim::kClockPeriodMax).count()) << size;
      EXPECT_LE(latency.maximum(), (expected + sim::kClockPeriodMax).count()) << size;
    }
  }
}

TEST(RtlBenchLatency, OfAClosIsThatOfTheClosedForm) {
  TrialSpec spec = switchTrial(0, {constantStream(0, 2, Bytes(1024), Fraction::percent(20)),
                                   constantStream(1, 0, Bytes(1024), Fraction::percent(20))});
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.streams[1].group = 1;
  const fabric::Fabric fabric(spec.dut);
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  ASSERT_EQ(result.latency.size(), 2U);
  for (const auto& [group, from, to] : {std::tuple{0U, 0U, 2U}, std::tuple{1U, 1U, 0U}}) {
    const Picoseconds expected = fabric.unloadedLatency(from, to, Bytes(1024));
    const stats::Histogram& latency = result.latency[group].histogram;
    EXPECT_GE(latency.minimum(), (expected - sim::kClockPeriodMax).count());
    EXPECT_LE(latency.maximum(), (expected + sim::kClockPeriodMax).count());
  }
  EXPECT_LT(result.latency[1].histogram.maximum(), result.latency[0].histogram.minimum());
}

const LinkLoad& loadOf(const TrialResult& result, const std::string& name) {
  for (const LinkLoad& link : result.fabric->links) {
    if (link.name == name) return link;
  }
  throw Error(ErrorKind::kTester, "no load on " + name);
}

// One flow of a card through a Clos of two leaves and two spines: two of the eight links between
// switches carry all of it.
TEST(RtlBenchFabric, LoadsAreThoseOfThePathTaken) {
  TrialSpec spec = switchTrial(0, {constantStream(0, 2, Bytes(1024), Fraction::percent(50))});
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  ASSERT_TRUE(result.fabric);
  const FabricResult& fabric = *result.fabric;
  const std::uint64_t frames = result.streams[0].sent_frames;
  EXPECT_GT(frames, 100U);
  EXPECT_EQ(fabric.packet_hops, 4 * frames);
  EXPECT_EQ(fabric.total.bytes, 4 * frames * 1024);
  EXPECT_EQ(fabric.frames_inside, 0U);
  EXPECT_EQ(fabric.total.max_queue_bytes, 1024U);
  ASSERT_EQ(fabric.links.size(), 4U);
  EXPECT_DOUBLE_EQ(fabric.link_mmr.value(), 4);     // all of it, an eighth of two
  EXPECT_DOUBLE_EQ(fabric.link_jfi.value(), 0.25);  // (1 + 1)^2 / (8 (1 + 1))
  ASSERT_GE(fabric.load_end, spec.duration);
  ASSERT_LE(fabric.load_end, fabric.sim_end);
  for (const LinkLoad& link : fabric.links) {
    EXPECT_EQ(link.packets, frames) << link.name;
    // A byte takes 80 ps at 100 Gb/s; preamble and gap take 20 bytes.
    EXPECT_NEAR(
        link.utilisation,
        static_cast<double>(frames * 1044 * 80) / static_cast<double>(fabric.load_end.count()),
        1e-12);
  }
  EXPECT_EQ(loadOf(result, "host0-leaf0").between_switches, false);
  EXPECT_EQ(loadOf(result, "leaf1-host2").between_switches, false);
}

// Two bursts of 100 frames at line rate into one port with room for 50: as long as it is full, one
// of two arrivals is dropped.
TEST(RtlBenchFabric, DropsHaveTheirReasonAndQueuesTheirLimit) {
  TrialSpec spec =
      switchTrial(3, {burstStream(0, 2, Bytes(1024), 100), burstStream(1, 2, Bytes(1024), 100)});
  spec.dut.switches.buffer_per_port = Bytes(51'200);
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  ASSERT_TRUE(result.fabric);
  const fabric::LinkCounters& total = result.fabric->total;
  EXPECT_GT(result.lost(), 0U);
  EXPECT_EQ(total.drops[static_cast<unsigned>(fabric::DropReason::kBufferFull)], result.lost());
  EXPECT_EQ(total.dropped(), result.lost());
  EXPECT_EQ(total.packets, 200 + 200 - result.lost());
  EXPECT_EQ(total.max_queue_bytes, 50U * 1024);
  const LinkLoad& full = loadOf(result, "switch0-host2");
  EXPECT_EQ(full.dropped, result.lost());
  EXPECT_EQ(full.packets, 200 - result.lost());
  EXPECT_EQ(full.max_queue_bytes, 50U * 1024);
  // The same words in the result's text.
  const TrialResult back = TrialResult::fromJson(result.toJson());
  ASSERT_TRUE(back.fabric);
  EXPECT_EQ(back.fabric->toJson(), result.fabric->toJson());
}

TEST(RtlBenchCounters, CountEveryFrameAndByte) {
  TrialSpec spec = linkTrial({constantStream(0, 1, Bytes(1024), Fraction::percent(40)),
                              constantStream(0, 1, Bytes(96), Fraction::percent(40)),
                              constantStream(1, 0, Bytes(333), Fraction::percent(100))});
  spec.streams[1].format.transport = Transport::kUdp;
  spec.streams[2].format.ipv6 = true;
  spec.streams[2].format.vlan_id = 7;
  spec.streams[2].format.qps = 5;
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  // Frames that begin within 20 us: 83.52 ns / 0.4, 9.28 ns / 0.4, 28.24 ns apart.
  const std::uint64_t expected[] = {96, 863, 709};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(result.streams[i].sent_frames, expected[i]) << i;
    EXPECT_EQ(result.streams[i].received_frames, expected[i]) << i;
    EXPECT_EQ(result.streams[i].received_bytes,
              expected[i] * static_cast<std::uint64_t>(spec.streams[i].frame.count()));
    EXPECT_EQ(result.streams[i].sent_bytes, result.streams[i].received_bytes);
    EXPECT_EQ(result.streams[i].lost + result.streams[i].duplicate +
                  result.streams[i].out_of_order + result.streams[i].stale +
                  result.streams[i].bad_icrc + result.streams[i].misdelivered,
              0U);
  }
  ASSERT_EQ(result.ports.size(), 2U);
  EXPECT_EQ(result.ports[0].tx_frames, 96U + 863);
  EXPECT_EQ(result.ports[0].rx_frames, 709U);
  EXPECT_EQ(result.ports[1].rx_frames, 96U + 863);
  EXPECT_EQ(result.ports[1].tx_bytes, 709U * 333);
  EXPECT_EQ(result.observed, ObservationPoint::kTester);
  EXPECT_EQ(result.dut_observed, ObservationPoint::kModelled);
  EXPECT_GE(result.card_time, spec.duration);
}

TEST(RtlBenchCounters, CountMinimumFramesAtLineRateBothWays) {
  TrialSpec spec = linkTrial({constantStream(0, 1, Bytes(64), Fraction::one()),
                              constantStream(1, 0, Bytes(64), Fraction::one())});
  for (StreamSpec& stream : spec.streams) stream.format.transport = Transport::kUdp;
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  // 20 us / 6.72 ns = 2976.2 slots.
  for (const StreamResult& stream : result.streams) EXPECT_EQ(stream.received_frames, 2977U);
  EXPECT_EQ(result.lost(), 0U);
}

// Flows on one port wait for each other; with line rate in total none of them is late, and every
// flow still sends all its frames.
TEST(RtlBenchCounters, KeepManyFlowsOfOnePortApart) {
  TrialSpec spec = linkTrial({});
  for (std::uint32_t i = 0; i < 40; ++i) {
    const Bytes frame = Bytes(98) + Bytes(211) * (i % 7);
    spec.streams.push_back(constantStream(0, 1, frame, Fraction::partsPerTrillion(25'000'000'000)));
    spec.streams.back().group = i % 16;
    spec.streams.back().start = Picoseconds(1237) * i;
  }
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  std::uint64_t frames = 0;
  for (const StreamResult& stream : result.streams) {
    EXPECT_GT(stream.sent_frames, 0U);
    EXPECT_EQ(stream.received_frames, stream.sent_frames) << stream.name;
    frames += stream.sent_frames;
  }
  EXPECT_EQ(result.ports[0].tx_frames, frames);
  ASSERT_EQ(result.latency.size(), 16U);
  std::uint64_t measured = 0;
  for (const GroupLatency& group : result.latency) {
    measured += group.histogram.count();
    // Waiting happens before the departure stamp: the latency is the link's delay alone.
    EXPECT_NEAR(static_cast<double>(group.histogram.minimum()), 500'000, 3104);
    EXPECT_NEAR(static_cast<double>(group.histogram.maximum()), 500'000, 3104);
  }
  EXPECT_EQ(measured, frames);
}

// Loss accounting: a DUT that drops, duplicates and reorders by script; every counter equals it.
TEST(RtlBenchCounters, EqualTheScriptOfTheDut) {
  TrialSpec spec = switchTrial(2, {constantStream(0, 1, Bytes(256), Fraction::percent(50)),
                                   constantStream(1, 0, Bytes(256), Fraction::percent(50))});
  using fabric::ImpairmentKind;
  // 22.08 ns / 0.5 apart: 453 frames in 20 us.
  spec.dut.impairments = {
      {ImpairmentKind::kDrop, 0, 0, {}},
      {ImpairmentKind::kDrop, 0, 17, {}},
      {ImpairmentKind::kDrop, 0, 18, {}},
      {ImpairmentKind::kDrop, 0, 452, {}},
      {ImpairmentKind::kDuplicate, 0, 5, {}},
      {ImpairmentKind::kDuplicate, 0, 300, {}},
      // Overtaken by about four frames.
      {ImpairmentKind::kDelay, 0, 100, nanoseconds(200)},
      {ImpairmentKind::kDelay, 1, 50, nanoseconds(200)},
      {ImpairmentKind::kDelay, 1, 60, nanoseconds(200)},
  };
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  const StreamResult& forward = result.streams[0];
  EXPECT_EQ(forward.sent_frames, 453U);
  EXPECT_EQ(forward.received_frames, 453U - 4 + 2);
  EXPECT_EQ(forward.lost, 4U);  // the first, two in a row, and the last, after which no gap shows
  EXPECT_EQ(forward.duplicate, 2U);
  EXPECT_EQ(forward.out_of_order, 1U);
  EXPECT_EQ(forward.stale, 0U);
  const StreamResult& reverse = result.streams[1];
  EXPECT_EQ(reverse.received_frames, 453U);
  EXPECT_EQ(reverse.lost + reverse.duplicate, 0U);
  EXPECT_EQ(reverse.out_of_order, 2U);
  // Duplicates have no latency of their own.
  EXPECT_EQ(result.latency.at(0).histogram.count(), 453U - 4 + 453);
}

// A frame older than the window of 128 cannot be distinguished from a duplicate: it counts as
// stale and as arrived, and has the largest latency.
TEST(RtlBenchCounters, ShowAFrameThatIsLaterThanTheWindow) {
  TrialSpec spec = switchTrial(2, {constantStream(0, 1, Bytes(256), Fraction::percent(50))});
  // 44.16 ns apart: some 226 frames overtake it.
  spec.dut.impairments = {{fabric::ImpairmentKind::kDelay, 0, 100, microseconds(10)}};
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.streams[0].received_frames, result.streams[0].sent_frames);
  EXPECT_EQ(result.streams[0].stale, 1U);
  EXPECT_EQ(result.streams[0].lost, 0U);
  EXPECT_EQ(result.streams[0].out_of_order, 0U);
  const stats::Histogram& latency = result.latency.at(0).histogram;
  EXPECT_EQ(latency.count(), result.streams[0].sent_frames);
  EXPECT_GE(latency.maximum(), latency.minimum() + 9'900'000U);
}

TEST(RtlBenchCounters, SeeEveryFrameThatABufferDrops) {
  TrialSpec spec =
      switchTrial(3, {burstStream(0, 2, Bytes(1024), 200), burstStream(1, 2, Bytes(1024), 200)});
  spec.dut.switches.buffer_per_port = Bytes(20'000);
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  std::uint64_t drops = 0;
  for (const DutPort& port : result.dut) drops += port.drops;
  EXPECT_GT(drops, 100U);
  EXPECT_EQ(result.lost(), drops);
  EXPECT_EQ(result.streams[0].received_frames + result.streams[1].received_frames, 400 - drops);
  EXPECT_THAT(result.dut.at(2).name, HasSubstr("port 2"));
}

TEST(RtlBenchCounters, AreOfTheHostsInUseWhereverTheyAre) {
  TrialSpec spec = switchTrial(8, {burstStream(6, 3, Bytes(512), 10)});
  const TrialResult result = run(spec);
  ASSERT_THAT(result.faults, IsEmpty());
  ASSERT_EQ(result.ports.size(), 7U);
  EXPECT_EQ(result.ports[6].tx_frames, 10U);
  EXPECT_EQ(result.ports[3].rx_frames, 10U);
  EXPECT_EQ(result.streams[0].received_frames, 10U);
}

TEST(RtlBenchBursts, HaveTheirExactCountAndGap) {
  for (const std::uint32_t frames : {1U, 2U, 1000U}) {
    const TrialResult result = run(
        linkTrial({burstStream(0, 1, Bytes(98), frames), burstStream(1, 0, Bytes(777), frames)}));
    ASSERT_THAT(result.faults, IsEmpty());
    EXPECT_EQ(result.streams[0].received_frames, frames);
    EXPECT_EQ(result.streams[1].received_frames, frames);
  }
}

// Determinism, on which resuming and comparing rest: neither earlier trials nor a fresh card change
// a trial's result.
TEST(RtlBenchRepeat, GivesTheSameResultEveryTime) {
  const TrialSpec spec = switchTrial(2, {constantStream(0, 1, Bytes(300), Fraction::percent(97)),
                                         constantStream(1, 0, Bytes(1000), Fraction::percent(33))});
  RtlBench reused;
  const std::string first = withoutWallTime(reused.run(spec, {}));
  reused.run(linkTrial({burstStream(0, 1, Bytes(99), 13)}), {});
  EXPECT_EQ(withoutWallTime(reused.run(spec, {})), first);
  RtlBench fresh({.trace_fst = {}, .fresh_card = true});
  EXPECT_EQ(withoutWallTime(fresh.run(spec, {})), first);
  EXPECT_EQ(withoutWallTime(fresh.run(spec, {})), first);
  // Watching does not change it either.
  std::uint64_t calls = 0;
  TrialHooks hooks;
  hooks.progress = [&](const TrialProgress&) { ++calls; };
  EXPECT_EQ(withoutWallTime(reused.run(spec, hooks)), first);
  EXPECT_GT(calls, 2U);
}

TEST(RtlBenchCapture, HandsOverEveryFrameOfThePort) {
  TrialSpec spec =
      switchTrial(3, {burstStream(0, 1, Bytes(200), 20), burstStream(1, 2, Bytes(300), 7),
                      burstStream(2, 0, Bytes(400), 5)});
  spec.capture_port = 1;
  std::vector<card::CapturedFrame> frames;
  TrialHooks hooks;
  hooks.captured = [&](const card::CapturedFrame& frame) { frames.push_back(frame); };
  const TrialResult result = sharedBench().run(spec, hooks);
  ASSERT_THAT(result.faults, IsEmpty());
  std::uint64_t sent = 0;
  for (const card::CapturedFrame& frame : frames) {
    if (frame.sent) ++sent;
    EXPECT_EQ(frame.bytes.size(), frame.sent ? 300U : 200U);
    EXPECT_TRUE(frame.fcs_ok);
    const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
    ASSERT_TRUE(decoded.ok() && decoded.fcs->ok() && decoded.icrc->ok() && decoded.tag);
    EXPECT_EQ(decoded.tag->row(), frame.sent ? 1U : 0U);
  }
  EXPECT_EQ(sent, 7U);
  EXPECT_EQ(frames.size(), 27U);
}

TEST(RtlBenchFaults, TellWhenTheDrainWasTooShort) {
  TrialSpec spec =
      switchTrial(3, {burstStream(0, 2, Bytes(4096), 100), burstStream(1, 2, Bytes(4096), 100)});
  spec.drain = microseconds(1);  // some 33 us of queue are left
  const TrialResult result = run(spec);
  EXPECT_THAT(result.faults, Contains(HasSubstr("still in the DUT")));
  // And the next trial is not affected by the remains.
  EXPECT_THAT(run(linkTrial({burstStream(0, 1, Bytes(128), 3)})).faults, IsEmpty());
}

TEST(RtlBenchRefusals, NameFramesThatAreLongerThanTheDutWaits) {
  const TrialSpec spec = linkTrial({burstStream(0, 1, Bytes(9216), 3)}, nanoseconds(50));
  EXPECT_THAT(sharedBench().refusals(spec), Contains(HasSubstr("9216 B")));
  EXPECT_THROW(run(spec), Error);
  EXPECT_THAT(
      sharedBench().refusals(linkTrial({burstStream(0, 1, Bytes(1024), 3)}, nanoseconds(50))),
      IsEmpty());
  TrialSpec cut = switchTrial(2, {burstStream(0, 1, Bytes(9216), 3)});
  EXPECT_THAT(sharedBench().refusals(cut), IsEmpty());
  cut.dut.switches.forwarding = fabric::Forwarding::kCutThrough;
  cut.dut.switches.latency = nanoseconds(200);
  EXPECT_THAT(sharedBench().refusals(cut), Contains(HasSubstr("store-and-forward")));
}

// The delay that the refusal recommends works: with the shortest accepted delay the longest frames
// pass.
TEST(RtlBenchRefusals, AllowNothingThatDoesNotRun) {
  for (const std::int64_t size : {1024, 4174, 9216}) {
    Picoseconds delay = nanoseconds(1);
    TrialSpec spec =
        linkTrial({burstStream(0, 1, Bytes(size), 20), burstStream(1, 0, Bytes(size), 20)}, delay);
    while (!sharedBench().refusals(spec).empty()) {
      delay += nanoseconds(1);
      spec.dut.topology.host_link_delay = delay;
    }
    EXPECT_LT(delay, nanoseconds(450));
    const TrialResult result = run(spec);
    EXPECT_THAT(result.faults, IsEmpty()) << size;
    EXPECT_EQ(result.lost(), 0U);
  }
}

// Reading the counters of a port takes longer than a frame: values of the ports, and of the DUT
// between them, are of one instant all the same.
TEST(RtlBench, ASnapshotIsOfOneInstant) {
  TrialSpec spec = switchTrial(2, {constantStream(0, 1, Bytes(1024), Fraction::one()),
                                   constantStream(1, 0, Bytes(1024), Fraction::one())});
  spec.duration = microseconds(200);
  Onlooker onlooker;
  TrialHooks hooks;
  hooks.observer = &onlooker;
  EXPECT_THAT(sharedBench().run(spec, hooks).faults, IsEmpty());
  ASSERT_GT(onlooker.seen.size(), 5u);
  const Picoseconds slot = frameSlot(Bytes(1024), gigabitsPerSecond(100));
  TrialSnapshot before;
  for (const TrialSnapshot& now : onlooker.seen) {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (const PortSnapshot& port : now.ports) {
      sent += port.tx_frames;
      received += port.rx_frames;
      for (const PortSnapshot& old : before.ports) {
        if (old.port != port.port) continue;
        // Whole frames: one at each end of the interval may be half inside.
        const Picoseconds longest = now.time - before.time + 2 * slot;
        EXPECT_LE(static_cast<std::int64_t>(port.tx_frames - old.tx_frames) * slot, longest);
        EXPECT_LE(static_cast<std::int64_t>(port.rx_frames - old.rx_frames) * slot, longest);
      }
    }
    EXPECT_LE(received, sent) << now.time.toMicroseconds();
    for (const LinkSnapshot& link : now.links) {
      for (const LinkSnapshot& old : before.links) {
        if (old.name != link.name) continue;
        EXPECT_LE(link.busy - old.busy, now.time - before.time + 2 * slot) << link.name;
      }
    }
    before = now;
  }
}

// Two senders whom PFC leaves half of the receiver's link each. Slots that are given up are not
// made up for after the trial: on both benches every frame that left has arrived in the short
// drain.
TEST(RtlBench, SendersUnderPfcSendAsManyFramesAsSimulatedHosts) {
  TrialSpec spec = switchTrial(3, {constantStream(1, 0, Bytes(1024), Fraction::one()),
                                   constantStream(2, 0, Bytes(1024), Fraction::one())});
  spec.duration = microseconds(100);
  spec.drain = microseconds(20);
  spec.dut.switches.pfc.emplace();
  spec.dut.switches.pfc->xoff = Bytes(20'000);
  spec.dut.switches.pfc->xon = Bytes(18'000);
  spec.dut.switches.pfc->headroom = Bytes(60'000);
  const TrialResult card = run(spec);
  const TrialResult hosts = SimBench({.line_rate = gigabitsPerSecond(100)}).run(spec, {});
  EXPECT_THAT(card.faults, IsEmpty());
  EXPECT_THAT(hosts.faults, IsEmpty());
  const double planned = 100e6 / 83'520;  // slots of 1,044 B at 100 Gb/s
  for (std::size_t i = 0; i < 2; ++i) {
    const auto sent = static_cast<double>(hosts.streams[i].sent_frames);
    EXPECT_EQ(card.streams[i].lost, 0U);
    EXPECT_EQ(hosts.streams[i].lost, 0U);
    EXPECT_NEAR(sent, planned / 2, 0.05 * planned);  // and what the switch holds
    EXPECT_NEAR(sent, static_cast<double>(card.streams[i].sent_frames), 0.02 * planned);
    EXPECT_NEAR(sent + static_cast<double>(hosts.streams[i].held_back), planned, 1);
  }
}

}  // namespace
}  // namespace plumbline::bench
