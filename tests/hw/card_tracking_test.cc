// Trimmed and reordered frames through the whole card, counted in a row beyond the 2048 that an
// ordinary test tag can name.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/hw/test_card.h"
#include "wire/crc.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint8_t kTrimmedDscp = 42;
constexpr std::size_t kIp = 14;

// As a switch leaves a UDP frame over IPv4 that it cut down to the test tag.
sim::FrameBytes trimmed(const sim::FrameBytes& whole) {
  constexpr std::size_t kKept = 14 + 20 + 8 + 18;
  wire::Buffer frame = *whole;
  frame.resize(kKept);
  frame[kIp + 1] = static_cast<std::uint8_t>((frame[kIp + 1] & 3U) | kTrimmedDscp << 2U);
  frame[kIp + 2] = 0;
  frame[kIp + 3] = kKept - kIp;
  wire::appendFcs(frame);
  return std::make_shared<const wire::Buffer>(std::move(frame));
}

TEST(CardTracking, TrimmedAndReorderedFramesInAWideRow) {
  constexpr std::uint32_t kRow = 4000;
  constexpr std::uint32_t kGroup = 3;
  constexpr std::uint32_t kFrames = 200;
  constexpr std::uint32_t kDepth = 7;
  TestCard card(2);
  card.driver.setRxTracking(1, {.wide_rows = true, .trim_dscp = kTrimmedDscp});
  card::FlowConfig flow = makeFlow(udpStream(0, 256), kRow, kGroup);
  flow.wide_row = true;
  setConstantRate(flow, Fraction::percent(25), kFrames);
  card.driver.loadFlows(0, std::vector{flow});

  // Every tenth frame is trimmed; every fiftieth, not one of those, waits for the seven behind it.
  std::uint32_t seen = 0;
  std::optional<WireFrame> held;
  std::uint32_t released_at = 0;
  const auto onward = [&](const WireFrame& frame) {
    card.wire.put(1, frame.bytes, frame.first_bit + microseconds(1));
  };
  card.wire.forward = [&](const WireFrame& frame) {
    const std::uint32_t number = seen++;
    if (number % 50 == 5) {
      held = frame;
      released_at = number + kDepth;
      return;
    }
    WireFrame sent = frame;
    if (number % 10 == 0) sent.bytes = trimmed(sent.bytes);
    onward(sent);
    if (held && number == released_at) {
      held->first_bit = frame.first_bit;
      onward(*held);
      held.reset();
    }
  };
  card.start();
  card.finish();

  const card::RxFlow row = card.driver.rxFlow(1, kRow);
  EXPECT_EQ(row.frames, kFrames);
  EXPECT_EQ(row.trimmed, kFrames / 10);
  EXPECT_EQ(row.bytes, std::uint64_t{kFrames} * 256 - std::uint64_t{kFrames / 10} * (256 - 64));
  EXPECT_EQ(row.lost, 0U);
  EXPECT_EQ(row.duplicate, 0U);
  EXPECT_EQ(row.out_of_order, kFrames / 50);
  EXPECT_EQ(row.reorder_depth, kDepth);
  EXPECT_EQ(row.next_sequence, kFrames);
  const card::PortCounters counters = card.driver.counters(1);
  EXPECT_EQ(counters.rx_trimmed, kFrames / 10);
  EXPECT_EQ(counters.rx_trimmed_bare, 0U);
  EXPECT_EQ(counters.rx_bad_row, 0U);
  EXPECT_EQ(card.driver.latency(1, kGroup).count(), kFrames - kFrames / 10);

  const std::vector<card::RxFlow> rows = card.driver.rxFlows(1, kRow - 1, 3);
  EXPECT_EQ(rows[0].frames, 0U);
  EXPECT_EQ(rows[1].frames, kFrames);
  EXPECT_EQ(rows[1].reorder_depth, kDepth);
  EXPECT_EQ(rows[2].frames, 0U);
}

}  // namespace
}  // namespace plumbline::hw_test
