// Link-level retry where a frame arrives and its ACK does not.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/fabric/llr_chain.h"

namespace plumbline::fabric::testing {
namespace {

// The first frame leaves then, and has arrived just before the cable is down, with which its ACK is
// lost.
const Picoseconds kSent = departureOf(0, Picoseconds(0));
const Picoseconds kDown = kSent + kLongSerialization + kChainDelay + nanoseconds(1);
const Picoseconds kUp = kDown + nanoseconds(500);
const Picoseconds kRepeated = kUp + kTimer;

// Has host 0 send the first frame, and another one that is at hand in the first switch at `time`.
void addFrameBehind(ListFabric& fabric, Picoseconds time) {
  Packet packet = frame(0, 1, kLongLength);
  fabric.host(0).add(packet, Picoseconds(0));
  ++packet.psn;
  fabric.host(0).add(packet, time - kSent);
}

// When the second frame leaves the first switch.
Picoseconds secondDeparture(const ListFabric& fabric) {
  const auto departures = fabric.log().of(RecordKind::kDeparture, fabric.link("s0-s1"));
  return departures.size() == 2 ? departures[1].time : kNever;
}

TEST(LlrAck, WhatTheSenderDoesNotHearOfIsRepeatedAndDropped) {
  ListFabric fabric(flappingChain({{kDown, kUp}}));
  addFrameBehind(fabric, kRepeated + Picoseconds(1));
  fabric.drain();
  expectAllInOrder(fabric, 2U);
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_EQ(counters.replayed, 1U);
  EXPECT_EQ(counters.replayed_bytes, kLongLength);
  EXPECT_EQ(counters.retries, 0U);
  EXPECT_EQ(counters.nacks, 0U);
  // The copy was on the wire.
  EXPECT_EQ(secondDeparture(fabric), kRepeated + kLongSlot);
}

TEST(LlrAck, TheNextOneMakesUpForIt) {
  const Picoseconds in_time = kRepeated - kAnswer - kLongSerialization;
  for (const Picoseconds late : {Picoseconds(0), Picoseconds(1)}) {
    ListFabric fabric(flappingChain({{kDown, kUp}}));
    addFrameBehind(fabric, in_time + late);
    fabric.drain();
    expectAllInOrder(fabric, 2U);
    EXPECT_EQ(secondDeparture(fabric), in_time + late);
    // A copy that has begun is finished; the ACK is there before the next one could begin.
    EXPECT_EQ(fabric.counters("s0-s1").replayed, late == Picoseconds(0) ? 0U : 1U);
  }
}

// The timer runs out while the second frame is on the wire: both are outstanding then.
TEST(LlrAck, EverythingOutstandingIsRepeated) {
  ListFabric fabric(flappingChain({{kDown, kUp}}));
  addFrameBehind(fabric, kRepeated - Picoseconds(1));
  fabric.drain();
  expectAllInOrder(fabric, 2U);
  EXPECT_EQ(fabric.counters("s0-s1").replayed, 2U);
}

// The first copy's ACK is lost as well, and the timer begins anew when the cable is back.
TEST(LlrAck, ACopyWhoseAckIsLostIsRepeatedToo) {
  const Picoseconds down = kRepeated + kLongSerialization + kChainDelay + nanoseconds(51);
  const Picoseconds up = down + nanoseconds(100);
  ListFabric fabric(flappingChain({{kDown, kUp}, {down, up}}));
  addFrameBehind(fabric, up + kTimer + Picoseconds(1));
  fabric.drain();
  expectAllInOrder(fabric, 2U);
  EXPECT_EQ(fabric.counters("s0-s1").replayed, 2U);
  EXPECT_EQ(secondDeparture(fabric), up + kTimer + kLongSlot);
}

TEST(LlrAck, AnOutageThatIsNotWaitedForEndsIt) {
  ListFabric fabric(flappingChain({{kDown, kDown + kLongest + Picoseconds(1)}}));
  fabric.host(0).addMany(frame(0, 1, kLongLength), 1);
  fabric.drain();
  expectAllInOrder(fabric, 1U);
  EXPECT_EQ(fabric.counters("s0-s1").replayed, 0U);
}

// What is too old is forgotten; it has arrived, so nothing is lost but the time of an INIT.
TEST(LlrAck, WhatIsTooOldCostsAnInit) {
  const Picoseconds age = microseconds(5);
  FabricSpec spec = flappingChain({{kDown, kUp}});
  spec.switches.llr->data_age = age;
  ListFabric fabric(spec);
  addFrameBehind(fabric, kSent + age + Picoseconds(1));
  fabric.drain();
  expectAllInOrder(fabric, 2U);
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_EQ(counters.replayed, 0U);
  EXPECT_EQ(counters.inits, 1U);
  EXPECT_EQ(secondDeparture(fabric), kSent + age + kAnswer);
}

TEST(LlrAck, AHostRepeatsToo) {
  FabricSpec spec = flappingChain({});
  const Picoseconds arrived = kLongSerialization + nanoseconds(50);
  spec.failures.push_back({"h0-s0", arrived + nanoseconds(1), arrived + nanoseconds(500)});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), 1);
  fabric.drain();
  expectAllInOrder(fabric, 1U);
  EXPECT_EQ(fabric.counters("h0-s0").replayed, 1U);
}

// ACKs are destroyed by bit errors of the way back alone, each with probability p.
constexpr double kBackRate = 1e-3;
const double kLost = 1 - std::pow(1 - kBackRate, 64);

TEST(LlrAck, BitErrorsDestroyAcks) {
  ListFabric fabric(retryingChain(0, kBackRate), 0);
  fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), microseconds(300));
  fabric.drain(seconds(7));
  expectAllInOrder(fabric, kFrames);
  const LinkCounters counters = fabric.counters("s0-s1");
  const double mean = kFrames * kLost / (1 - kLost);
  const double deviation = std::sqrt(kFrames * kLost) / (1 - kLost);
  EXPECT_NEAR(static_cast<double>(counters.replayed), mean, 3.29 * deviation);
  EXPECT_EQ(counters.damaged, 0U);
  EXPECT_EQ(counters.retries, 0U);
}

TEST(LlrAck, UsedUpReplaysCostAnInit) {
  for (const std::uint32_t replays : {0U, 1U}) {
    FabricSpec spec = retryingChain(0, kBackRate);
    spec.switches.llr->max_replays = replays;
    ListFabric fabric(spec, 0);
    fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), microseconds(300));
    fabric.drain(seconds(7));
    expectAllInOrder(fabric, kFrames);
    const LinkCounters counters = fabric.counters("s0-s1");
    // Every INIT needs an ECHO, which is lost as often.
    const double given_up = kFrames * std::pow(kLost, replays + 1);
    EXPECT_NEAR(static_cast<double>(counters.inits), given_up / (1 - kLost),
                3.29 * std::sqrt(given_up * (1 + kLost)) / (1 - kLost))
        << replays;
    const double repeated = replays * kFrames * kLost;
    EXPECT_NEAR(static_cast<double>(counters.replayed), repeated,
                3.29 * std::sqrt(repeated * (1 - kLost)))
        << replays;
  }
}

// On a full line the next frame's ACK always comes in time.
TEST(LlrAck, AFullLineNeedsNoReplay) {
  ListFabric fabric(retryingChain(0, 1e-3), 0);
  fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames);
  fabric.drain();
  expectAllInOrder(fabric, kFrames);
  EXPECT_LE(fabric.counters("s0-s1").replayed, 4U);  // of the very last ones
}

}  // namespace
}  // namespace plumbline::fabric::testing
