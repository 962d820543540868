// Full load in both directions on every port, PFC in the middle of it, and a MAC that stalls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/wire.h"
#include "test_card.h"
#include "wire/crc.h"
#include "wire/flow_control.h"

namespace plumbline::hw_test {
namespace {

constexpr Picoseconds kPauseQuantum = sim::kByteTime * (wire::kPauseQuantumBits / 8);

sim::FrameBytes pfcFrame(const wire::PfcHeader& pfc) {
  wire::FrameSpec spec;
  spec.destination = wire::kMacControlAddress;
  spec.source = {{0x02, 0, 0, 0, 0, 0x99}};
  spec.network = pfc;
  return std::make_shared<const std::vector<std::uint8_t>>(encodeFrame(spec));
}

// Every frame of every port arrives and is accounted; what is captured is what was on the wire.
void fullLoad(std::uint32_t ports, std::uint32_t length, std::uint32_t frames) {
  SCOPED_TRACE(testing::Message() << ports << " ports, " << length << " bytes");
  TestCard card(ports);
  card.wire.keep_arrivals = true;
  std::vector<std::vector<WireFrame>> sent(ports);
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
    sent[frame.port].push_back(frame);
  };
  for (std::uint32_t port = 0; port < ports; ++port) {
    card::FlowConfig flow = makeFlow(udpStream(port, length), 5 + port, port);
    setConstantRate(flow, Fraction::one(), frames);
    card.driver.loadFlows(port, std::vector{flow});
    card.driver.setCapture(port, true, true);
  }
  card.start();
  std::vector<card::CapturedFrame> captured;
  card.finish(microseconds(5), microseconds(20), [&] {
    for (card::CapturedFrame& frame : card.sim.readCaptured()) captured.push_back(std::move(frame));
  });
  card.expectNoFaults();

  for (std::uint32_t port = 0; port < ports; ++port) {
    SCOPED_TRACE(testing::Message() << "port " << port);
    const std::uint32_t other = TestWire::otherEnd(port);
    const card::PortCounters counters = card.driver.counters(port);
    EXPECT_EQ(counters.tx_frames, frames);
    EXPECT_EQ(counters.tx_bytes, std::uint64_t{frames} * length);
    EXPECT_EQ(counters.tx_late, 0U);
    EXPECT_EQ(counters.tx_stall_clocks, 0U);
    EXPECT_EQ(counters.rx_frames, frames);
    EXPECT_EQ(counters.rx_bytes, std::uint64_t{frames} * length);
    EXPECT_EQ(counters.rx_fcs_errors, 0U);
    EXPECT_EQ(counters.rx_event_overflow, 0U);
    EXPECT_EQ(counters.rx_untagged, 0U);
    EXPECT_EQ(counters.capture_dropped, 0U);
    const card::RxFlow flow = card.driver.rxFlow(port, 5 + other);
    EXPECT_EQ(flow.frames, frames);
    EXPECT_EQ(flow.lost + flow.duplicate + flow.out_of_order + flow.stale, 0U);
    EXPECT_EQ(flow.next_sequence, frames);
    EXPECT_EQ(card.driver.latency(port, other).count(), frames);

    std::size_t next_sent = 0;
    std::size_t next_received = 0;
    const std::vector<WireFrame>& arrived = card.wire.arrivals(port);
    for (const card::CapturedFrame& frame : captured) {
      if (frame.port != port) continue;
      const std::vector<WireFrame>& truth = frame.sent ? sent[port] : arrived;
      std::size_t& next = frame.sent ? next_sent : next_received;
      ASSERT_LT(next, truth.size());
      ASSERT_EQ(frame.bytes, *truth[next].bytes);
      ASSERT_TRUE(frame.fcs_ok);
      ++next;
    }
    EXPECT_EQ(next_sent, frames);
    EXPECT_EQ(next_received, frames);
  }
}

TEST(CardLineRate, SmallestFramesOnTwoPorts) {
  for (const std::uint32_t length : {64U, 65U, 66U, 127U, 128U, 129U}) {
    fullLoad(2, length, 20'000);
  }
}

TEST(CardLineRate, LongFramesOnTwoPorts) {
  fullLoad(2, 1518, 2000);
  fullLoad(2, 9216, 300);
}

TEST(CardLineRate, SmallestFramesOnFourPorts) {
  fullLoad(4, 64, 4000);
  fullLoad(4, 65, 4000);
}

// Two priorities share a port; received PFC stops exactly the one it names, for as long as it says.
TEST(CardPfc, StopsExactlyThePriorityItNames) {
  TestCard card(2);
  constexpr std::uint32_t kFrames = 4000;
  std::vector<card::FlowConfig> flows;
  for (const std::uint8_t priority : {3, 4}) {
    wire::StreamTemplateSpec stream = udpStream(0, 128);
    stream.vlan_id = 100;
    stream.priority = priority;
    flows.push_back(makeFlow(stream, priority));
    setConstantRate(flows.back(), Fraction::percent(40), kFrames);
  }
  card.driver.loadFlows(0, flows);
  card.driver.setPfcReaction(0, 1U << 3);

  std::array<std::vector<Picoseconds>, 8> sent;
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    ASSERT_TRUE(decoded.vlan.has_value());
    sent[decoded.vlan->pcp].push_back(frame.first_bit);
  };
  const Picoseconds start = card.start();

  // XOFF of 3 (obeyed), 4 (not in PFC_REACT) and 5 (no traffic) for 1000 quanta, and one of 500
  // quanta that an XON ends after 1 us.
  const Picoseconds first_off = start + microseconds(20);
  const Picoseconds second_off = start + microseconds(60);
  const Picoseconds xon = second_off + microseconds(1);
  wire::PfcHeader pfc;
  pfc.enabled = 0b0011'1000;
  pfc.quanta.fill(1000);
  card.sim.runUntil(start);
  card.wire.put(0, pfcFrame(pfc), first_off);
  pfc.enabled = 0b0000'1000;
  pfc.quanta.fill(500);
  card.wire.put(0, pfcFrame(pfc), second_off);
  pfc.quanta.fill(0);
  card.wire.put(0, pfcFrame(pfc), xon);
  card.finish();
  card.expectNoFaults();

  // A pause begins when the frame is complete and checked, and what the pipelines hold still
  // leaves.
  constexpr Picoseconds kReaction = microseconds(1);
  const auto gapAround = [&](const std::vector<Picoseconds>& times, Picoseconds from) {
    const auto next = std::upper_bound(times.begin(), times.end(), from + kReaction);
    EXPECT_NE(next, times.begin());
    EXPECT_NE(next, times.end());
    return std::pair{*(next - 1), *next};
  };
  const auto [last_before, first_after] = gapAround(sent[3], first_off);
  const Picoseconds pause = kPauseQuantum * 1000;
  EXPECT_LE(last_before - first_off, kReaction);
  EXPECT_GE(first_after - first_off, pause);
  EXPECT_LE(first_after - first_off, pause + kReaction);
  const auto [last_before_2, first_after_2] = gapAround(sent[3], second_off - kReaction / 2);
  EXPECT_GE(first_after_2 - last_before_2, microseconds(1) - kReaction / 2);
  EXPECT_LE(first_after_2 - xon, kReaction);

  // The other priority never noticed.
  const Picoseconds period = frameSlot(Bytes(128), sim::kLineRate) * 5 / 2;
  ASSERT_EQ(sent[4].size(), kFrames);
  for (std::size_t i = 1; i < sent[4].size(); ++i) {
    ASSERT_LT(sent[4][i] - sent[4][i - 1], 2 * period);
  }
  // Burst counts stay exact: what was skipped is sent later.
  EXPECT_EQ(sent[3].size(), kFrames);
  const card::PortCounters counters = card.driver.counters(0);
  const double skipped_time =
      static_cast<double>((first_after - last_before + first_after_2 - last_before_2).count());
  EXPECT_NEAR(static_cast<double>(counters.tx_pfc_skipped),
              skipped_time / static_cast<double>(period.count()), 4);

  EXPECT_EQ(counters.rx_pause_frames, 0U);
  for (std::uint32_t priority = 0; priority < 8; ++priority) {
    SCOPED_TRACE(testing::Message() << "priority " << priority);
    const bool named = priority >= 3 && priority <= 5;
    EXPECT_EQ(counters.rx_xoff[priority], priority == 3 ? 2U : named ? 1U : 0U);
    EXPECT_EQ(counters.rx_xon[priority], priority == 3 ? 1U : 0U);
    // Paused from one PFC frame's verdict to the end of its time or to the next one's verdict.
    const Picoseconds expected =
        named ? pause + (priority == 3 ? microseconds(1) : Picoseconds(0)) : Picoseconds(0);
    EXPECT_NEAR(static_cast<double>(counters.paused_ps[priority]),
                static_cast<double>(expected.count()), 2.0 * sim::kClockPeriodMax.count());
  }
  EXPECT_EQ(card.driver.counters(1).rx_xoff[3], 0U);
}

// 802.3x PAUSE is counted and not obeyed; a PFC frame with a bad FCS is neither.
TEST(CardPfc, PauseIsCountedOnlyAndBadFramesAreIgnored) {
  TestCard card(2);
  card.driver.setPfcReaction(1, 0xFF);
  wire::FrameSpec spec;
  spec.destination = wire::kMacControlAddress;
  spec.network = wire::PauseHeader{0xFFFF};
  card.wire.put(1, std::make_shared<const std::vector<std::uint8_t>>(encodeFrame(spec)),
                card.sim.now());
  wire::PfcHeader pfc;
  pfc.enabled = 0xFF;
  pfc.quanta.fill(0xFFFF);
  std::vector<std::uint8_t> damaged = *pfcFrame(pfc);
  damaged[20] ^= 1;
  card.wire.put(1, std::make_shared<const std::vector<std::uint8_t>>(damaged), card.sim.now());
  card.sim.wait(microseconds(2));
  const card::PortCounters counters = card.driver.counters(1);
  EXPECT_EQ(counters.rx_pause_frames, 1U);
  EXPECT_EQ(counters.rx_fcs_errors, 1U);
  for (std::uint32_t priority = 0; priority < 8; ++priority) {
    EXPECT_EQ(counters.rx_xoff[priority], 0U);
    EXPECT_EQ(counters.paused_ps[priority], 0U);
  }
}

// A MAC with too small a FIFO stalls the card: nothing is lost, and the card says that its
// departure times may be wrong.
TEST(CardLineRate, AStallingMacIsReported) {
  TestCard card(2, {.mac_fifo_bytes = 1500});
  card::FlowConfig flow = makeFlow(udpStream(0, 9216), 0);
  setConstantRate(flow, Fraction::one(), 50);
  card.driver.loadFlows(0, std::vector{flow});
  card.start();
  card.finish();
  EXPECT_TRUE(card.driver.faults(0).tx_stall);
  EXPECT_FALSE(card.driver.faults(1).tx_stall);
  EXPECT_GT(card.driver.counters(0).tx_stall_clocks, 0U);
  EXPECT_EQ(card.wire.sentFrames(0), 50U);
  EXPECT_EQ(card.driver.rxFlow(1, 0).frames, 50U);
  EXPECT_EQ(card.driver.rxFlow(1, 0).lost, 0U);
  EXPECT_EQ(card.sim.wireStats(0).underruns, 0U);
}

}  // namespace
}  // namespace plumbline::hw_test
