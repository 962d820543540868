// Credit-based flow control: no loss, line rate with enough credits, the credits' rate with few.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fabric/cbfc_chain.h"

namespace plumbline::fabric::testing {
namespace {

constexpr unsigned kOtherChannel = 4;

// creditedChain() with another channel like the first one.
FabricSpec twoChannels(std::uint32_t frames) {
  FabricSpec spec = creditedChain(frames);
  spec.switches.cbfc->channels |= 1U << kOtherChannel;
  return spec;
}

// From a frame's start into the link between the switches until its credits are back: handed over,
// sent on at once, last bit away, CF_Update back.
constexpr Picoseconds kRoundTrip =
    kSerialization + kChainDelay + kLatency + kSerialization + kChainDelay + kProcessing;

// A run of twoChannels() in which host 0 is a tester's port, which sends at line rate and knows
// nothing of credits: the link between the switches alone limits the channels.
struct ChainRun {
  std::vector<Record> departures;  // into the link between the switches
  std::uint64_t received = 0;

  [[nodiscard]] std::vector<Picoseconds> times(unsigned priority) const {
    std::vector<Picoseconds> times;
    for (const Record& one : departures) {
      if (one.priority == priority) times.push_back(one.time);
    }
    return times;
  }
};

struct Burst {
  Picoseconds start{};
  std::uint32_t frames = 0;
  std::uint32_t length = kLength;
  std::vector<unsigned> priorities{kChannel};  // frame by frame in turn
};

ChainRun runChain(const FabricSpec& spec, const std::vector<Burst>& bursts) {
  Fabric fabric(spec);
  RecordLog log(Observer::bit(RecordKind::kDeparture));
  fabric.observe(log);
  for (const Burst& burst : bursts) {
    const Picoseconds slot = frameSlot(Bytes(burst.length), gigabitsPerSecond(100));
    for (std::uint32_t i = 0; i < burst.frames; ++i) {
      const unsigned priority = burst.priorities[i % burst.priorities.size()];
      fabric.send(0, frame(0, 1, burst.length, priority), burst.start + slot * i);
    }
  }
  fabric.runUntil(milliseconds(100));
  const Balance balance = balanceOf(fabric);
  EXPECT_EQ(balance.ended(), balance.sent) << balance.text();
  EXPECT_EQ(balance.inside + balance.dropped, 0U) << balance.text();
  return {log.of(RecordKind::kDeparture, fabric.topology().requireLink("s0-s1", "test")),
          balance.received};
}

TEST(Cbfc, EnoughCreditsGiveLineRate) {
  // CL * size >= rate * round trip + a frame.
  const auto frames = static_cast<std::uint32_t>(kRoundTrip / kSlot) + 1;
  const auto times = runChain(twoChannels(frames), {{.frames = 500}}).times(kChannel);
  ASSERT_EQ(times.size(), 500U);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i] - times[i - 1], kSlot) << i;
  // A frame's worth of credits less is not enough.
  const auto fewer = runChain(twoChannels(frames - 1), {{.frames = 500}}).times(kChannel);
  EXPECT_GT(fewer.back() - fewer.front(), times.back() - times.front());
}

TEST(Cbfc, FewCreditsGiveCreditsPerRoundTrip) {
  for (const std::uint32_t frames : {1U, 10U, 25U}) {
    const auto times = runChain(twoChannels(frames), {{.frames = 400}}).times(kChannel);
    ASSERT_EQ(times.size(), 400U);
    for (std::size_t i = 0; i + frames < times.size(); ++i) {
      EXPECT_EQ(times[i + frames] - times[i], kRoundTrip) << i;
    }
  }
}

TEST(Cbfc, AThrottledChannelLeavesTheOthersAlone) {
  // Both channels get a sixth of the line, which is more than three frames per round trip.
  const Burst burst{.frames = 3'000, .priorities = {kChannel, kOtherChannel, 0, 0, 0, 0}};
  const ChainRun run = runChain(twoChannels(3), {burst});
  const ChainRun unlimited = runChain(twoChannels(3'000), {burst});
  EXPECT_EQ(run.received, 3'000U);
  for (const unsigned channel : {kChannel, kOtherChannel}) {
    EXPECT_GT(run.times(channel).back(), unlimited.times(channel).back() + microseconds(100));
  }
  // Each channel has credits of its own ...
  const Burst one{.frames = 3'000, .priorities = {kChannel, 0, 0, 0, 0, 0}};
  const auto alone = runChain(twoChannels(3), {one}).times(kChannel);
  EXPECT_LE(run.times(kChannel).back(), alone.back() + 2 * kSlot);
  // ... and frames without credits leave as they come, but for the frames in transmission.
  const auto others = run.times(0);
  const auto before = unlimited.times(0);
  ASSERT_EQ(others.size(), before.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_LE(others[i], before[i] + 2 * kSlot) << i;
  }
}

constexpr unsigned kVictim = 5;

// Channels 3 and 4 of twoChannels() as one virtual channel for `shared` frames; priority 5 on
// another one, for `victim` frames.
FabricSpec mapped(std::uint32_t shared, std::uint32_t victim) {
  FabricSpec spec = twoChannels(1);
  CbfcSpec& cbfc = *spec.switches.cbfc;
  cbfc.channels |= 1U << kVictim;
  cbfc.virtual_channels = {
      {.priorities = 1U << kChannel | 1U << kOtherChannel,
       .credits = shared * kLength / kCreditSize},
      {.priorities = 1U << kVictim, .credits = victim * kLength / kCreditSize}};
  return spec;
}

TEST(VirtualChannels, PrioritiesOfOneChannelShareItsCredits) {
  for (const std::uint32_t frames : {2U, 9U}) {
    const ChainRun run = runChain(mapped(frames, 1), {{.frames = 400, .priorities = {3, 4}}});
    ASSERT_EQ(run.departures.size(), 400U);
    for (std::size_t i = 0; i + frames < run.departures.size(); ++i) {
      EXPECT_EQ(run.departures[i + frames].time - run.departures[i].time, kRoundTrip) << i;
    }
  }
}

TEST(VirtualChannels, EachHasItsOwnLimit) {
  const auto full = static_cast<std::uint32_t>(kRoundTrip / kSlot) + 1;
  // What covers rate times round trip and a frame is enough for line rate, on either channel ...
  for (const unsigned priority : {kOtherChannel, kVictim}) {
    const auto times =
        runChain(mapped(full, full), {{.frames = 500, .priorities = {priority}}}).times(priority);
    ASSERT_EQ(times.size(), 500U);
    EXPECT_EQ(times.back() - times.front(), kSlot * 499);
  }
  // ... and one that has less gets its frames per round trip, whatever the other one has.
  for (const std::uint32_t frames : {1U, full / 2}) {
    const auto times =
        runChain(mapped(full, frames), {{.frames = 500, .priorities = {kVictim}}}).times(kVictim);
    for (std::size_t i = 0; i + frames < times.size(); ++i) {
      EXPECT_EQ(times[i + frames] - times[i], kRoundTrip) << i;
    }
  }
}

// s1 has a second host. Host 1 lets nothing of priority 4 through for a while; frames of `priority`
// for host 2 go on their way all the same, if they have credits.
struct BlockedRun {
  Picoseconds longest;                // latency of a frame to host 2, first bit to last
  std::size_t arrived_meanwhile = 0;  // of these
  std::size_t let_through = 0;        // frames for host 1 that left s0 meanwhile
  std::uint64_t most_queued = 0;      // in front of host 1 [bytes]
};

constexpr Picoseconds kBlocked = microseconds(20);
constexpr Picoseconds kBlockedFor = microseconds(300);
constexpr std::uint32_t kBlockedFrames = 60;  // credits of the channel

BlockedRun runBlocked(unsigned priority) {
  FabricSpec spec = mapped(kBlockedFrames, 60);
  GraphSpec& graph = spec.topology.graph;
  graph.hosts.emplace_back("h2");
  graph.cables.push_back({"s1", "h2", gigabitsPerSecond(100), nanoseconds(50)});
  spec.switches.buffer_per_port = Bytes(2'000);  // credits make room, nothing else does
  spec.storms.push_back({1, 1U << kOtherChannel, kBlocked, kBlockedFor});
  Fabric fabric(spec);
  RecordLog log(Observer::bit(RecordKind::kDeparture));
  fabric.observe(log);
  BlockedRun run;
  fabric.onDeliver([&](HostId to, const Packet& packet, Picoseconds time) {
    if (to != 2) return;
    const Picoseconds sent(static_cast<std::int64_t>(packet.stamp));
    run.longest = std::max(run.longest, time + kSerialization - sent);
    if (time >= kBlocked + microseconds(50) && time < kBlocked + kBlockedFor) {
      ++run.arrived_meanwhile;
    }
  });
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    const bool victim = i % 2 == 1;
    Packet packet = frame(0, victim ? 2 : 1, kLength, victim ? priority : kOtherChannel);
    packet.stamp = static_cast<std::uint64_t>((kSlot * 2 * i).count());
    fabric.send(0, packet, kSlot * 2 * i);
  }
  fabric.runUntil(milliseconds(10));
  const Balance balance = balanceOf(fabric);
  EXPECT_EQ(balance.received, 2'000U) << balance.text();
  const LinkId between = fabric.topology().requireLink("s0-s1", "test");
  for (const Record& one : log.of(RecordKind::kDeparture, between)) {
    const bool meanwhile =
        one.time >= kBlocked + microseconds(50) && one.time < kBlocked + kBlockedFor;
    if (one.packet.destination == 1 && meanwhile) ++run.let_through;
  }
  run.most_queued =
      fabric.linkCounters(fabric.topology().requireLink("s1-h1", "test")).max_queue_bytes;
  return run;
}

TEST(VirtualChannels, AVictimOnAChannelOfItsOwnIsNotBlocked) {
  const BlockedRun run = runBlocked(kVictim);
  // The blocked channel has as much in front of host 1 as it has credits, and then stands still.
  EXPECT_EQ(run.most_queued, std::uint64_t{kBlockedFrames} * kLength);
  EXPECT_EQ(run.let_through, 0U);
  // The victim sends a frame in four slots, and each is as fast as on an idle way, but for one
  // frame of the other channel in transmission at each of three ports.
  EXPECT_NEAR(static_cast<double>(run.arrived_meanwhile),
              (kBlockedFor - microseconds(50)).toNanoseconds() / (4 * kSlot).toNanoseconds(), 1.5);
  const Picoseconds idle = kSerialization * 3 + kChainDelay + nanoseconds(50) * 2 + kLatency * 2;
  EXPECT_GE(run.longest, idle);
  EXPECT_LE(run.longest, idle + kSlot * 3);
}

TEST(VirtualChannels, AVictimOnTheBlockedChannelIs) {
  const BlockedRun run = runBlocked(kChannel);
  EXPECT_EQ(run.let_through, 0U);
  EXPECT_EQ(run.arrived_meanwhile, 0U);
  // Priorities of one channel are blocked together, for as long as that host blocks one of them.
  EXPECT_GT(run.longest, kBlockedFor - microseconds(50));
}

TEST(Cbfc, CreditsAreAllBackWhenNothingMoves) {
  constexpr std::uint32_t kFrames = 10;
  // Enough frames of odd length for the 15-bit counter of freed credits to wrap: 700 of 72 credits.
  const auto times =
      runChain(twoChannels(kFrames), {{.frames = 700, .length = 9'101},
                                      {.start = milliseconds(20), .frames = 2 * kFrames}})
          .times(kChannel);
  ASSERT_EQ(times.size(), 700U + 2 * kFrames);
  // All of the credits are there again, and not one more.
  for (std::size_t i = 701; i < 700 + kFrames; ++i) EXPECT_EQ(times[i] - times[i - 1], kSlot);
  EXPECT_EQ(times[700 + kFrames] - times[700], kRoundTrip);
}

TEST(Cbfc, NothingIsLostWhereABufferWouldOverflow) {
  for (const unsigned priority : {kChannel, 0U}) {
    FabricSpec spec = twoChannels(16);
    spec.topology.kind = TopologyKind::kSingleSwitch;
    spec.topology.hosts = 9;
    spec.switches.buffer_per_port = Bytes(40'000);
    ListFabric fabric(spec);
    for (HostId from = 0; from < 8; ++from) {
      fabric.host(from).addMany(frame(from, 8, kLength, priority), 200);
    }
    fabric.drain();
    const Balance balance = fabric.expectConserved();
    EXPECT_EQ(balance.dropped == 0, priority == kChannel);
    if (priority != kChannel) continue;
    EXPECT_EQ(fabric.host(8).arrivals().size(), 1'600U);
    // Never more in the switch than the credits of all inputs stand for.
    EXPECT_LE(totalCounters(*fabric).max_queue_bytes, 8U * 16U * kLength);
  }
}

TEST(Cbfc, GoesTogetherWithPfcOnOtherPriorities) {
  FabricSpec spec = twoChannels(16);
  PfcSpec pfc;
  pfc.priorities = 1U << 5;
  pfc.response = nanoseconds(900);  // later than credits that are sent behind it
  spec.switches.pfc = pfc;
  spec.storms.push_back({1, 1U << 5, microseconds(10), microseconds(200)});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 500);
  fabric.host(0).addMany(frame(0, 1, kLength, 5), 300);
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  EXPECT_EQ(fabric.host(1).arrivals().size(), 800U);
  const Picoseconds from = microseconds(10) + nanoseconds(50 + 900) + Picoseconds(5'120);
  std::uint64_t credited_meanwhile = 0;
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("s1-h1"))) {
    if (one.time < from || one.time >= from + microseconds(200)) continue;
    EXPECT_EQ(one.priority, kChannel);
    ++credited_meanwhile;
  }
  EXPECT_GT(credited_meanwhile, 100U);
}

// A frame needs its credits even if it is the only one; without them it stands in front of its
// channel, at a host as at a switch, and holds nothing else back.
TEST(Cbfc, AFrameAboveTheLimitNeverLeaves) {
  for (const bool from_host : {true, false}) {
    for (const bool enough : {true, false}) {
      SCOPED_TRACE(std::to_string(int{from_host}) + std::to_string(int{enough}));
      FabricSpec spec = twoChannels(1);
      if (!enough) --spec.switches.cbfc->credits;
      Fabric fabric(spec);
      ListHost sender;
      ListHost receiver;
      fabric.attach(1, receiver);
      if (from_host) {
        fabric.attach(0, sender);
        sender.addMany(frame(0, 1, kLength, kChannel), 3);
        sender.addMany(frame(0, 1, kCreditSize, kOtherChannel), 5);
      } else {
        const Picoseconds slot = frameSlot(Bytes(kLength), gigabitsPerSecond(100));
        for (std::int64_t i = 0; i < 3; ++i) {
          fabric.send(0, frame(0, 1, kLength, kChannel), slot * i);
        }
        for (std::int64_t i = 3; i < 8; ++i) {
          fabric.send(0, frame(0, 1, kCreditSize, kOtherChannel), slot * i);
        }
      }
      fabric.runUntil(milliseconds(10));
      EXPECT_EQ(receiver.arrivals().size(), enough ? 8U : 5U);
      EXPECT_EQ(fabric.framesInside(), enough ? 0U : from_host ? 1U : 3U);
      EXPECT_TRUE(fabric.isDeadlocked());
    }
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
