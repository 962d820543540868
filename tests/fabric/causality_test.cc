// What send() takes and what it refuses, at the exact boundaries.
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

constexpr Picoseconds kNow = microseconds(10);

// True if a frame of 1000 bytes sent at `first_bit` is taken when the clock shows kNow.
bool taken(const FabricSpec& spec, Picoseconds first_bit) {
  Fabric fabric(spec);
  Log log;
  log.watch(fabric);
  fabric.runUntil(kNow);
  try {
    fabric.send(0, packetTo(0, 1, 1000), first_bit);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_FALSE(fabric.nextEvent().has_value()) << "a refused frame must leave no trace";
    return false;
  }
  drain(fabric);
  EXPECT_EQ(log.deliveries.size(), 1U);
  if (!log.deliveries.empty()) {
    EXPECT_EQ(log.deliveries[0].time, first_bit + fabric.unloadedLatency(0, 1, Bytes(1000)));
  }
  return true;
}

TEST(Causality, StoreAndForwardNeedsTheForwardedFirstBitToBeAhead) {
  const Picoseconds boundary = kNow - nanoseconds(50 + 600) - bytesTime(1000);
  EXPECT_FALSE(taken(switchSpec(2), boundary));
  EXPECT_TRUE(taken(switchSpec(2), boundary + Picoseconds(1)));
  EXPECT_FALSE(taken(closSpec(2, 1, 1), boundary));
  EXPECT_TRUE(taken(closSpec(2, 1, 1), boundary + Picoseconds(1)));
}

TEST(Causality, CutThroughNeedsTheForwardedFirstBitToBeAhead) {
  FabricSpec spec = switchSpec(2);
  spec.switches.forwarding = Forwarding::kCutThrough;
  const Picoseconds boundary = kNow - nanoseconds(50 + 600);
  EXPECT_FALSE(taken(spec, boundary));
  EXPECT_TRUE(taken(spec, boundary + Picoseconds(1)));
}

TEST(Causality, BareLinkNeedsTheArrivalToBeAhead) {
  const Picoseconds boundary = kNow - nanoseconds(50);
  EXPECT_FALSE(taken(linkSpec(), boundary));
  EXPECT_TRUE(taken(linkSpec(), boundary + Picoseconds(1)));
}

TEST(Causality, AHostsScriptDoesNotMoveTheBoundary) {
  FabricSpec spec = switchSpec(2);
  spec.impairments = {{ImpairmentKind::kDrop, 0, 99, {}}};
  const Picoseconds boundary = kNow - nanoseconds(50 + 600) - bytesTime(1000);
  EXPECT_FALSE(taken(spec, boundary));
  EXPECT_TRUE(taken(spec, boundary + Picoseconds(1)));
}

TEST(Wire, FramesOfAHostMustNotOverlap) {
  Fabric fabric(switchSpec(3));
  fabric.send(0, packetTo(0, 1, 100), nanoseconds(100));
  // The next first bit needs the frame and its own preamble of 8 bytes before it.
  const Picoseconds earliest = nanoseconds(100) + bytesTime(108);
  EXPECT_THROW(fabric.send(0, packetTo(0, 1, 100), earliest - Picoseconds(1)), Error);
  EXPECT_THROW(fabric.send(0, packetTo(0, 1, 100), nanoseconds(50)), Error);
  EXPECT_NO_THROW(fabric.send(1, packetTo(1, 2, 100), nanoseconds(50)));  // another wire
  EXPECT_NO_THROW(fabric.send(0, packetTo(0, 1, 100), earliest));
}

TEST(Wire, RefusesWhatIsNotAFrameOrAHost) {
  Fabric fabric(switchSpec(3));
  const Picoseconds when = nanoseconds(100);
  EXPECT_THROW(fabric.send(3, packetTo(3, 1, 100), when), Error);
  EXPECT_THROW(fabric.send(0, packetTo(0, 3, 100), when), Error);
  EXPECT_THROW(fabric.send(0, packetTo(0, 0, 100), when), Error);
  EXPECT_THROW(fabric.send(0, packetTo(0, 1, 0), when), Error);
  EXPECT_THROW(fabric.send(0, packetTo(0, 1, 65'536), when), Error);
  EXPECT_FALSE(fabric.nextEvent().has_value());
  EXPECT_NO_THROW(fabric.send(0, packetTo(0, 1, 65'535), when));
}

TEST(Wire, ErrorSaysWhoWhatAndWhatIsRight) {
  Fabric fabric(switchSpec(3));
  fabric.send(0, packetTo(0, 1, 100), nanoseconds(100));
  try {
    fabric.send(0, packetTo(0, 1, 100), nanoseconds(101));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "fabric host 0");
    EXPECT_NE(std::string(error.what()).find("101000 ps"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("time order"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
