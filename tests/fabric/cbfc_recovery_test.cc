// Credits of frames that never reach the receiver: gone without CC_Update, back with it.
#include <gtest/gtest.h>

#include "tests/fabric/cbfc_chain.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::int64_t kCreditsEach = kLength / kCreditSize;  // of a frame
constexpr Picoseconds kControlSerialization{5'120};
constexpr Picoseconds kControlSlot{6'720};

std::uint64_t dropsOf(const LinkCounters& counters, DropReason reason) {
  return counters.drops[static_cast<unsigned>(reason)];
}

std::vector<Picoseconds> departures(const ListFabric& fabric, const std::string& link) {
  std::vector<Picoseconds> times;
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link(link))) {
    times.push_back(one.time);
  }
  return times;
}

// Every frame of every link is accounted for.
void expectNoCreditInUse(ListFabric& fabric) {
  const Topology& topology = fabric->topology();
  for (LinkId link = 0; link < topology.links().size(); ++link) {
    EXPECT_EQ(fabric->linkCounters(link).credits_in_use, 0) << topology.linkName(link);
  }
}

TEST(CbfcRecovery, WithoutCcUpdateLostFramesStarveTheChannel) {
  constexpr std::uint32_t kCreditedFrames = 40;
  FabricSpec spec = creditedChain(kCreditedFrames, kNeverTold);
  spec.bit_errors = {{"s0-s1", 1e-5}};  // one frame in thirteen
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 3'000);
  fabric.drain();
  fabric.expectConserved();
  const LinkCounters counters = fabric.counters("s0-s1");
  // Every lost frame keeps its credits, until they are all with lost frames.
  EXPECT_EQ(dropsOf(counters, DropReason::kCorrupt), kCreditedFrames);
  EXPECT_EQ(counters.credits_in_use, kCreditedFrames * kCreditsEach);
  EXPECT_LT(counters.packets, 3'000U);
  EXPECT_GT(fabric->framesInside(), 0U);
  EXPECT_EQ(counters.consumed_updates, 0U);
}

TEST(CbfcRecovery, WithCcUpdateTheChannelGoesOn) {
  for (const Forwarding mode : {Forwarding::kStoreAndForward, Forwarding::kCutThrough}) {
    FabricSpec spec = creditedChain(40, microseconds(1));
    spec.switches.forwarding = mode;
    spec.bit_errors = {{"*", 1e-5}};
    ListFabric fabric(spec);
    fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 3'000);
    fabric.host(1).addMany(frame(1, 0, kLength, kChannel), 3'000);
    fabric.drain();
    const Balance balance = fabric.expectConserved();
    EXPECT_EQ(balance.sent, 6'000U);
    EXPECT_EQ(balance.inside, 0U);
    EXPECT_GT(dropsOf(fabric.counters("s0-s1"), DropReason::kCorrupt), 100U);
    // Some updates were hit as well; what they would have told, the next ones did.
    const LinkCounters total = totalCounters(*fabric);
    EXPECT_GT(total.damaged, dropsOf(total, DropReason::kCorrupt));
    expectNoCreditInUse(fabric);
  }
}

TEST(CbfcRecovery, CreditsAreBackAPeriodAndARoundTripLater) {
  constexpr Picoseconds kPeriod = microseconds(10);
  for (const Forwarding mode : {Forwarding::kStoreAndForward, Forwarding::kCutThrough}) {
    FabricSpec spec = creditedChain(1, kPeriod);
    spec.switches.forwarding = mode;
    spec.impairments = {{ImpairmentKind::kDrop, 0, 0, {}}};
    ListFabric fabric(spec);
    fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 2);
    fabric.drain();
    const auto times = departures(fabric, "h0-s0");
    ASSERT_EQ(times.size(), 2U);
    // The update is dealt with as a frame, and answered at once.
    const bool stored = mode == Forwarding::kStoreAndForward;
    EXPECT_EQ(times[1] - times[0], kPeriod + (stored ? kControlSerialization : Picoseconds(0)) +
                                       kHostDelay + kLatency + kHostDelay + kProcessing);
    EXPECT_EQ(fabric.host(1).arrivals().size(), 1U);
    expectNoCreditInUse(fabric);
  }
}

TEST(CbfcRecovery, AnUpdateTakesItsTimeOnTheWire) {
  constexpr Picoseconds kPeriod = microseconds(1);
  constexpr std::uint32_t kFrames = 100;
  ListFabric fabric(creditedChain(kFrames, kPeriod));
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), kFrames);
  fabric.drain();
  const auto times = departures(fabric, "h0-s0");
  ASSERT_EQ(times.size(), kFrames);
  // The first frame not told of starts the period; the update waits for the frame on the wire.
  std::uint64_t updates = 0;
  Picoseconds unreported = times[0];
  for (std::size_t i = 1; i < times.size(); ++i) {
    const bool update = unreported != kNever && times[i - 1] + kSlot >= unreported + kPeriod;
    EXPECT_EQ(times[i] - times[i - 1], update ? kSlot + kControlSlot : kSlot) << i;
    if (!update) continue;
    ++updates;
    unreported = times[i];
  }
  // One more when the last frames have left, and then no more.
  EXPECT_EQ(fabric.counters("h0-s0").consumed_updates, updates + 1);
  EXPECT_GT(updates, 5U);
  EXPECT_EQ(fabric.counters("h0-s0").control, 0U);
  EXPECT_EQ(fabric.counters("s0-h0").consumed_updates, 0U);
}

TEST(CbfcRecovery, LostUpdatesAreRepeatedUntilTheLinkIsBack) {
  constexpr Picoseconds kPeriod = microseconds(10);
  FabricSpec spec = creditedChain(10, kPeriod);
  spec.convergence = seconds(1);
  spec.failures = {{"s0-s1", Picoseconds(1), microseconds(95)}};
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 15);
  fabric.drain();
  fabric.expectConserved();
  // Ten frames are lost with all credits; nine updates are lost before the tenth gets through.
  EXPECT_EQ(dropsOf(fabric.counters("s0-s1"), DropReason::kLinkDown), 10U);
  EXPECT_EQ(fabric.host(1).arrivals().size(), 5U);
  const auto times = departures(fabric, "s0-s1");
  ASSERT_EQ(times.size(), 15U);
  EXPECT_EQ(times[10] - times[0], 10 * kPeriod + kControlSerialization + kChainDelay + kLatency +
                                      kChainDelay + kProcessing);
  EXPECT_EQ(fabric.counters("s0-s1").consumed_updates, 11U);
  expectNoCreditInUse(fabric);
}

TEST(CbfcRecovery, NothingMovesForEverOnALinkThatNeverComesBack) {
  FabricSpec spec = creditedChain(10, microseconds(10));
  spec.convergence = seconds(1);
  spec.failures = {{"s0-s1", Picoseconds(1), {}}};
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 15);
  fabric.drain();
  EXPECT_EQ(fabric.counters("s0-s1").consumed_updates, 1U);
  EXPECT_EQ(fabric.counters("s0-s1").credits_in_use, 10 * kCreditsEach);
  EXPECT_GT(fabric->framesInside(), 0U);
  EXPECT_EQ(fabric->framesInside() + fabric.host(0).unsent(), 5U);
}

TEST(CbfcRecovery, WithRetryAnUpdateDoesNotOvertakeReplays) {
  FabricSpec spec = creditedChain(40, microseconds(3));
  spec.switches.llr = LlrSpec{};
  for (auto& cable : spec.topology.graph.cables) cable.delay = kChainDelay;
  spec.bit_errors = {{"*", 3e-6}};
  ListFabric fabric(spec);
  for (int i = 0; i < 2'000; ++i) {
    fabric.host(0).add(frame(0, 1, kLength, kChannel), nanoseconds(400) * i);
  }
  for (int step = 1; step <= 1'000; ++step) {
    fabric->runUntil(microseconds(1) * step);
    // Credits of a frame taken for lost would come back twice.
    for (const char* link : {"h0-s0", "s0-s1", "s1-h1"}) {
      ASSERT_GE(fabric.counters(link).credits_in_use, 0) << link;
    }
  }
  fabric.drain();
  EXPECT_EQ(fabric.host(1).arrivals().size(), 2'000U);
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_GT(counters.retries, 20U);
  EXPECT_GT(counters.consumed_updates, 100U);
  expectNoCreditInUse(fabric);
}

TEST(CbfcRecovery, FramesWithoutARouteGiveTheirCreditsBack) {
  FabricSpec spec = creditedChain(10, kNeverTold);
  spec.convergence = Picoseconds(0);
  spec.failures = {{"s1-h1", Picoseconds(0), {}}};
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 100, microseconds(1));
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().inside, 0U);
  EXPECT_EQ(dropsOf(totalCounters(*fabric), DropReason::kNoRoute), 100U);
  expectNoCreditInUse(fabric);
}

TEST(CbfcRecovery, ACopyIsFreedTwiceUntilAnUpdateTakesItBack) {
  for (const Picoseconds period : {kNeverTold, microseconds(10)}) {
    FabricSpec spec = creditedChain(10, period);
    spec.impairments = {{ImpairmentKind::kDuplicate, 0, 0, {}}};
    ListFabric fabric(spec);
    fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 1);
    fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 100, microseconds(50));
    fabric->runUntil(microseconds(40));
    EXPECT_EQ(fabric.counters("h0-s0").credits_in_use, period == kNeverTold ? -kCreditsEach : 0);
    fabric.drain();
    EXPECT_EQ(fabric.host(1).arrivals().size(), 102U);
    EXPECT_EQ(fabric.counters("h0-s0").credits_in_use, period == kNeverTold ? -kCreditsEach : 0);
  }
}

// A frame that comes late is taken for lost, and taken back.
TEST(CbfcRecovery, AFrameHeldBackIsCountedOnce) {
  FabricSpec spec = creditedChain(10, microseconds(10));
  spec.impairments = {{ImpairmentKind::kDelay, 0, 0, microseconds(30)}};
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 1);
  fabric.host(0).addMany(frame(0, 1, kLength, kChannel), 1, microseconds(50));
  fabric->runUntil(microseconds(20));
  EXPECT_EQ(fabric.counters("h0-s0").credits_in_use, 0);
  fabric->runUntil(microseconds(45));
  EXPECT_EQ(fabric.counters("h0-s0").credits_in_use, -kCreditsEach);
  fabric.drain();
  EXPECT_EQ(fabric.host(1).arrivals().size(), 2U);
  expectNoCreditInUse(fabric);
}

TEST(CbfcRecovery, ATestersPortCountsWhatReachesIt) {
  FabricSpec spec = creditedChain(10, microseconds(10));
  spec.bit_errors = {{"s1-h1", 1e-5}};
  Fabric fabric(spec);
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    fabric.send(0, frame(0, 1, kLength, kChannel), kSlot * i);
  }
  fabric.runUntil(milliseconds(10));
  EXPECT_FALSE(fabric.nextEvent().has_value());
  const LinkCounters last = fabric.linkCounters(fabric.topology().requireLink("s1-h1", "test"));
  EXPECT_GT(dropsOf(last, DropReason::kCorrupt), 20U);
  EXPECT_EQ(fabric.framesReceived(1) + last.dropped(), 1'000U);
  EXPECT_EQ(last.credits_in_use, 0);
}

}  // namespace
}  // namespace plumbline::fabric::testing
