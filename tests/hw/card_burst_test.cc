// Bursts: exactly as many frames as asked for, at exactly the gap asked for, starting on all ports
// together at the commanded time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include "range.h"
#include "sim/wire.h"
#include "test_card.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

// A commanded time is one at the MAC boundary. The first bit is on the wire this much later, up to
// one column of the line earlier.
constexpr Picoseconds kBoundaryToWire =
    sim::kMacTxLatency + sim::kByteTime * sim::kColumnBytes.count();

struct BurstRun {
  Picoseconds start;
  std::vector<std::vector<Picoseconds>> first_bits;  // per port
};

// `phase`: added to the earliest start, so that runs meet different phases of the clock.
BurstRun runBursts(TestCard& card, Picoseconds phase,
                   const std::function<card::FlowConfig(std::uint32_t)>& flow_of) {
  BurstRun run;
  run.first_bits.resize(card.ports);
  for (std::uint32_t port = 0; port < card.ports; ++port) {
    card.driver.loadFlows(port, std::vector{flow_of(port)});
  }
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
    run.first_bits[frame.port].push_back(frame.first_bit);
  };
  run.start = card.start(phase);
  card.finish(microseconds(20));
  card.wire.observe = nullptr;
  card.expectNoFaults();
  for (std::uint32_t port = 0; port < card.ports; ++port) {
    EXPECT_FALSE(card.driver.faults(port).tx_late) << "port " << port;
  }
  return run;
}

// Distance of a frame on the wire from the commanded time of its start.
std::int64_t startError(Picoseconds first_bit, Picoseconds commanded) {
  return (first_bit - kBoundaryToWire - commanded).count();
}

void backToBack(std::uint32_t ports, std::uint32_t frames, std::uint32_t length, Range& errors,
                std::int64_t phase_ps = 0) {
  SCOPED_TRACE(testing::Message() << ports << " ports, " << frames << " frames of " << length);
  TestCard card(ports);
  const BurstRun run = runBursts(card, Picoseconds(phase_ps), [&](std::uint32_t port) {
    card::FlowConfig flow = makeFlow(udpStream(port, length), port);
    setConstantRate(flow, Fraction::one(), frames);
    return flow;
  });
  for (std::uint32_t port = 0; port < ports; ++port) {
    const std::vector<Picoseconds>& times = run.first_bits[port];
    ASSERT_EQ(times.size(), frames);
    EXPECT_EQ(card.driver.txState(port, 0).frames, frames);
    EXPECT_EQ(card.driver.counters(port).tx_frames, frames);
    const std::uint32_t other = TestWire::otherEnd(port);
    EXPECT_EQ(card.driver.rxFlow(other, port).frames, frames);
    EXPECT_EQ(card.driver.rxFlow(other, port).lost, 0U);

    errors.add(startError(times.front(), run.start));
    EXPECT_EQ(times.front(), run.first_bits[0].front());  // all ports together
    std::int64_t balance = 0;                             // gap bytes beyond the average of 12
    for (std::size_t i = 1; i < times.size(); ++i) {
      const std::int64_t gap = (times[i] - times[i - 1]).count() / 80 - 8 - length;
      ASSERT_GE(gap, 5);
      balance += gap - 12;
      ASSERT_LE(std::abs(balance), 7) << "frame " << i;
    }
  }
}

void expectWithinOneClock(const Range& errors) {
  EXPECT_LE(errors.worst(), kClockPs);
  std::cout << "distance of the starts from the commanded times " << errors << " ps\n";
}

TEST(CardBursts, BackToBackOnTwoPorts) {
  Range errors;
  for (const std::uint32_t frames : {1U, 2U, 1000U, 65'536U}) {
    backToBack(2, frames, 64, errors);
  }
  backToBack(2, 1000, 65, errors);
  backToBack(2, 1000, 1518, errors);
  backToBack(2, 200, 9216, errors);
  expectWithinOneClock(errors);
}

TEST(CardBursts, BackToBackOnFourPorts) {
  Range errors;
  for (const std::uint32_t frames : {1U, 2U, 1000U}) {
    backToBack(4, frames, 64, errors);
  }
  if (longRun()) {
    backToBack(4, 65'536, 64, errors);
  }
  expectWithinOneClock(errors);
}

// Commanded times all over the clock period: gaps are exact in every phase.
TEST(CardBursts, EveryPhaseOfTheClock) {
  Range errors;
  for (std::int64_t phase_ps = 0; phase_ps < 2 * kClockPs; phase_ps += 157) {
    backToBack(2, 400, 64 + static_cast<std::uint32_t>(phase_ps) % 5, errors, phase_ps);
  }
  expectWithinOneClock(errors);
}

// Bursts with a gap of their own and a distance between them: each frame within one clock of
// its place.
TEST(CardBursts, GapAndIntervalAreExact) {
  constexpr std::uint32_t kFrames = 20;
  constexpr std::uint32_t kBursts = 25;
  constexpr std::uint32_t kLength = 256;
  constexpr Picoseconds kPeriod = frameSlot(Bytes(kLength + 37), sim::kLineRate);
  constexpr Picoseconds kInterval{1'234'567};
  TestCard card(2);
  const BurstRun run = runBursts(card, Picoseconds(0), [&](std::uint32_t port) {
    card::FlowConfig flow = makeFlow(udpStream(port, kLength), 0);
    flow.first_due = nanoseconds(500);
    flow.period = card::FinePeriod::fromPicoseconds(kPeriod);
    flow.burst_frames = kFrames;
    flow.bursts = kBursts;
    flow.burst_interval = card::FinePeriod::fromPicoseconds(kInterval);
    return flow;
  });
  Range errors;
  for (std::uint32_t port = 0; port < 2; ++port) {
    ASSERT_EQ(run.first_bits[port].size(), kFrames * kBursts);
    for (std::uint32_t i = 0; i < kFrames * kBursts; ++i) {
      const Picoseconds due =
          run.start + nanoseconds(500) + kInterval * (i / kFrames) + kPeriod * (i % kFrames);
      errors.add(startError(run.first_bits[port][i], due));
    }
    const card::TxState state = card.driver.txState(port, 0);
    EXPECT_EQ(state.frames, kFrames * kBursts);
    EXPECT_EQ(state.bursts, kBursts);
  }
  std::cout << "distance of each frame from its place " << errors << " ps\n";
  EXPECT_LE(errors.worst(), kClockPs);
}

TEST(CardBursts, ALateStartIsFlagged) {
  TestCard card(2);
  card::FlowConfig flow = makeFlow(udpStream(0, 64), 0);
  setConstantRate(flow, Fraction::percent(10), 100);
  card.driver.loadFlows(0, std::vector{flow});
  ASSERT_FALSE(card.driver.lateStart());
  card.driver.arm(card.sim.now() - microseconds(1));
  card.finish();
  EXPECT_TRUE(card.driver.lateStart());
  EXPECT_TRUE(card.driver.faults(0).tx_late);
  const card::PortCounters counters = card.driver.counters(0);
  EXPECT_EQ(counters.tx_frames, 100U);
  EXPECT_GT(counters.tx_late, 0U);
  EXPECT_GE(counters.tx_late_max_ps, 1'000'000U);
  // Clearing the card clears the faults.
  card.driver.reset();
  EXPECT_FALSE(card.driver.lateStart());
  EXPECT_FALSE(card.driver.faults(0).tx_late);
}

// A start that is armed in time is not late, however far ahead.
TEST(CardBursts, AStartFarAheadIsKept) {
  TestCard card(2);
  const Picoseconds ahead = milliseconds(1);
  card::FlowConfig flow = makeFlow(udpStream(1, 64), 0);
  setConstantRate(flow, Fraction::percent(10), 10);
  card.driver.loadFlows(1, std::vector{flow});
  Picoseconds first;
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
    if (first == Picoseconds()) first = frame.first_bit;
  };
  const Picoseconds start = card.sim.now() + ahead;
  card.driver.arm(start);
  card.finish();
  card.expectNoFaults();
  EXPECT_LE(std::abs(startError(first, start)), kClockPs);
}

}  // namespace
}  // namespace plumbline::hw_test
