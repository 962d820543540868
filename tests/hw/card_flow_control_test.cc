// Flow control of the whole card, on wires whose times are known: pauses and how exactly they are
// obeyed, storms, the virtual receive buffer, the log.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "sim/wire.h"
#include "test_card.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

constexpr Picoseconds kClock = sim::kClockPeriodMax;
constexpr std::uint32_t kPriority = 3;
// A pause takes effect 12 clocks after its last beat, two more to the gate, and what the gate has
// decided before that is on its way for 39, four of them through the damage.
constexpr std::int64_t kStopClocks = 12 + 2 + 39;
constexpr Picoseconds kQuantum = sim::kByteTime * 64;

card::FlowConfig pausedFlow(std::uint32_t port, std::uint32_t row, std::uint32_t length,
                            std::uint32_t priority = kPriority) {
  wire::StreamTemplateSpec stream = udpStream(port, length);
  stream.vlan_id = 10;
  stream.priority = static_cast<std::uint8_t>(priority);
  card::FlowConfig flow = makeFlow(stream, row);
  flow.priority = priority;
  return flow;
}

struct SentFrame {
  std::uint32_t port = 0;
  bool pfc = false;
  Picoseconds first_bit;
};

struct Pause {
  std::uint32_t length = 0;
  bool wait = false;
};
class CardPause : public testing::TestWithParam<Pause> {};

// One pause in the middle of a stream at full load.
TEST_P(CardPause, StopsWithinTheStatedClocksAndResumesToTheClock) {
  constexpr std::uint16_t kQuanta = 1000;
  const auto [length, wait] = GetParam();
  TestCard card(2);
  std::vector<SentFrame> frames;
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    frames.push_back({frame.port, decoded.pfc() != nullptr, frame.first_bit});
  };
  card::FlowConfig flow = pausedFlow(0, 0, length);
  setConstantRate(flow, Fraction::one(), 20'000'000 / (length + 20) / 80);
  card.driver.loadFlows(0, std::vector{flow});
  card.driver.setPfcReaction(0, 0xFF);
  card.driver.flowControl(0).setWait(wait);
  card.driver.flowControl(0).setPauseLog(true);
  card.driver.flowControl(1).setSource({0x02, 0, 0, 0, 0, 1});
  card.driver.flowControl(1).setPauseLog(true);
  card.start();
  card.sim.wait(microseconds(15));
  card.driver.flowControl(1).send({.priorities = 1U << kPriority, .quanta = kQuanta});
  card.finish();
  card.expectNoFaults();

  const auto pfc =
      std::find_if(frames.begin(), frames.end(), [](const SentFrame& f) { return f.pfc; });
  ASSERT_NE(pfc, frames.end());
  EXPECT_EQ(pfc->port, 1U);
  const Picoseconds arrived = pfc->first_bit + kWireDelay + sim::kByteTime * 64;
  const Picoseconds pause = kQuantum * kQuanta;
  std::vector<SentFrame> data;
  std::copy_if(frames.begin(), frames.end(), std::back_inserter(data),
               [](const SentFrame& f) { return !f.pfc; });
  // The only long gap.
  std::size_t gap = 0;
  for (std::size_t i = 1; i < data.size(); ++i) {
    if (data[i].first_bit - data[i - 1].first_bit > pause / 2) {
      EXPECT_EQ(gap, 0U);
      gap = i;
    }
  }
  ASSERT_GT(gap, 0U);
  const Picoseconds slot = sim::kByteTime * (length + 20);
  const Picoseconds reaction = data[gap - 1].first_bit - arrived;
  const Picoseconds latest =
      kClock * kStopClocks + sim::kMacTxLatency + sim::kMacRxLatency + 2 * kClock;
  EXPECT_LE(reaction, latest) << "begins at most the frame that is decided on";
  // From the pause's end to the first frame as long as from its beginning to the last decision.
  const Picoseconds resumed = data[gap].first_bit - arrived - pause;
  EXPECT_LE(resumed, latest + (wait ? kClock : slot));
  EXPECT_GE(resumed, latest - 6 * kClock);
  std::cout << length << " bytes: last frame begins " << reaction.count()
            << " ps after the PAUSE has arrived, first one " << resumed.count()
            << " ps after its end\n";

  const card::PortCounters counters = card.driver.counters(0);
  EXPECT_EQ(counters.rx_xoff[kPriority], 1U);
  EXPECT_EQ(counters.paused_ps[kPriority], static_cast<std::uint64_t>(pause.count()));
  EXPECT_EQ(card.driver.counters(1).tx_xoff[kPriority], 1U);
  EXPECT_EQ(counters.tx_frames, data.size());
  EXPECT_EQ(data.size(), flow.burst_frames);  // given up slots are made up for at the end
  if (wait) {
    EXPECT_EQ(counters.tx_pfc_skipped, 0U);
    EXPECT_EQ(counters.tx_waited, 1U);
  } else {
    const auto skipped = static_cast<std::int64_t>(counters.tx_pfc_skipped);
    EXPECT_LE(std::abs(skipped - pause.count() / slot.count()), 2);
  }

  // The same pause in both logs.
  for (std::uint32_t port = 0; port < 2; ++port) {
    const std::vector<card::PauseEvent> log = card.driver.flowControl(port).readPauses();
    ASSERT_EQ(log.size(), 2U) << port;
    EXPECT_EQ(log[0].sent, port == 1);
    EXPECT_EQ(log[0].starts, 1U << kPriority);
    EXPECT_EQ(log[0].ends, 0U);
    EXPECT_EQ(log[1].starts, 0U);
    EXPECT_EQ(log[1].ends, 1U << kPriority);
    EXPECT_LE(std::abs((log[1].time - log[0].time - pause).count()), kClock.count());
    // At the MAC boundary: the frame has left, or has come in and taken effect.
    const Picoseconds effect = log[0].time - (port == 1 ? pfc->first_bit - sim::kMacTxLatency
                                                        : arrived + sim::kMacRxLatency);
    EXPECT_LE(std::abs(effect.count()), 16 * kClock.count()) << port;
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, CardPause,
                         testing::Values(Pause{68, false}, Pause{68, true}, Pause{1500, false},
                                         Pause{1500, true}, Pause{9216, false}, Pause{9216, true}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.length) +
                                  (instance.param.wait ? "Wait" : "GiveUp");
                         });

// A storm on one priority: every frame counts, the stream of that priority stands still for exactly
// as long as the pauses overlap, and another priority's stream does not notice.
TEST(CardStorm, IsAbsorbedAndOthersKeepTheirTimes) {
  const bool whole = longRun();
  const std::uint32_t count = whole ? 1'000'000 : 20'000;
  constexpr Picoseconds kPeriod = nanoseconds(20);
  TestCard card(2);
  card::FlowConfig paused = pausedFlow(0, 0, 256);
  card::FlowConfig other = pausedFlow(0, 1, 256, 5);
  const Picoseconds duration = kPeriod * count + microseconds(60);
  const card::FinePeriod period = card::FinePeriod::fromPicoseconds(microseconds(1));
  const auto per_flow = static_cast<std::uint32_t>(duration / microseconds(1));
  paused.period = other.period = period;
  paused.burst_frames = other.burst_frames = per_flow;
  paused.bursts = other.bursts = 1;
  other.first_due = nanoseconds(500);
  card.driver.loadFlows(0, std::vector{paused, other});
  card.driver.setPfcReaction(0, 0xFF);
  const Picoseconds start = card.start();
  const Picoseconds storm_start = start + microseconds(20);
  card.driver.flowControl(1).startStorm({.frame = {.priorities = 1U << kPriority, .quanta = 100},
                                         .frames = count,
                                         .period = kPeriod,
                                         .start = storm_start});
  std::uint64_t storm_frames = 0;
  Picoseconds first;
  Picoseconds last;
  std::uint64_t in_storm = 0;
  std::vector<Picoseconds> other_times;
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    if (decoded.pfc() != nullptr) {
      if (storm_frames == 0) first = frame.first_bit;
      last = frame.first_bit;
      ++storm_frames;
    } else if (decoded.vlan->pcp == 5) {
      other_times.push_back(frame.first_bit);
    } else if (storm_frames > 100 && storm_frames < count) {
      ++in_storm;
    }
  };
  card.finish();
  card.expectNoFaults();
  EXPECT_FALSE(card.driver.flowControl(1).faults().storm_late);
  EXPECT_FALSE(card.driver.flowControl(1).stormActive());
  EXPECT_EQ(storm_frames, count);
  // To a clock, and to a column of the line.
  EXPECT_LE(std::abs((last - first - kPeriod * (count - 1)).count()),
            (kClock + sim::kByteTime * sim::kColumnBytes.count()).count());
  EXPECT_EQ(in_storm, 0U);
  const card::PortCounters sender = card.driver.counters(0);
  EXPECT_EQ(sender.rx_xoff[kPriority], count);
  EXPECT_EQ(sender.rx_mac_control_other, 0U);
  // From the first XOFF to the end of the last pause, without a hole.
  const Picoseconds expected = kPeriod * (count - 1) + kQuantum * 100;
  EXPECT_LE(std::abs(static_cast<std::int64_t>(sender.paused_ps[kPriority]) - expected.count()),
            2 * kClock.count());
  EXPECT_EQ(sender.paused_ps[5], 0U);
  EXPECT_EQ(card.driver.counters(1).tx_xoff[kPriority], count);
  ASSERT_EQ(other_times.size(), per_flow);
  for (std::size_t i = 1; i < other_times.size(); ++i) {
    EXPECT_LE(std::abs((other_times[i] - other_times[0]).count() -
                       static_cast<std::int64_t>(i) * microseconds(1).count()),
              2 * kClock.count());
  }
}

// Both ports send streams and storm each other at once: the storm keeps its grid but for the frame
// in hand, the stream that is not paused its own but for a PAUSE frame, and departures stay exact.
TEST(CardStorm, APortStreamsAndStormsAtOnce) {
  constexpr std::uint32_t kLength = 256;
  constexpr std::uint32_t kOther = 5;
  constexpr std::uint32_t kCount = 4000;
  constexpr Picoseconds kPeriod = nanoseconds(151);
  constexpr Picoseconds kGrid = nanoseconds(40);  // of the streams' frames
  constexpr Picoseconds kColumn = sim::kByteTime * sim::kColumnBytes.count();
  const std::uint32_t per_flow = static_cast<std::uint32_t>(kPeriod * kCount / kGrid) + 3000;
  TestCard card(2);
  for (std::uint32_t port = 0; port < 2; ++port) {
    card::FlowConfig paused = pausedFlow(port, 0, kLength);
    card::FlowConfig other = pausedFlow(port, 1, kLength, kOther);
    paused.group = 1;
    paused.period = card::FinePeriod::fromPicoseconds(8 * kGrid);
    paused.burst_frames = per_flow / 8;
    other.period = card::FinePeriod::fromPicoseconds(kGrid);
    other.burst_frames = per_flow;
    paused.bursts = other.bursts = 1;
    card.driver.loadFlows(port, std::vector{paused, other});
    card.driver.setPfcReaction(port, 0xFF);
    card.driver.flowControl(port).setSource({0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(port)});
  }
  const Picoseconds start = card.start();
  const Picoseconds storm_start = start + microseconds(20);
  for (std::uint32_t port = 0; port < 2; ++port) {
    card.driver.flowControl(port).startStorm(
        {.frame = {.priorities = 1U << kPriority, .quanta = 100},
         .frames = kCount,
         .period = kPeriod,
         .start = storm_start});
  }
  struct Times {
    std::vector<Picoseconds> storm, paused, other;
    // Of each of `other`: by how much the MAC has made the gap before it shorter than on average.
    std::vector<Picoseconds> taken_back;
    Picoseconds free;  // when the frame before, its average gap and a preamble are over
  };
  std::array<Times, 2> sent;
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    Times& times = sent.at(frame.port);
    auto& kind = decoded.pfc() != nullptr         ? times.storm
                 : decoded.vlan->pcp == kPriority ? times.paused
                                                  : times.other;
    kind.push_back(frame.first_bit);
    if (&kind == &times.other) {
      times.taken_back.push_back(std::max(times.free - frame.first_bit, Picoseconds(0)));
    }
    times.free = frame.first_bit +
                 frameSlot(Bytes(static_cast<std::int64_t>(frame.bytes->size())), sim::kLineRate);
  };
  card.finish();
  const Picoseconds storm_end = storm_start + kPeriod * (kCount - 1);
  for (std::uint32_t port = 0; port < 2; ++port) {
    SCOPED_TRACE(testing::Message() << "port " << port);
    const Times& times = sent.at(port);
    EXPECT_FALSE(card.driver.flowControl(port).faults().storm_late);
    EXPECT_GE(card.sim.wireStats(port).min_gap_bytes, 5);
    ASSERT_EQ(times.storm.size(), kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const Picoseconds late = times.storm[i] - (storm_start + kPeriod * i) - sim::kMacTxLatency;
      ASSERT_GE(late, Picoseconds(0)) << "PAUSE " << i;
      ASSERT_LE(late, sim::kByteTime * (kLength + 20) + kClock + kColumn) << "PAUSE " << i;
    }
    // From the time at which the first PAUSE is obeyed to the last one: nothing of that priority.
    const Picoseconds obeyed = storm_start + kWireDelay + microseconds(1);
    for (const Picoseconds time : times.paused) ASSERT_FALSE(time > obeyed && time < storm_end);
    const auto in_storm = [&](Picoseconds time) { return time > obeyed && time < storm_end; };
    std::size_t inside = 0;
    for (std::size_t i = 0; i < times.other.size(); ++i) {
      if (!in_storm(times.other[i])) continue;
      ++inside;
      const Picoseconds late =
          times.other[i] - (start + kGrid * static_cast<std::int64_t>(i)) - sim::kMacTxLatency;
      // Due on a wire that the card holds for taken, which the MAC's deficit idle count frees
      // earlier.
      ASSERT_GE(late + times.taken_back[i], Picoseconds(0)) << "frame " << i;
      // A PAUSE frame before it; an edge of the clock, and a decision every other one.
      ASSERT_LE(late, sim::kByteTime * 84 + 3 * kClock + kColumn) << "frame " << i;
    }
    EXPECT_GT(inside, kCount);
    const card::PortCounters counters = card.driver.counters(port);
    EXPECT_EQ(counters.rx_xoff[kPriority], kCount);
    EXPECT_EQ(counters.tx_xoff[kPriority], kCount);
    EXPECT_EQ(counters.rx_fcs_errors + counters.rx_event_overflow, 0U);
    EXPECT_GT(counters.tx_pfc_skipped, 1000U);
    const Picoseconds paused = kPeriod * (kCount - 1) + kQuantum * 100;
    EXPECT_NEAR(static_cast<double>(counters.paused_ps[kPriority]),
                static_cast<double>(paused.count()),
                static_cast<double>((sim::kByteTime * (kLength + 20) + 2 * kClock).count()));
    EXPECT_EQ(card.driver.rxFlow(port, 0).frames, per_flow / 8);
    EXPECT_EQ(card.driver.rxFlow(port, 1).frames, per_flow);
    EXPECT_EQ(card.driver.rxFlow(port, 0).lost + card.driver.rxFlow(port, 1).lost, 0U);
    // The tags have the true departures, whatever went before.
    const stats::Histogram latency = card.driver.latency(port, 0);
    EXPECT_EQ(latency.count(), per_flow);
    EXPECT_GE(latency.minimum(), (kWireDelay - kClock).count());
    EXPECT_LE(latency.maximum(), (kWireDelay + kClock).count());
  }
}

// A receiver that empties at half the line rate: the sender is held to that rate, nothing is
// dropped, and the fill stays between the thresholds and what is on its way.
TEST(CardBuffer, HoldsTheSenderToTheDrainRate) {
  constexpr std::uint32_t kLength = 1024;
  TestCard card(2);
  card::FlowConfig flow = pausedFlow(0, 0, kLength);
  setConstantRate(flow, Fraction::one(), 4000);
  card.driver.loadFlows(0, std::vector{flow});
  card.driver.setPfcReaction(0, 0xFF);
  card.driver.flowControl(0).setWait(true);
  card::VirtualBuffer buffer;
  buffer.quanta = 0xFFFF;
  buffer.refresh = microseconds(100);
  constexpr std::uint32_t kXoff = 60'000;
  constexpr std::uint32_t kXon = 40'000;
  // What may still come: the round trip, the frame in hand, the pipeline.
  constexpr std::uint32_t kHeadroom = 40'000;
  buffer.levels[kPriority] = {.capacity = kXoff + kHeadroom,
                              .drain = gigabitsPerSecond(50),
                              .pfc = true,
                              .xoff = kXoff,
                              .xon = kXon};
  card.driver.flowControl(1).setBuffer(buffer);
  card.start();
  std::uint32_t highest = 0;
  std::uint64_t received_half = 0;
  Picoseconds half_time;
  card.finish(microseconds(20), microseconds(2), [&] {
    highest = std::max(highest, card.driver.flowControl(1).bufferFill(kPriority));
    const std::uint64_t frames = card.driver.counters(1).rx_frames;
    if (frames < 2000) {
      received_half = frames;
      half_time = card.driver.cardTime();
    }
  });
  card.expectNoFaults();
  const card::PortCounters receiver = card.driver.counters(1);
  EXPECT_EQ(receiver.rx_frames, 4000U);
  EXPECT_EQ(receiver.rx_buffer_dropped, 0U);
  EXPECT_EQ(card.driver.rxFlow(1, 0).lost, 0U);
  EXPECT_GE(highest, kXoff);
  EXPECT_LE(highest, kXoff + kHeadroom);
  EXPECT_GT(receiver.tx_xoff[kPriority], 3U);
  // XON as often as XOFF, but for refreshes.
  EXPECT_LE(receiver.tx_xon[kPriority], receiver.tx_xoff[kPriority]);
  EXPECT_GT(received_half, 1000U);
  EXPECT_GT(half_time, Picoseconds(0));
  // 4000 frames of 1024 bytes at 50 Gb/s are 655 us, less what the buffer holds at the end.
  const double paused_us = static_cast<double>(card.driver.counters(0).paused_ps[kPriority]) / 1e6;
  const double full_rate_us = 4000 * (kLength + 20) * 80e-6;
  EXPECT_NEAR(paused_us + full_rate_us, 4000 * kLength * 160e-6, 0.06 * 4000 * kLength * 160e-6);
}

}  // namespace
}  // namespace plumbline::hw_test
