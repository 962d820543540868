// Event frames on ports with link-level retry: each is sent and received once, with the times of
// the line, whatever the retry does around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "bench/trial/calibration.h"
#include "card/registers.h"
#include "event_port.h"
#include "joined_card.h"

namespace plumbline::hw_test {
namespace {

namespace event = card::regs::event;

// What the model of the wire or the crossing may be ahead of the line: docs/card.md, Event frames.
constexpr std::int64_t kWaitClocks = 4;

// An observer of the line from port 0 to port 1: which event frames pass, and when.
class EventLine {
 public:
  explicit EventLine(sim::BareLink& link) {
    link.on_frame = [this](std::uint32_t port, sim::BareLink::Frame& frame) {
      return port != 0 || see(frame);
    };
  }

  // Called for every frame that is none of PTP; may damage it.
  std::function<void(sim::BareLink::Frame& frame)> other;
  // Damages the event frame of this number, from 0 on.
  std::optional<std::size_t> damaged;
  // All that have passed: first bit, and whether the preamble has a number.
  std::vector<Picoseconds> times;
  std::size_t numbered = 0;

 private:
  bool see(sim::BareLink::Frame& frame) {
    if (frame.bytes[12] != 0x88 || frame.bytes[13] != 0xF7) {
      if (other) other(frame);
      return true;
    }
    if (damaged == times.size()) frame.bytes[40] ^= 1;
    times.push_back(frame.first_bit);
    numbered += frame.preamble != sim::kOrdinaryPreamble ? 1 : 0;
    return true;
  }
};

std::int64_t differencePs(Picoseconds a, Picoseconds b) { return (a - b).count(); }

struct Eligibility {
  bool control = false;
};
class CardEventRetry : public testing::TestWithParam<Eligibility> {
 protected:
  static card::LlrConfig config() {
    card::LlrConfig config = retryConfig();
    config.mac_control_eligible = GetParam().control;
    return config;
  }
};

TEST_P(CardEventRetry, OnAnIdleLineTheyAreThoseOfAPlainPort) {
  JoinedCard joined(64, Fraction::percent(1), 1);
  EventLine line(joined.link);
  joined.bringUp(config());
  constexpr std::int64_t kStep = -1'234'567;
  CardClock(joined.card.sim).step(kStep);
  EventPort from(joined.card.sim, 0);
  EventPort to(joined.card.sim, 1);
  to.receive(true, false);
  for (std::size_t bytes = 60; bytes <= 128; bytes += 4) {
    SCOPED_TRACE(bytes);
    from.send(ptpFrame(bytes, bytes));
    const std::optional<EventStamp> sent = from.sent();
    ASSERT_TRUE(sent.has_value());
    joined.card.sim.wait(microseconds(3));
    ASSERT_EQ(line.times.size(), (bytes - 60) / 4 + 1);
    const std::optional<ReceivedEvent> received = to.take();
    ASSERT_TRUE(received.has_value());
    EXPECT_EQ(received->bytes, ptpFrame(bytes, bytes));
    EXPECT_LE(std::abs(differencePs(sent->local, line.times.back())), kClockPs);
    EXPECT_LE(std::abs(differencePs(received->time.local, line.times.back() + kLinkDelay)),
              kClockPs);
    EXPECT_EQ(differencePs(sent->card, sent->local), kStep);
    EXPECT_EQ(differencePs(received->time.card, received->time.local), kStep);
  }
  EXPECT_EQ(line.numbered, 0U);
  EXPECT_EQ(to.read(event::kEventRxCount), 18U);
  EXPECT_EQ(joined.card.driver.linkRetry(0).status().outstanding, 0U);
}

// The line loses event frames as it does without link-level retry: one that is damaged has been
// sent, does not come again, and the times of the next ones are right.
TEST_P(CardEventRetry, ADamagedOneDoesNotComeAgain) {
  JoinedCard joined(64, Fraction::percent(1), 1);
  EventLine line(joined.link);
  joined.bringUp(config());
  EventPort from(joined.card.sim, 0);
  EventPort to(joined.card.sim, 1);
  to.receive(true, false);
  line.damaged = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    from.send(ptpFrame(80, i));
    const std::optional<EventStamp> sent = from.sent();
    ASSERT_TRUE(sent.has_value());
    joined.card.sim.wait(microseconds(30));  // longer than a retry
    ASSERT_EQ(line.times.size(), i + 1) << "sent again";
    EXPECT_LE(std::abs(differencePs(sent->local, line.times.back())), kClockPs);
    const std::optional<ReceivedEvent> received = to.take();
    ASSERT_EQ(received.has_value(), i != 1);
    if (!received) continue;
    EXPECT_EQ(received->bytes, ptpFrame(80, i));
    EXPECT_LE(std::abs(differencePs(received->time.local, line.times.back() + kLinkDelay)),
              kClockPs);
    EXPECT_FALSE(to.take().has_value());
  }
  EXPECT_EQ(from.read(event::kEventTxSent), 4U);
  EXPECT_EQ(to.read(event::kEventRxCount), 3U);
  EXPECT_EQ(joined.card.driver.linkRetry(0).counters().tx_replay, 0U);
}

// Retries all the time: a frame of the flow in 40 is damaged.
TEST_P(CardEventRetry, BetweenReplayedFramesTheyKeepTheirTimes) {
  constexpr std::uint32_t kFrames = 12'000;
  constexpr std::size_t kEvents = 120;
  JoinedCard joined(400, Fraction::percent(70), kFrames);
  EventLine line(joined.link);
  std::uint64_t passed = 0;
  line.other = [&passed](sim::BareLink::Frame& frame) {
    if (++passed % 40 == 0) frame.bytes[100] ^= 1;
  };
  joined.bringUp(config());
  EventPort from(joined.card.sim, 0);
  EventPort to(joined.card.sim, 1);
  to.receive(true, false);
  joined.card.start();
  joined.card.sim.wait(microseconds(15));
  RandomStream random(11, "event frames");
  std::int64_t earliest = 0;
  std::int64_t latest = 0;
  for (std::size_t i = 0; i < kEvents; ++i) {
    SCOPED_TRACE(i);
    joined.card.sim.wait(nanoseconds(static_cast<std::int64_t>(random.below(2000))));
    from.send(ptpFrame(60 + random.below(69), i));
    const std::optional<EventStamp> sent = from.sent();
    ASSERT_TRUE(sent.has_value());
    joined.card.sim.wait(microseconds(2));
    ASSERT_EQ(line.times.size(), i + 1);
    const std::int64_t late = differencePs(sent->local, line.times.back());
    earliest = std::min(earliest, late);
    latest = std::max(latest, late);
    const std::optional<ReceivedEvent> received = to.take();
    ASSERT_TRUE(received.has_value());
    EXPECT_TRUE(std::equal(received->bytes.begin() + 14, received->bytes.begin() + 60,
                           ptpFrame(60, i).begin() + 14));
    EXPECT_LE(std::abs(differencePs(received->time.local, line.times.back() + kLinkDelay)),
              kClockPs);
    EXPECT_FALSE(to.take().has_value());
  }
  joined.finish();
  joined.expectAllReceivedOnce(kFrames);
  EXPECT_GE(earliest, -(kWaitClocks + 1) * kClockPs);
  EXPECT_LE(latest, kClockPs);
  EXPECT_LT(earliest, -kClockPs) << "none had to wait";
  EXPECT_EQ(line.numbered, 0U);
  EXPECT_EQ(from.read(event::kEventTxSent), kEvents);
  EXPECT_EQ(to.read(event::kEventRxCount), kEvents);
  EXPECT_EQ(to.read(event::kEventRxLost), 0U);
  EXPECT_GT(joined.card.driver.linkRetry(0).counters().tx_replay, 20U);
}

// The other end numbers its event frames and sends one again: one event, with the time of the copy
// that was passed on.
TEST(CardEventRetryOfPeer, ARetransmittedOneIsOneEventWithTheTimeOfItsCopy) {
  JoinedCard joined(64, Fraction::percent(1), 6);
  constexpr std::uint64_t kReplaced = 2;
  std::uint64_t seen = 0;
  std::vector<Picoseconds> copies;
  const std::vector<std::uint8_t> frame = withFcs(ptpFrame(60, 5));
  // A frame of the flow becomes an event frame on the line, its first copy damaged.
  std::optional<sim::Preamble> number;
  joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& passing) {
    if (port != 0) return true;
    if (seen++ == kReplaced) number = passing.preamble;
    if (number != passing.preamble) return true;
    passing.bytes = frame;
    if (copies.empty()) passing.bytes[30] ^= 0x10;
    copies.push_back(passing.first_bit);
    return true;
  };
  joined.bringUp();
  EventPort to(joined.card.sim, 1);
  to.receive(true, false);
  joined.card.start();
  joined.finish();
  ASSERT_EQ(copies.size(), 2U);
  const std::optional<ReceivedEvent> received = to.take();
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(received->bytes, ptpFrame(60, 5));
  EXPECT_LE(std::abs(differencePs(received->time.local, copies[1] + kLinkDelay)), kClockPs);
  EXPECT_FALSE(to.take().has_value());
  EXPECT_EQ(to.read(event::kEventRxCount), 1U);
  EXPECT_EQ(joined.card.driver.linkRetry(1).counters().rx_replay, 1U);
}

INSTANTIATE_TEST_SUITE_P(Control, CardEventRetry,
                         testing::Values(Eligibility{false}, Eligibility{true}),
                         [](const auto& instance) {
                           return std::string(instance.param.control ? "Numbered" : "Plain");
                         });

}  // namespace
}  // namespace plumbline::hw_test
