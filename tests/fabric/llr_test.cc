// Bit errors, and link-level retry against them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/fabric/llr_chain.h"

namespace plumbline::fabric::testing {
namespace {

TEST(BitErrors, WithoutRetryLossesAreBinomial) {
  for (const double rate : {1e-7, 1e-6, 1e-5}) {
    ListFabric fabric(noisyChain(rate), 0);
    fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), nanoseconds(400));
    fabric.drain();
    fabric.expectConserved();
    const double p = 1 - std::pow(1 - rate, 8.0 * kLongLength);
    const double slack = 3.29 * std::sqrt(kFrames * p * (1 - p)) + 0.5;
    const LinkCounters counters = fabric.counters("s0-s1");
    EXPECT_NEAR(static_cast<double>(counters.damaged), kFrames * p, slack) << rate;
    EXPECT_EQ(counters.drops[static_cast<unsigned>(DropReason::kCorrupt)], counters.damaged);
    EXPECT_EQ(fabric.host(1).arrivals().size(), kFrames - counters.damaged);
    expectInOrder(fabric);
  }
}

TEST(Llr, NothingIsLostAndOrderIsKept) {
  for (const double rate : {1e-6, 1e-5}) {
    FabricSpec spec = noisyChain(rate);
    spec.switches.llr = LlrSpec{};
    ListFabric fabric(spec);
    fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames);
    fabric.drain();
    expectAllInOrder(fabric, kFrames);
    const LinkCounters counters = fabric.counters("s0-s1");
    EXPECT_GT(counters.damaged, 100U);
    EXPECT_GT(counters.retries, 0U);
    EXPECT_LE(counters.retries, counters.damaged);
    // A frame behind a damaged one is not asked for by itself.
    EXPECT_GE(counters.nacks, counters.retries);
    EXPECT_LE(counters.nacks, counters.damaged);
    EXPECT_GT(counters.replayed, counters.retries);  // go-back-N
    EXPECT_EQ(counters.packets, kFrames);
    EXPECT_EQ(fabric.log().of(RecordKind::kRetry).size(), counters.retries);
    // No retry is quicker than the closed form of an isolated one.
    const LlrSpec llr;
    for (const Record& one : fabric.log().of(RecordKind::kRetry)) {
      EXPECT_GE(one.value, (2 * kChainDelay + llr.receiver_processing + llr.sender_processing +
                            kLongSerialization)
                               .count());
    }
  }
}

TEST(Llr, AnIsolatedErrorCostsARoundTripAndTheFrame) {
  LlrSpec llr;
  llr.receiver_processing = nanoseconds(130);
  llr.sender_processing = nanoseconds(70);
  FabricSpec spec = noisyChain(1e-6);
  spec.switches.llr = llr;
  ListFabric fabric(spec);
  // So far apart that the next frame comes after the retry, and after a second one as well.
  fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), microseconds(20));
  fabric.drain(milliseconds(500));
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  const Picoseconds closed_form = 2 * kChainDelay + nanoseconds(130 + 70) + kLongSerialization;
  const LinkCounters counters = fabric.counters("s0-s1");
  const auto retries = fabric.log().of(RecordKind::kRetry);
  ASSERT_GT(retries.size(), 300U);
  EXPECT_EQ(retries.size(), counters.retries);
  // A frame can be hit again in its replay, about one in thirty: two rounds, or more.
  std::size_t once = 0;
  for (const Record& one : retries) {
    EXPECT_EQ(one.value % closed_form.count(), 0);
    if (one.value == closed_form.count()) ++once;
  }
  EXPECT_GT(once, retries.size() * 9 / 10);
  EXPECT_EQ(counters.replayed, counters.damaged);
  EXPECT_EQ(counters.nacks, counters.damaged);
  // The frame arrives that much later, and no other frame is touched.
  std::size_t late = 0;
  const Picoseconds unloaded =
      nanoseconds(50 + 600 + 600 + 50) + kChainDelay + 3 * kLongSerialization;
  for (const auto& one : fabric.host(1).arrivals()) {
    const Picoseconds latency = one.time - microseconds(20) * one.packet.psn;
    if (latency == unloaded) continue;
    EXPECT_EQ((latency - unloaded).count() % closed_form.count(), 0);
    ++late;
  }
  EXPECT_EQ(late, retries.size());
}

// Whether `latency` is that of a retry of a frame on its own for which NACKs were lost: each
// failure costs an answer and the frame, or the timer instead, which begins with the frame's first
// bit the first time, and with its last one later on.
bool isTimed(Picoseconds latency) {
  const Picoseconds asked = kAnswer + kLongSerialization;
  for (int first = 0; first < 2; ++first) {
    const Picoseconds rest = latency - (first == 0 ? asked : kTimer);
    for (int timed = 1 - first; timed <= 5; ++timed) {
      const Picoseconds others = rest - (kTimer + kLongSerialization) * timed;
      if (others >= Picoseconds(0) && others.count() % asked.count() == 0) return true;
    }
  }
  return false;
}

TEST(Llr, ALostNackCostsTheReplayTimer) {
  constexpr double kBackRate = 1e-3;
  ListFabric fabric(retryingChain(1e-5, kBackRate));
  const Picoseconds spacing = microseconds(60);
  fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), spacing);
  fabric.drain(milliseconds(1'300));
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  expectInOrder(fabric);
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_EQ(counters.nacks, counters.damaged);
  const double p = 1 - std::pow(1 - kBackRate, 64);
  const auto nacks = static_cast<double>(counters.nacks);
  EXPECT_GT(nacks, 5'000);
  EXPECT_NEAR(static_cast<double>(counters.nacks_lost), nacks * p,
              3.29 * std::sqrt(nacks * p * (1 - p)));
  const LinkId link = fabric.link("s0-s1");
  const auto timed = fabric.log().of(RecordKind::kTimedRetry, link);
  const auto asked = fabric.log().of(RecordKind::kRetry, link);
  EXPECT_EQ(timed.size() + asked.size(), counters.retries);
  EXPECT_LE(timed.size(), counters.nacks_lost);
  std::size_t once = 0;
  for (const Record& one : timed) {
    EXPECT_TRUE(isTimed(Picoseconds(one.value))) << one.value;
    if (one.value == kTimer.count()) ++once;
  }
  EXPECT_GT(once, timed.size() / 2);
  for (const Record& one : asked) {
    EXPECT_EQ(one.value % (kAnswer + kLongSerialization).count(), 0);
  }
}

// The cable is down for two picoseconds while the NACK of each frame's first transmission would be
// on its way.
TEST(Llr, ACableThatIsDownLosesNacks) {
  constexpr std::uint32_t kSome = 500;
  const Picoseconds spacing = microseconds(60);
  FabricSpec spec = retryingChain(1e-5, 0);
  spec.convergence = seconds(1);
  for (std::uint32_t n = 0; n < kSome; ++n) {
    const Picoseconds question =
        departureOf(n, spacing) + kLongSerialization + kChainDelay + nanoseconds(50);
    const Picoseconds down = question + (n % 2 == 0 ? Picoseconds(1) : kChainDelay);
    spec.failures.push_back({"s0-s1", down, down + Picoseconds(2)});
  }
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), kSome, Picoseconds(0), spacing);
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_GT(counters.retries, 100U);
  EXPECT_EQ(counters.nacks_lost, counters.retries);
  EXPECT_TRUE(fabric.log().of(RecordKind::kRetry).empty());
  for (const Record& one : fabric.log().of(RecordKind::kTimedRetry)) {
    EXPECT_EQ((one.value - kTimer.count()) % (kAnswer + kLongSerialization).count(), 0);
  }
}

TEST(Llr, AFrameIsGivenUpAfterItsReplays) {
  for (const std::uint32_t replays : {0U, 1U, 3U}) {
    FabricSpec spec = retryingChain(2e-5, 0);
    spec.switches.llr->max_replays = replays;
    ListFabric fabric(spec);
    fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames, Picoseconds(0), microseconds(20));
    fabric.drain(milliseconds(500));
    const auto dropped = static_cast<double>(fabric.expectConserved().dropped);
    const LinkCounters counters = fabric.counters("s0-s1");
    EXPECT_EQ(counters.drops[static_cast<unsigned>(DropReason::kReplays)], counters.dropped());
    EXPECT_EQ(static_cast<double>(counters.dropped()), dropped);
    const double struck = 1 - std::pow(1 - 2e-5, 8.0 * kLongLength);
    const double p = std::pow(struck, replays + 1);
    EXPECT_NEAR(dropped, kFrames * p, 3.29 * std::sqrt(kFrames * p * (1 - p)) + 0.5) << replays;
    expectInOrder(fabric);
  }
}

// Frames that never get through: what is outstanding goes at once, and what comes then waits for an
// INIT and its ECHO.
TEST(Llr, GivingUpTakesAllThatIsOutstandingAndARoundTrip) {
  FabricSpec spec = retryingChain(1e-3, 0);
  spec.switches.llr->max_replays = 2;
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, 9'216), 3);
  constexpr Picoseconds kSlot = Picoseconds(80) * (9'216 + 20);
  constexpr Picoseconds kTaken = Picoseconds(80) * 9'216;
  // The first frame's NACK comes two slots behind it, before the third has left.
  const Picoseconds first = nanoseconds(50 + 600) + kTaken;
  const Picoseconds round = std::max(kTaken + kAnswer, kSlot * 3);
  const Picoseconds given_up = first + round * 3;
  fabric.host(0).addMany(frame(0, 1, 9'216), 1, given_up - nanoseconds(600));
  fabric.drain();
  const auto drops = fabric.log().of(RecordKind::kDrop);
  ASSERT_EQ(drops.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(drops[i].reason, DropReason::kReplays);
    EXPECT_EQ(drops[i].time, given_up);
  }
  const auto departures = fabric.log().of(RecordKind::kDeparture, fabric.link("s0-s1"));
  ASSERT_EQ(departures.size(), 4U);
  EXPECT_EQ(departures[3].time, given_up + kAnswer);
  EXPECT_EQ(fabric.counters("s0-s1").nacks, 6U);
  EXPECT_EQ(fabric.counters("s0-s1").replayed, 8U);
}

// On a full line every frame is damaged and soon given up; INIT or ECHO may be destroyed as well.
TEST(Llr, AnInitThatIsNotAnsweredIsRepeated) {
  constexpr double kRate = 1e-3;
  const Picoseconds interval = nanoseconds(4'321);
  FabricSpec spec = retryingChain(kRate, kRate);
  spec.switches.llr->max_replays = 0;
  spec.switches.llr->init_interval = interval;
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames);
  fabric.drain(milliseconds(100));
  EXPECT_EQ(fabric.expectConserved().dropped, kFrames);
  const LinkId link = fabric.link("s0-s1");
  std::vector<Picoseconds> departures;
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, link)) {
    departures.push_back(one.time);
  }
  std::size_t flushes = 0;
  std::int64_t repeated = 0;
  Picoseconds last;
  for (const Record& one : fabric.log().of(RecordKind::kDrop)) {
    if (one.time == last) continue;
    last = one.time;
    ++flushes;
    const auto next = std::lower_bound(departures.begin(), departures.end(), last);
    if (next == departures.end()) continue;
    const Picoseconds waited = *next - last - kAnswer;
    EXPECT_EQ(waited.count() % interval.count(), 0) << waited.count();
    repeated += waited.count() / interval.count();
  }
  const auto inits = static_cast<double>(fabric.counters("s0-s1").inits);
  EXPECT_GT(flushes, 1'000U);
  EXPECT_GE(inits, static_cast<double>(repeated) + static_cast<double>(flushes));
  const double p = 1 - std::pow(1 - kRate, 128);
  EXPECT_NEAR(static_cast<double>(repeated), inits * p, 3.29 * std::sqrt(inits * p * (1 - p)));
}

// The first INIT is cut off; the next one would go while the cable is down.
TEST(Llr, AnInitWaitsForTheCable) {
  constexpr Picoseconds kTaken = Picoseconds(80) * 9'216;
  const Picoseconds given_up = nanoseconds(50 + 600) + kTaken + kTaken + kAnswer;
  const Picoseconds down = given_up + kChainDelay;
  const Picoseconds up = given_up + microseconds(11);
  FabricSpec spec = retryingChain(1e-3, 0);
  spec.switches.llr->max_replays = 0;
  spec.switches.llr->pcs_lost = microseconds(20);
  spec.convergence = seconds(1);
  spec.failures = {{"s0-s1", down, up}};
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, 9'216), 1);
  fabric.host(0).addMany(frame(0, 1, 9'216), 1, given_up - nanoseconds(600));
  fabric.drain();
  const auto departures = fabric.log().of(RecordKind::kDeparture, fabric.link("s0-s1"));
  ASSERT_EQ(departures.size(), 2U);
  const Picoseconds waited = departures[1].time - up - kAnswer;
  // That INIT has bit errors, too.
  EXPECT_EQ(waited.count() % microseconds(5).count(), 0);
  EXPECT_LT(waited, microseconds(20));
  EXPECT_GE(waited, Picoseconds(0));
}

// A frame that never gets through is given up at its age, with what is behind it, or when the frame
// on the wire has left.
TEST(Llr, FramesThatAreTooOldAreGivenUp) {
  constexpr Picoseconds kTaken = Picoseconds(80) * 9'216;
  constexpr Picoseconds kSlot = Picoseconds(80) * (9'216 + 20);
  const Picoseconds first = nanoseconds(50 + 600) + kTaken;
  const Picoseconds round = kTaken + kAnswer;
  for (const bool on_wire : {false, true}) {
    const Picoseconds age = round * 3 + (on_wire ? kTaken / 2 : kTaken + kAnswer / 2);
    const Picoseconds given_up = on_wire ? first + round * 3 + kSlot : first + age;
    FabricSpec spec = retryingChain(1e-3, 0);
    spec.switches.llr->data_age = age;
    ListFabric fabric(spec);
    fabric.host(0).addMany(frame(0, 1, 9'216), 1);
    fabric.host(0).addMany(frame(0, 1, 9'216), 1, given_up - nanoseconds(600));
    fabric.drain();
    const auto drops = fabric.log().of(RecordKind::kDrop);
    ASSERT_EQ(drops.size(), 2U);
    for (const Record& one : drops) EXPECT_EQ(one.reason, DropReason::kAge);
    EXPECT_EQ(drops[0].time, given_up);
    const auto departures = fabric.log().of(RecordKind::kDeparture, fabric.link("s0-s1"));
    ASSERT_EQ(departures.size(), 2U);
    EXPECT_EQ((departures[1].time - given_up - kAnswer).count() % microseconds(5).count(), 0);
    EXPECT_EQ(fabric.counters("s0-s1").retries, 0U);
  }
}

// On a line that is full, a lost NACK has the sender wait for its timer with a full buffer.
TEST(Llr, ABufferHoldsNewFramesBack) {
  constexpr std::int64_t kBuffer = 40'000;
  constexpr Picoseconds kGap = Picoseconds(80) * 20;
  FabricSpec spec = retryingChain(1e-6, 1e-3);
  spec.switches.llr->replay_buffer = Bytes(kBuffer);
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), kFrames);
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  expectInOrder(fabric);
  const LinkId link = fabric.link("s0-s1");
  const auto departures = fabric.log().of(RecordKind::kDeparture, link);
  std::size_t alone = 0;
  for (const Record& one : fabric.log().of(RecordKind::kTimedRetry, link)) {
    // The timer runs from the answer to the frame before: others had a further failure. A frame
    // that was damaged first in a replay finds others in the buffer.
    const Picoseconds damaged = one.time - Picoseconds(one.value);
    const auto behind = std::find_if(departures.begin(), departures.end(),
                                     [&](const Record& frame) { return frame.time >= damaged; });
    if (one.value != (kAnswer - kGap + kTimer).count() || behind->time != damaged) continue;
    ++alone;
    const auto held =
        kLongLength * std::count_if(behind, departures.end(),
                                    [&](const Record& frame) { return frame.time < one.time; });
    EXPECT_GE(held, kBuffer);
    EXPECT_LT(held, kBuffer + kLongLength);
  }
  EXPECT_GT(alone, 10U);
}

// A full line goes on when the cable is back; the first frame that comes then shows the receiver
// what it has missed.
TEST(Llr, AnOutageOfTheLengthItWaitsForLosesNothing) {
  const Picoseconds down = microseconds(40);
  const Picoseconds up = down + kLongest;
  ListFabric fabric(flappingChain({{down, up}}));
  fabric.host(0).addMany(frame(0, 1, kLongLength), 500);
  fabric.drain();
  expectAllInOrder(fabric, 500U);
  const LinkId link = fabric.link("s0-s1");
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_EQ(counters.nacks, 1U);
  EXPECT_EQ(counters.nacks_lost, 0U);
  const auto retries = fabric.log().of(RecordKind::kRetry, link);
  ASSERT_EQ(retries.size(), 1U);
  EXPECT_TRUE(fabric.log().of(RecordKind::kTimedRetry).empty());
  const auto departures = fabric.log().of(RecordKind::kDeparture, link);
  const auto first_after = std::find_if(departures.begin(), departures.end(),
                                        [&](const Record& one) { return one.time >= down; });
  ASSERT_NE(first_after, departures.end());
  EXPECT_EQ(first_after->time, up);
  // The first frame that did not come through whole, and its replay, which begins when the frame on
  // the wire has left.
  const auto cut = std::find_if(departures.begin(), departures.end(), [&](const Record& one) {
    return one.time + kLongSerialization + kChainDelay >= down;
  });
  const Picoseconds asked = up + kLongSerialization + kAnswer;
  const Picoseconds replayed =
      up + kLongSlot * ((asked - up + kLongSlot - Picoseconds(1)) / kLongSlot);
  EXPECT_EQ(retries[0].packet.psn, cut->packet.psn);
  EXPECT_EQ(retries[0].time, replayed);
  EXPECT_EQ(retries[0].value, (replayed - cut->time).count());
}

// Routing does not see it, whenever it would learn of it: on the way between switches and on the
// last one to a host.
TEST(Llr, RoutingDoesNotSeeAnOutageThatIsWaitedFor) {
  for (const char* cable : {"s0-s1", "h1-s1"}) {
    for (const Picoseconds convergence : {Picoseconds(0), microseconds(1), microseconds(60)}) {
      SCOPED_TRACE(std::string(cable) + " " + std::to_string(convergence.count()));
      FabricSpec spec = retryingChain(0, 0);
      spec.switches.llr->pcs_lost = kLongest;
      spec.convergence = convergence;
      spec.failures = {{cable, microseconds(40), microseconds(40) + kLongest}};
      ListFabric fabric(spec);
      fabric.host(0).addMany(frame(0, 1, kLongLength), 500);
      fabric.drain();
      expectAllInOrder(fabric, 500U);
      *spec.failures[0].up += Picoseconds(1);
      ListFabric longer(spec);
      longer.host(0).addMany(frame(0, 1, kLongLength), 500);
      longer.drain();
      EXPECT_GT(longer.expectConserved().dropped, 0U);
    }
  }
}

// The state of its links' LLR is lost with a switch, however soon it is back.
TEST(Llr, TheFailureOfASwitchIsNotWaitedFor) {
  FabricSpec spec = retryingChain(0, 0);
  spec.switches.llr->pcs_lost = kLongest;
  spec.convergence = seconds(1);
  spec.failures = {{"s1", microseconds(40), microseconds(40) + nanoseconds(1)}};
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), 500);
  fabric.drain();
  const auto dropped = fabric.expectConserved().dropped;
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(fabric.counters("s0-s1").drops[static_cast<unsigned>(DropReason::kLinkDown)] +
                fabric.counters("s1-h1").drops[static_cast<unsigned>(DropReason::kLinkDown)],
            dropped);
}

// An outage that is longer, be it by a picosecond, takes what is under way and what comes.
TEST(Llr, ALongerOutageLosesWhatTravels) {
  const Picoseconds down = microseconds(40);
  const Picoseconds up = down + kLongest + Picoseconds(1);
  ListFabric fabric(flappingChain({{down, up}}));
  fabric.host(0).addMany(frame(0, 1, kLongLength), 500);
  fabric.drain();
  const auto dropped = fabric.expectConserved().dropped;
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(fabric.host(1).arrivals().size() + dropped, 500U);
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_EQ(counters.drops[static_cast<unsigned>(DropReason::kLinkDown)], dropped);
  EXPECT_EQ(counters.retries, 0U);
}

// The cable is down while a NACK travels, and for every other one again while the timer runs.
TEST(Llr, TheTimerBeginsAnewWhenTheCableIsBack) {
  constexpr std::uint32_t kSome = 500;
  const Picoseconds spacing = microseconds(60);
  FabricSpec spec = retryingChain(1e-5, 0);
  spec.switches.llr->pcs_lost = kLongest;
  spec.convergence = seconds(1);
  std::vector<Picoseconds> begins;
  for (std::uint32_t n = 0; n < kSome; ++n) {
    const Picoseconds down =
        departureOf(n, spacing) + kLongSerialization + kChainDelay + nanoseconds(51);
    Picoseconds up = down + nanoseconds(500);
    spec.failures.push_back({"s0-s1", down, up});
    if (n % 2 == 1) {
      const Picoseconds again = up + kTimer - Picoseconds(1);
      up = again + kLongest;
      spec.failures.push_back({"s0-s1", again, up});
    }
    begins.push_back(up - departureOf(n, spacing));
  }
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), kSome, Picoseconds(0), spacing);
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  const auto retries = fabric.log().of(RecordKind::kTimedRetry);
  EXPECT_GT(retries.size(), 100U);
  EXPECT_EQ(retries.size(), fabric.counters("s0-s1").retries);
  for (const Record& one : retries) {
    const Picoseconds more = Picoseconds(one.value) - begins[one.packet.psn] - kTimer;
    EXPECT_EQ(more.count() % (kAnswer + kLongSerialization).count(), 0) << one.packet.psn;
  }
}

// Nobody tells the receiver of a frame on its own: the timer does, once the cable is back; here the
// first replay is cut off as well.
TEST(Llr, AFrameAloneThatAnOutageCutsOffWaitsForTheTimer) {
  const Picoseconds sent = departureOf(0, Picoseconds(0));
  const Picoseconds down = sent + kLongSerialization + kChainDelay;  // just before it has arrived
  const Picoseconds up = down + kLongest;
  const Picoseconds second_down = up + kTimer + nanoseconds(1);
  const Picoseconds second_up = second_down + nanoseconds(500);
  ListFabric fabric(flappingChain({{down, up}, {second_down, second_up}}));
  fabric.host(0).addMany(frame(0, 1, kLongLength), 1);
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  ASSERT_EQ(fabric.host(1).arrivals().size(), 1U);
  const auto timed = fabric.log().of(RecordKind::kTimedRetry);
  ASSERT_EQ(timed.size(), 1U);
  EXPECT_EQ(timed[0].time, second_up + kTimer);
  EXPECT_EQ(timed[0].value, (second_up + kTimer - sent).count());
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_EQ(counters.replayed, 2U);
  EXPECT_EQ(counters.nacks, 0U);
}

// Replays that get through after one that an outage cut off show the receiver the gap like new
// frames do.
TEST(Llr, AReplayBehindOneThatWasCutOffIsAsked) {
  const Picoseconds sent = departureOf(0, Picoseconds(0));
  const Picoseconds down = sent + 2 * kLongSlot + nanoseconds(1);  // all three are under way
  const Picoseconds up = down + microseconds(2);
  const Picoseconds first_replay = up + kTimer;
  const Picoseconds second_up = first_replay + kLongSlot + nanoseconds(700);
  ListFabric fabric(flappingChain({{down, up}, {first_replay + nanoseconds(1), second_up}}));
  fabric.host(0).addMany(frame(0, 1, kLongLength), 3);
  fabric.drain();
  expectAllInOrder(fabric, 3U);
  const LinkCounters counters = fabric.counters("s0-s1");
  EXPECT_EQ(counters.nacks, 1U);
  EXPECT_EQ(counters.replayed, 6U);
  // The second frame's replay comes first, when the cable is back.
  const Picoseconds asked = second_up + kLongSerialization + kAnswer;
  const auto timed = fabric.log().of(RecordKind::kTimedRetry);
  ASSERT_EQ(timed.size(), 1U);
  EXPECT_EQ(timed[0].time, asked);
  EXPECT_EQ(timed[0].value, (asked - sent).count());
}

// Replays that an outage stops count towards their limit like any others.
TEST(Llr, OutagesUseReplaysUp) {
  const Picoseconds sent = departureOf(0, Picoseconds(0));
  const Picoseconds up = sent + microseconds(2);
  FabricSpec spec = flappingChain({{sent + nanoseconds(1), up}});
  spec.switches.llr->max_replays = 0;
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), 1);
  fabric.drain();
  const auto drops = fabric.log().of(RecordKind::kDrop);
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].reason, DropReason::kReplays);
  EXPECT_EQ(drops[0].time, up + kTimer);
}

// The same on the cable of a host, whose frames wait in the host.
TEST(Llr, AHostWaitsForItsCable) {
  const Picoseconds down = microseconds(40);
  const Picoseconds up = down + kLongest;
  FabricSpec spec = flappingChain({});
  spec.failures.push_back({"h0-s0", down, up});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, kLongLength), 500);
  fabric.drain();
  expectAllInOrder(fabric, 500U);
  for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("h0-s0"))) {
    EXPECT_TRUE(one.time < down || one.time >= up);
  }
  EXPECT_EQ(fabric.counters("h0-s0").retries, 1U);
}

}  // namespace
}  // namespace plumbline::fabric::testing
