// Credit-based flow control: no loss, line rate with enough credits, the credits' rate with few.
#include <gtest/gtest.h>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

constexpr unsigned kChannel = 3;
constexpr unsigned kOtherChannel = 4;
constexpr std::uint32_t kLength = 1'024;
constexpr Picoseconds kSerialization{81'920};  // at 100 Gb/s
constexpr Picoseconds kSlot{83'520};
constexpr Picoseconds kDelay = microseconds(1);
constexpr Picoseconds kLatency = nanoseconds(600);
constexpr Picoseconds kProcessing = nanoseconds(100);

// Two hosts, two switches; between the switches a link of kDelay. A channel's credits are for
// `frames` frames, returned frame by frame.
FabricSpec chain(std::uint32_t frames) {
  FabricSpec spec = GraphBuilder(2, 2)
                        .cable("h0", "s0", gigabitsPerSecond(100), nanoseconds(50))
                        .cable("s0", "s1", gigabitsPerSecond(100), kDelay)
                        .cable("s1", "h1", gigabitsPerSecond(100), nanoseconds(50))
                        .spec();
  CbfcSpec cbfc;
  cbfc.channels = 1U << kChannel | 1U << kOtherChannel;
  cbfc.credit_size = Bytes(128);
  cbfc.credits = frames * kLength / 128;
  cbfc.update_spacing = Bytes(1);
  cbfc.processing = kProcessing;
  cbfc.consumed_period = Picoseconds(0);
  spec.switches.cbfc = cbfc;
  return spec;
}

// From a frame's start into the link between the switches until its credits are back: handed over,
// sent on at once, last bit away, CF_Update back.
constexpr Picoseconds kRoundTrip =
    kSerialization + kDelay + kLatency + kSerialization + kDelay + kProcessing;

// A run of chain() in which host 0 is a tester's port, which sends at line rate and knows nothing
// of credits: the link between the switches alone limits the channels.
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
  const auto times = runChain(chain(frames), {{.frames = 500}}).times(kChannel);
  ASSERT_EQ(times.size(), 500U);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i] - times[i - 1], kSlot) << i;
  // A frame's worth of credits less is not enough.
  const auto fewer = runChain(chain(frames - 1), {{.frames = 500}}).times(kChannel);
  EXPECT_GT(fewer.back() - fewer.front(), times.back() - times.front());
}

TEST(Cbfc, FewCreditsGiveCreditsPerRoundTrip) {
  for (const std::uint32_t frames : {1U, 10U, 25U}) {
    const auto times = runChain(chain(frames), {{.frames = 400}}).times(kChannel);
    ASSERT_EQ(times.size(), 400U);
    for (std::size_t i = 0; i + frames < times.size(); ++i) {
      EXPECT_EQ(times[i + frames] - times[i], kRoundTrip) << i;
    }
  }
}

TEST(Cbfc, AThrottledChannelLeavesTheOthersAlone) {
  // Both channels get a sixth of the line, which is more than three frames per round trip.
  const Burst burst{.frames = 3'000, .priorities = {kChannel, kOtherChannel, 0, 0, 0, 0}};
  const ChainRun run = runChain(chain(3), {burst});
  const ChainRun unlimited = runChain(chain(3'000), {burst});
  EXPECT_EQ(run.received, 3'000U);
  for (const unsigned channel : {kChannel, kOtherChannel}) {
    EXPECT_GT(run.times(channel).back(), unlimited.times(channel).back() + microseconds(100));
  }
  // Each channel has credits of its own ...
  const Burst one{.frames = 3'000, .priorities = {kChannel, 0, 0, 0, 0, 0}};
  const auto alone = runChain(chain(3), {one}).times(kChannel);
  EXPECT_LE(run.times(kChannel).back(), alone.back() + 2 * kSlot);
  // ... and frames without credits leave as they come, but for the frames in transmission.
  const auto others = run.times(0);
  const auto before = unlimited.times(0);
  ASSERT_EQ(others.size(), before.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_LE(others[i], before[i] + 2 * kSlot) << i;
  }
}

TEST(Cbfc, CreditsAreAllBackWhenNothingMoves) {
  constexpr std::uint32_t kFrames = 10;
  // Enough frames of odd length for the 15-bit counter of freed credits to wrap: 700 of 72 credits.
  const auto times = runChain(chain(kFrames), {{.frames = 700, .length = 9'101},
                                               {.start = milliseconds(20), .frames = 2 * kFrames}})
                         .times(kChannel);
  ASSERT_EQ(times.size(), 700U + 2 * kFrames);
  // All of the credits are there again, and not one more.
  for (std::size_t i = 701; i < 700 + kFrames; ++i) EXPECT_EQ(times[i] - times[i - 1], kSlot);
  EXPECT_EQ(times[700 + kFrames] - times[700], kRoundTrip);
}

TEST(Cbfc, NothingIsLostWhereABufferWouldOverflow) {
  for (const unsigned priority : {kChannel, 0U}) {
    FabricSpec spec = chain(16);
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
  FabricSpec spec = chain(16);
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

}  // namespace
}  // namespace plumbline::fabric::testing
