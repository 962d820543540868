// Patterns across the ports of a card: incasts in phase or staggered, Poisson streams and listed
// gaps beside background load, each frame at its commanded time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "bench/trial/calibration.h"
#include "sim/wire.h"
#include "test_card.h"
#include "tests/hw/tx/tx_pattern.h"

namespace plumbline::hw_test {
namespace {

struct Departure {
  std::uint32_t row = 0;
  std::uint64_t number = 0;
  Picoseconds departure;  // at the MAC boundary
};

// Departures by their tags, per port and in order.
struct PatternRun {
  Picoseconds start;
  std::vector<std::vector<Departure>> sent;
};

std::size_t framesOf(const std::vector<card::FlowConfig>& flows) {
  std::size_t frames = 0;
  for (const card::FlowConfig& flow : flows) {
    frames += static_cast<std::size_t>(flow.burst_frames) * flow.bursts;
  }
  return frames;
}

PatternRun runFlows(TestCard& card, const std::vector<std::vector<card::FlowConfig>>& flows,
                    Picoseconds phase = {}) {
  PatternRun run;
  run.sent.resize(card.ports);
  for (std::uint32_t port = 0; port < card.ports; ++port) card.driver.loadFlows(port, flows[port]);
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    ASSERT_TRUE(decoded.tag.has_value());
    run.sent[frame.port].push_back(
        {decoded.tag->id & 0x7FFU, decoded.tag->sequence,
         Picoseconds(static_cast<std::int64_t>(decoded.tag->departure)) - bench::kTxOffset});
  };
  run.start = card.start(phase);
  // A schedule that has lost its order sends some frames over and over, and would never be done.
  card.finish(microseconds(20), microseconds(20), [&] {
    for (std::uint32_t port = 0; port < card.ports; ++port) {
      const std::size_t all = framesOf(flows[port]);
      if (run.sent[port].size() > all) throw std::runtime_error("more frames than the flows have");
    }
  });
  card.wire.observe = nullptr;
  card.expectNoFaults();
  return run;
}

// N ports send bursts to one receiver: at the same instants, or each port by its own offset later.
// Each frame departs at the first clock edge from its due time on, so ports in phase depart at the
// very same picosecond.
void incast(std::uint32_t ports, const std::array<std::int64_t, 4>& stagger_ns) {
  constexpr std::uint32_t kBurst = 6;
  constexpr std::uint32_t kBursts = 40;
  constexpr Picoseconds kInterval{3'210'987};
  const Picoseconds period = frameSlot(Bytes(512), sim::kLineRate) + Picoseconds(777);
  for (std::int64_t phase = 0; phase < kClockPs; phase += 1034) {
    TestCard card(ports);
    std::vector<std::vector<card::FlowConfig>> flows(ports);
    for (std::uint32_t port = 0; port < ports; ++port) {
      card::FlowConfig flow = makeFlow(udpStream(port, 512), port);
      flow.first_due = nanoseconds(stagger_ns.at(port));
      flow.period = card::FinePeriod::fromPicoseconds(period);
      flow.burst_frames = kBurst;
      flow.bursts = kBursts;
      flow.burst_interval = card::FinePeriod::fromPicoseconds(kInterval);
      flows[port].push_back(flow);
    }
    const PatternRun run = runFlows(card, flows, Picoseconds(phase));
    for (std::uint32_t port = 0; port < ports; ++port) {
      ASSERT_EQ(run.sent[port].size(), kBurst * kBursts);
      EXPECT_FALSE(card.driver.faults(port).tx_late);
      for (std::uint32_t k = 0; k < kBurst * kBursts; ++k) {
        const Picoseconds due = run.start + nanoseconds(stagger_ns.at(port)) +
                                kInterval * (k / kBurst) + period * (k % kBurst);
        // A clock edge, and the first one that is not before the due time.
        const Picoseconds departure = run.sent[port][k].departure;
        ASSERT_GE(departure, due) << "port " << port << " frame " << k;
        ASSERT_LT((departure - due).count(), kClockPs) << "port " << port << " frame " << k;
        if (stagger_ns.at(port) == stagger_ns[0]) {
          ASSERT_EQ(departure, run.sent[0][k].departure) << "port " << port << " frame " << k;
        }
      }
    }
  }
}

TEST(CardIncast, FourPortsInPhase) { incast(4, {0, 0, 0, 0}); }
TEST(CardIncast, FourPortsStaggered) { incast(4, {0, 10, 25, 1000}); }
TEST(CardIncast, TwoPairsInPhase) { incast(4, {0, 333, 0, 333}); }

// A Poisson stream and a listed one beside background load that leaves them room: each frame at
// its due time, or as soon as the wire is free behind the frames due before it.
TEST(CardPatterns, PoissonAndListBesideBackground) {
  constexpr std::uint32_t kFrames = 3000;
  TestCard card(2);
  std::vector<std::vector<card::FlowConfig>> flows(2);
  std::vector<std::vector<std::vector<Picoseconds>>> dues(2);
  for (std::uint32_t port = 0; port < 2; ++port) {
    card::FlowConfig poisson = makeFlow(udpStream(port, 256), 0);
    const card::FinePeriod mean =
        card::framePeriod(Bytes(256), sim::kLineRate, Fraction::percent(20));
    poisson.gaps = card::ExponentialGaps{mean, 7 + port};
    poisson.burst_frames = kFrames;
    card::FlowConfig ramp = makeFlow(udpStream(port, 128), 1);
    ramp.gaps = card::rateRamp(Bytes(128), sim::kLineRate, Fraction::percent(2),
                               Fraction::percent(20), 30, 10);
    ramp.burst_frames = 301;
    card::FlowConfig background = makeFlow(udpStream(port, 1024), 2);
    setConstantRate(background, Fraction::percent(50), 500, nanoseconds(100));
    flows[port] = {poisson, ramp, background};

    // When each is due, in units of 2^-16 ps.
    const auto fold = [](const std::vector<std::uint64_t>& gaps, Picoseconds first) {
      std::vector<Picoseconds> times;
      unsigned __int128 due = static_cast<unsigned __int128>(first.count()) << 16;
      times.push_back(first);
      for (const std::uint64_t gap : gaps) {
        due += gap;
        times.push_back(Picoseconds(static_cast<std::int64_t>((due + 0xFFFF) >> 16)));
      }
      return times;
    };
    test::PatternConfig pattern;
    pattern.gap_mode = 1;
    pattern.gap_mean = mean.raw();
    pattern.gap_seed = mix64(7 + port);
    test::GapSource source(pattern, nullptr);
    std::vector<std::uint64_t> gaps(kFrames - 1);
    std::generate(gaps.begin(), gaps.end(), [&] { return source.next(); });
    dues[port].push_back(fold(gaps, Picoseconds()));
    gaps.clear();
    for (std::uint64_t step = 0; step < 30; ++step) {
      // Percent of the line rate; 148 bytes with preamble and gap.
      const double rate = 2 + 18.0 * static_cast<double>(step) / 29;
      for (int i = 0; i < 10; ++i) {
        gaps.push_back(static_cast<std::uint64_t>(148 * 80 * 65536.0 * 100 / rate));
      }
    }
    dues[port].push_back(fold(gaps, Picoseconds()));
    gaps.assign(499, background.period.raw());
    dues[port].push_back(fold(gaps, nanoseconds(100)));
  }
  const PatternRun run = runFlows(card, flows);
  constexpr std::array<std::int64_t, 3> kLengths{256, 128, 1024};
  for (std::uint32_t port = 0; port < 2; ++port) {
    std::array<std::uint64_t, 3> count{};
    Picoseconds wire_free;
    std::uint64_t alone = 0;
    for (const Departure& frame : run.sent[port]) {
      ASSERT_EQ(frame.number, count.at(frame.row)++);
      const Picoseconds due = run.start + dues[port].at(frame.row).at(frame.number);
      // The ramp's gaps are known here to a few parts in 10^12 only.
      const Picoseconds earliest = std::max(due, wire_free) - Picoseconds(2);
      ASSERT_GE(frame.departure, earliest) << "row " << frame.row << " frame " << frame.number;
      // Behind a free wire by less than a clock. Which of two waiting frames goes first is the
      // schedule's; the other waits for it.
      ASSERT_LT((frame.departure - earliest).count(), kClockPs + 3)
          << "row " << frame.row << " frame " << frame.number;
      alone += due > wire_free ? 1 : 0;
      wire_free = frame.departure + frameSlot(Bytes(kLengths.at(frame.row)), sim::kLineRate);
    }
    EXPECT_EQ(count, (std::array<std::uint64_t, 3>{kFrames, 301, 500}));
    EXPECT_GT(alone, kFrames / 5);
    for (std::uint32_t row = 0; row < 3; ++row) {
      const card::RxFlow received = card.driver.rxFlow(TestWire::otherEnd(port), row);
      EXPECT_EQ(received.frames, count.at(row));
      EXPECT_EQ(received.lost, 0U);
    }
  }
}

// More flows than the schedule's upper levels hold, and so rarely one's turn that the clock of the
// deep levels stops before each: every replacement has to wake it on its way down.
TEST(CardPatterns, ManyFlowsWithRestsOfTheScheduleBetween) {
  constexpr std::uint32_t kRows = 200;
  constexpr std::uint32_t kTurns = 4;
  constexpr Picoseconds kStep = nanoseconds(401);  // 129 clocks
  TestCard card(2);
  std::vector<std::vector<card::FlowConfig>> flows(2);
  // Rows take turns in an order that has nothing to do with their places in the schedule.
  const auto place = [](std::uint32_t port, std::uint32_t turn) {
    return turn * (port == 0 ? 77U : 123U) % kRows;
  };
  for (std::uint32_t port = 0; port < 2; ++port) {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      flows[port].push_back(makeFlow(udpStream(port, 64), row));
    }
    for (std::uint32_t turn = 0; turn < kRows; ++turn) {
      card::FlowConfig& flow = flows[port][place(port, turn)];
      flow.first_due = kStep * turn;
      flow.period = card::FinePeriod::fromPicoseconds(kStep * kRows);
      flow.burst_frames = kTurns;
    }
  }
  const PatternRun run = runFlows(card, flows);
  for (std::uint32_t port = 0; port < 2; ++port) {
    ASSERT_EQ(run.sent[port].size(), kRows * kTurns);
    EXPECT_FALSE(card.driver.faults(port).tx_late);
    for (std::uint32_t k = 0; k < kRows * kTurns; ++k) {
      const Departure& frame = run.sent[port][k];
      ASSERT_EQ(frame.row, place(port, k % kRows)) << "port " << port << " frame " << k;
      ASSERT_EQ(frame.number, k / kRows);
      const Picoseconds due = run.start + kStep * k;
      ASSERT_GE(frame.departure, due) << "port " << port << " frame " << k;
      ASSERT_LT((frame.departure - due).count(), kClockPs) << "port " << port << " frame " << k;
    }
  }
}

// Armed too late, a Poisson stream says so like any other.
TEST(CardPatterns, ALateStartIsFlagged) {
  TestCard card(2);
  card::FlowConfig flow = makeFlow(udpStream(0, 64), 0);
  flow.gaps = card::ExponentialGaps{card::FinePeriod::fromPicoseconds(nanoseconds(50)), 1};
  flow.burst_frames = 200;
  card.driver.loadFlows(0, std::vector{flow});
  card.driver.arm(card.sim.now() - microseconds(1));
  card.finish();
  EXPECT_TRUE(card.driver.lateStart());
  EXPECT_TRUE(card.driver.faults(0).tx_late);
  EXPECT_EQ(card.driver.counters(0).tx_frames, 200U);
}

}  // namespace
}  // namespace plumbline::hw_test
