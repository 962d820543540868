// Card time and local time on the whole card: event frames with their times, what the offset
// changes and what it leaves alone, start times, pulse per second.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "bench/trial/calibration.h"
#include "card/registers.h"
#include "event_port.h"
#include "test_card.h"
#include "wire/crc.h"

namespace plumbline::hw_test {
namespace {

namespace event = card::regs::event;
namespace card_time = card::regs::time;

constexpr std::int64_t kPpm = 13'327'405;  // of the rate, 2^-32 ps per clock

// Frames of PTP that the card sends; all others are looked at by the wire.
void keepEventFrames(TestCard& card, std::vector<WireFrame>& frames) {
  card.wire.expect_whole = false;
  card.wire.observe = [&frames](const WireFrame& frame, const wire::DecodedFrame&) {
    if ((*frame.bytes)[12] != 0x88 || (*frame.bytes)[13] != 0xF7) return;
    frames.push_back(frame);
  };
}

std::int64_t nearestEdge(std::int64_t ps) {
  const std::int64_t n = (ps * 33 + 51200) / 102400;
  return n * 102400 / 33;
}

std::vector<std::uint8_t> padded(std::vector<std::uint8_t> frame) {
  frame.resize(std::max<std::size_t>(frame.size(), 60));
  return frame;
}

sim::FrameBytes shared(std::vector<std::uint8_t> frame) {
  return std::make_shared<const std::vector<std::uint8_t>>(std::move(frame));
}

void expectNear(Picoseconds value, Picoseconds expected, std::int64_t tolerance) {
  EXPECT_LE(std::abs((value - expected).count()), tolerance)
      << value.count() << " instead of " << expected.count();
}

// All ports at `percent` of line rate with frames of `length` bytes.
void loadAll(TestCard& card, std::int64_t percent, std::uint32_t length, std::uint32_t frames) {
  for (std::uint32_t port = 0; port < card.ports; ++port) {
    std::vector<card::FlowConfig> flows{makeFlow(udpStream(port, length), 0)};
    setConstantRate(flows.back(), Fraction::percent(percent), frames);
    card.driver.loadFlows(port, flows);
  }
}

TEST(CardTime, TheBlocksAreThere) {
  TestCard card(2);
  EXPECT_EQ(card.sim.read(card_time::kBase + card_time::kTimeId), card_time::kTimeIdValue);
  for (std::uint32_t port = 0; port < 8; ++port) {
    EXPECT_EQ(card.sim.read(event::address(port, event::kEventId)),
              port < 2 ? event::kEventIdValue : 0u);
  }
  EXPECT_NE(card::regs::global::kFeaturesTime.get(card.sim.read(card::regs::global::kFeatures)),
            0u);
  CardClock clock(card.sim);
  const EventStamp now = clock.now();
  EXPECT_EQ(now.card, now.local);
  clock.step(-123'456'789'012);
  const EventStamp later = clock.now();
  EXPECT_EQ((later.card - later.local).count(), -123'456'789'012);
  // TIME of the card is card time; its own setting makes both the same again.
  expectNear(card.driver.cardTime(), later.card, 2'000'000);
  card.sim.write(card::regs::global::kControl, card::regs::global::kControlSetTime.of(1));
  const EventStamp set = clock.now();
  EXPECT_EQ(set.card, set.local);
}

TEST(CardTime, EventFramesOnAnIdleLine) {
  TestCard card(2);
  std::vector<WireFrame> frames;
  keepEventFrames(card, frames);
  constexpr std::int64_t kStep = 987'654'321'098;
  CardClock(card.sim).step(kStep);
  EventPort from(card.sim, 0);
  EventPort to(card.sim, 1);
  to.receive(true, false);
  for (std::size_t bytes = 58; bytes <= 128; ++bytes) {
    SCOPED_TRACE(bytes);
    const std::vector<std::uint8_t> frame = ptpFrame(bytes, bytes);
    from.send(frame);
    const std::optional<EventStamp> stamp = from.sent();
    ASSERT_TRUE(stamp.has_value());
    card.sim.wait(microseconds(2));
    ASSERT_EQ(frames.size(), bytes - 57);
    const WireFrame& sent = frames.back();
    // Bytes beyond the frame, up to the shortest one, are what was there before.
    ASSERT_GE(sent.bytes->size(), std::max<std::size_t>(bytes, 60) + 4);
    EXPECT_TRUE(std::equal(frame.begin(), frame.end(), sent.bytes->begin()));
    EXPECT_TRUE(wire::fcsOk(*sent.bytes));
    // On a free line: the edge at which the first beat crosses to the MAC, and the way from there.
    const std::int64_t crossing = (stamp->local - bench::kTxOffset).count();
    EXPECT_LE(std::abs(crossing - nearestEdge(crossing)), 2);
    expectNear(stamp->local, sent.first_bit, kClockPs);
    EXPECT_EQ((stamp->card - stamp->local).count(), kStep);
    // The other end.
    const std::optional<ReceivedEvent> received = to.take();
    ASSERT_TRUE(received.has_value());
    EXPECT_EQ(received->length, std::max<std::size_t>(bytes, 60));
    EXPECT_TRUE(std::equal(frame.begin(), frame.end(), received->bytes.begin()));
    expectNear(received->time.local, sent.first_bit + kWireDelay, kClockPs);
    EXPECT_EQ((received->time.card - received->time.local).count(), kStep);
  }
  EXPECT_EQ(from.read(event::kEventTxSent), 71u);
  EXPECT_EQ(to.read(event::kEventRxCount), 71u);
  EXPECT_EQ(to.read(event::kEventRxLost), 0u);
  const card::PortCounters counters = card.driver.counters(1);
  EXPECT_EQ(counters.rx_frames, 71u);
  EXPECT_EQ(counters.rx_unparsed, 0u);
}

// At line rate event frames take their place between the others: the line stays full, and the times
// are those of the wire.
TEST(CardTime, EventFramesOnAFullLine) {
  for (const std::uint32_t length : {64U, 65U, 1518U}) {
    SCOPED_TRACE(length);
    TestCard card(2);
    std::vector<WireFrame> frames;
    keepEventFrames(card, frames);
    loadAll(card, 100, length, 20'000'000 / (length + 20));
    card.start();
    card.sim.wait(microseconds(20));
    EventPort from(card.sim, 0);
    for (std::size_t bytes = 60; bytes <= 128; bytes += 4) {
      const std::vector<std::uint8_t> frame = ptpFrame(bytes, bytes);
      from.send(frame);
      const std::optional<EventStamp> stamp = from.sent();
      ASSERT_TRUE(stamp.has_value());
      card.sim.wait(microseconds(1));
      ASSERT_FALSE(frames.empty());
      EXPECT_EQ(*frames.back().bytes, withFcs(padded(frame)));
      expectNear(stamp->local, frames.back().first_bit, kClockPs);
    }
    EXPECT_EQ(frames.size(), 18u);
    card.expectNoFaults();
  }
}

// A MAC that stalls: every frame is whole.
TEST(CardTime, EventFramesThroughAMacThatStalls) {
  for (const std::int64_t fifo : {200, 600}) {
    sim::CardSimOptions options;
    options.mac_fifo_bytes = fifo;
    TestCard card(2, options);
    std::vector<WireFrame> frames;
    keepEventFrames(card, frames);
    loadAll(card, 95, 300, 100'000);
    card.start();
    card.sim.wait(microseconds(20));
    EventPort from(card.sim, 0);
    for (std::size_t bytes = 60; bytes <= 128; bytes += 2) {
      const std::vector<std::uint8_t> frame = ptpFrame(bytes, bytes);
      from.send(frame);
      ASSERT_TRUE(from.sent().has_value());
      card.sim.wait(microseconds(2));
      ASSERT_FALSE(frames.empty());
      EXPECT_EQ(*frames.back().bytes, withFcs(padded(frame)));
    }
    EXPECT_EQ(frames.size(), 35u);
  }
}

TEST(CardTime, ReceivedEventFramesAndTheirCounters) {
  TestCard card(2);
  EventPort port(card.sim, 0);
  Picoseconds at = card.sim.now() + microseconds(1);
  const auto put = [&](std::vector<std::uint8_t> frame) {
    card.wire.put(0, shared(std::move(frame)), at);
    at += nanoseconds(100);
  };
  const std::vector<std::uint8_t> good = withFcs(ptpFrame(90, 1));
  std::vector<std::uint8_t> bad = withFcs(ptpFrame(90, 2));
  bad[40] ^= 1;
  // Off: a frame as any other that is not understood.
  put(good);
  card.sim.wait(microseconds(3));
  EXPECT_FALSE(port.take().has_value());
  EXPECT_EQ(card.driver.counters(0).rx_unparsed, 1u);
  port.receive(true, true);
  at = card.sim.now() + microseconds(1);
  const Picoseconds first = at;
  put(bad);
  for (int i = 0; i < 6; ++i) put(withFcs(ptpFrame(60 + 30 * static_cast<std::size_t>(i), 10 + i)));
  card.sim.wait(microseconds(3));
  EXPECT_EQ(event::kEventStatusRxLevel.get(port.read(event::kEventStatus)), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::optional<ReceivedEvent> received = port.take();
    ASSERT_TRUE(received.has_value());
    std::vector<std::uint8_t> frame = ptpFrame(60 + 30 * i, 10 + i);
    EXPECT_EQ(received->length, frame.size());
    frame.resize(std::min<std::size_t>(frame.size(), 128));
    EXPECT_EQ(received->bytes, frame);
    expectNear(received->time.local, first + nanoseconds(100) * static_cast<std::int64_t>(i + 1),
               kClockPs);
    EXPECT_EQ(received->time.card, received->time.local);
  }
  EXPECT_FALSE(port.take().has_value());
  EXPECT_EQ(port.read(event::kEventRxCount), 6u);
  EXPECT_EQ(port.read(event::kEventRxLost), 2u);
  const card::PortCounters counters = card.driver.counters(0);
  EXPECT_EQ(counters.rx_unparsed, 1u);
  EXPECT_EQ(counters.rx_untagged, 0u);
  EXPECT_EQ(counters.rx_fcs_errors, 1u);
  EXPECT_EQ(counters.rx_frames, 8u);
  port.write(event::kEventCommand, event::kEventCommandRxClear.of(1));
  EXPECT_EQ(port.read(event::kEventRxCount), 0u);
}

// Damage drops the frame: it is said to be lost, and the next one is sent.
TEST(CardTime, AnEventFrameThatDamageDropsIsLost) {
  TestCard card(2);
  std::vector<WireFrame> frames;
  keepEventFrames(card, frames);
  card.driver.damage(0).setRule(
      kSent, 0, {.kind = card::DamageKind::kDrop, .first = 0, .last = 0, .times = 1});
  EventPort from(card.sim, 0);
  from.send(ptpFrame(60, 1));
  EXPECT_FALSE(from.sent().has_value());
  EXPECT_TRUE(frames.empty());
  from.send(ptpFrame(60, 2));
  EXPECT_TRUE(from.sent().has_value());
  EXPECT_EQ(from.read(event::kEventTxSent), 1u);
}

struct Departures {
  std::vector<std::pair<std::uint32_t, std::int64_t>> first_bits;  // port, ps
  std::vector<std::int64_t> tag_offsets;                           // tag - first bit, ps
  std::vector<EventStamp> samples;                                 // of the card's time
};

// A run in which the offset moves, or the same accesses without an effect.
Departures runWithOffset(bool moves) {
  Departures seen;
  TestCard card(2);
  card.wire.observe = [&seen](const WireFrame& frame, const wire::DecodedFrame& decoded) {
    seen.first_bits.emplace_back(frame.port, frame.first_bit.count());
    ASSERT_TRUE(decoded.tag.has_value());
    seen.tag_offsets.push_back(static_cast<std::int64_t>(decoded.tag->departure) -
                               frame.first_bit.count());
  };
  loadAll(card, 97, 200, 12'000);
  card.start();
  CardClock clock(card.sim);
  card.sim.wait(microseconds(20));
  RandomStream random(7, "offsets");
  bool sending = true;
  while (sending) {
    seen.samples.push_back(clock.now());
    const std::int64_t rate = static_cast<std::int64_t>(random.below(400)) - 200;
    const auto slew = static_cast<std::int32_t>(random.below(4000)) - 2000;
    clock.setRate(moves ? rate * kPpm : 0);
    clock.slew(moves ? slew : 0, 1, 1);
    seen.samples.push_back(clock.now());
    card.sim.wait(microseconds(15));
    sending = card.driver.sending();
  }
  card.sim.wait(microseconds(5));
  seen.samples.push_back(clock.now());
  card.expectNoFaults();
  return seen;
}

TEST(CardTime, DeparturesDoNotDependOnTheOffset) {
  const Departures still = runWithOffset(false);
  const Departures moved = runWithOffset(true);
  ASSERT_EQ(still.first_bits.size(), 24'000u);
  EXPECT_EQ(moved.first_bits, still.first_bits);
  // Tags have card time: the offset between the samples around it, whose ends bound it but for what
  // the slew adds between two samples.
  std::size_t next = 0;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < moved.first_bits.size(); ++i) {
    const std::int64_t at = moved.first_bits[i].second;
    while (next + 1 < moved.samples.size() && moved.samples[next + 1].local.count() < at) ++next;
    const std::int64_t shift = moved.tag_offsets[i] - still.tag_offsets[i];
    if (at < moved.samples[0].local.count()) {
      ASSERT_EQ(shift, 0);
      continue;
    }
    if (next + 1 == moved.samples.size()) break;
    const std::int64_t before = (moved.samples[next].card - moved.samples[next].local).count();
    const std::int64_t after =
        (moved.samples[next + 1].card - moved.samples[next + 1].local).count();
    ASSERT_GE(shift, std::min(before, after) - 2100) << i;
    ASSERT_LE(shift, std::max(before, after) + 2100) << i;
    largest = std::max(largest, std::abs(shift));
  }
  EXPECT_GT(largest, 2000);
}

// With a constant rate the tag is exactly that far from the departure.
TEST(CardTime, TagsFollowARate) {
  for (const std::int64_t ppm : {200, -200}) {
    TestCard card(2);
    CardClock clock(card.sim);
    clock.step(5'000'000'000);
    clock.setRate(ppm * kPpm);
    const EventStamp begin = clock.now();
    std::int64_t worst = 0;
    std::uint64_t count = 0;
    card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame& decoded) {
      ASSERT_TRUE(decoded.tag.has_value());
      const std::int64_t passed = (frame.first_bit - begin.local).count();
      const std::int64_t expected = begin.card.count() + passed + passed * ppm / 1'000'000;
      worst =
          std::max(worst, std::abs(static_cast<std::int64_t>(decoded.tag->departure) - expected));
      ++count;
    };
    loadAll(card, 50, 500, 500);
    card.start();
    card.finish();
    EXPECT_EQ(count, 1000u);
    // A clock of the wire's grid, and 140 ns at the rate for the way from the gate.
    EXPECT_LE(worst, kClockPs + 30);
  }
}

TEST(CardTime, StartTimeIsCardTime) {
  for (const std::int64_t ppm : {0, 100, -150, 200}) {
    SCOPED_TRACE(ppm);
    TestCard card(2);
    CardClock clock(card.sim);
    clock.step(ppm >= 0 ? 7'000'000'000'001 : -3'000'000);
    clock.setRate(ppm * kPpm);
    std::optional<Picoseconds> first;
    card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
      if (!first) first = frame.first_bit;
    };
    loadAll(card, 10, 500, 20);
    // A millisecond of the rate is up to 200 ns.
    const Picoseconds start = card.start(milliseconds(1));
    card.finish();
    ASSERT_TRUE(first.has_value());
    const EventStamp now = clock.now();
    const std::int64_t back = (now.local - *first).count();
    const std::int64_t card_first = now.card.count() - back - back * ppm / 1'000'000;
    // The schedule is in time at the MAC boundary: the way from there to the reference point is
    // TX_TS_OFFSET, and a frame alone leaves at the first edge from its due time on.
    const std::int64_t late = card_first - start.count() - bench::kTxOffset.count();
    EXPECT_GE(late, -1000);
    EXPECT_LE(late, kClockPs + 1000);
    EXPECT_FALSE(card.driver.lateStart());
  }
}

TEST(CardTime, CapturesHaveCardTime) {
  TestCard card(2);
  card.wire.keep_arrivals = true;
  std::vector<Picoseconds> sent;
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
    if (frame.port == 0) sent.push_back(frame.first_bit);
  };
  constexpr std::int64_t kStep = -2'000'000;
  CardClock(card.sim).step(kStep);
  loadAll(card, 20, 200, 100);
  card.driver.setCapture(0, true, true);
  card.start();
  card.finish();
  std::size_t seen_sent = 0;
  std::size_t seen_received = 0;
  for (const card::CapturedFrame& captured : card.sim.readCaptured()) {
    const Picoseconds truth =
        captured.sent ? sent.at(seen_sent++) : card.wire.arrivals(0).at(seen_received++).first_bit;
    expectNear(captured.timestamp, truth + Picoseconds(kStep), kClockPs);
  }
  EXPECT_EQ(seen_sent, 100u);
  EXPECT_EQ(seen_received, 100u);
}

// What the ports write down with a time: damage of sent and received frames, pauses sent and
// received, captures. Times are those of the entries, in order.
struct Recorded {
  std::vector<Picoseconds> damage_sent, damage_received;      // at port 0, at port 1
  std::vector<Picoseconds> pauses_sent, pauses_received;      // at port 1, at port 0
  std::vector<Picoseconds> captures_sent, captures_received;  // at port 1
  std::vector<Picoseconds> first_bits;                        // on the wire from port 0

  // In another order than the members', for what is the same of all.
  [[nodiscard]] std::vector<const std::vector<Picoseconds>*> all() const {
    return {&damage_sent,     &damage_received, &pauses_sent,
            &pauses_received, &captures_sent,   &captures_received};
  }
};

struct OffsetOfRun {
  std::int64_t step = 0;
  std::int64_t ppm = 0;
};

// One run; from 20 us on with the offset, whose line through `anchor` is returned: card and local
// time of one clock. With a zero offset the accesses are the same.
Recorded runThatRecords(const OffsetOfRun& offset, EventStamp& anchor) {
  TestCard card(2);
  Recorded recorded;
  card.wire.expect_whole = false;
  card.wire.observe = [&recorded](const WireFrame& frame, const wire::DecodedFrame&) {
    if (frame.port == 0) recorded.first_bits.push_back(frame.first_bit);
  };
  loadAll(card, 40, 300, 4000);
  card.driver.damage(0).setRule(
      kSent, 0,
      {.kind = card::DamageKind::kBits, .first = 1000, .step = 100, .times = 20, .offset = 500});
  card.driver.damage(1).setRule(
      kReceived, 0,
      {.kind = card::DamageKind::kBits, .first = 1050, .step = 100, .times = 20, .offset = 500});
  card.driver.setPfcReaction(0, 0xFF);
  for (std::uint32_t port = 0; port < 2; ++port) card.driver.flowControl(port).setPauseLog(true);
  card.start();
  card.sim.wait(microseconds(20));
  CardClock clock(card.sim);
  clock.step(offset.step);
  clock.setRate(offset.ppm * kPpm);
  anchor = clock.now();
  card.driver.setCapture(1, true, true);
  for (int pause = 0; pause < 5; ++pause) {
    card.sim.wait(microseconds(30));
    card.driver.flowControl(1).send({.priorities = 0x81, .quanta = 200});
  }
  card.finish();
  const auto timesOf = [](const auto& entries) {
    std::vector<Picoseconds> times;
    for (const auto& entry : entries) times.push_back(entry.time);
    return times;
  };
  recorded.damage_sent = timesOf(card.driver.damage(0).readLog(kSent));
  recorded.damage_received = timesOf(card.driver.damage(1).readLog(kReceived));
  recorded.pauses_sent = timesOf(card.driver.flowControl(1).readPauses());
  recorded.pauses_received = timesOf(card.driver.flowControl(0).readPauses());
  for (const card::CapturedFrame& captured : card.sim.readCaptured()) {
    (captured.sent ? recorded.captures_sent : recorded.captures_received)
        .push_back(captured.timestamp);
  }
  return recorded;
}

// Against a run without an offset, whose times are local ones and are compared with the wire
// elsewhere: each time is that of the card, with the offset of the moment of the entry.
TEST(CardTime, WhatPortsWriteDownHasCardTime) {
  EventStamp still_anchor;
  const Recorded still = runThatRecords({}, still_anchor);
  ASSERT_EQ(still_anchor.card, still_anchor.local);
  ASSERT_EQ(still.damage_sent.size(), 20U);
  ASSERT_EQ(still.damage_received.size(), 20U);
  ASSERT_EQ(still.pauses_sent.size(), 10U);
  ASSERT_EQ(still.pauses_received.size(), 10U);
  ASSERT_GT(still.captures_sent.size(), 2000U);
  ASSERT_GT(still.captures_received.size(), 2000U);
  // What is entered behind its time has the offset of up to so much later: a log is behind its
  // frames by their length and some clocks, and the end of a pause is entered when it comes.
  constexpr std::int64_t kEntryPs = 1'000'000;
  for (const OffsetOfRun offset :
       {OffsetOfRun{.step = 7'000'000'000'001, .ppm = 200},
        OffsetOfRun{.step = -5'000'000, .ppm = -150}, OffsetOfRun{.step = 123'456, .ppm = 0}}) {
    SCOPED_TRACE(offset.ppm);
    EventStamp anchor;
    const Recorded moved = runThatRecords(offset, anchor);
    ASSERT_EQ(anchor.local, still_anchor.local);
    ASSERT_EQ(moved.first_bits, still.first_bits);
    const std::int64_t tolerance = 3 + kEntryPs * std::abs(offset.ppm) / 1'000'000;
    std::int64_t largest = 0;
    for (std::size_t kind = 0; kind < still.all().size(); ++kind) {
      const std::vector<Picoseconds>& local = *still.all()[kind];
      const std::vector<Picoseconds>& times = *moved.all()[kind];
      ASSERT_EQ(times.size(), local.size()) << kind;
      for (std::size_t i = 0; i < times.size(); ++i) {
        const std::int64_t passed = (local[i] - anchor.local).count();
        const std::int64_t expected =
            (anchor.card - anchor.local).count() + passed * offset.ppm / 1'000'000;
        const std::int64_t difference = (times[i] - local[i]).count() - expected;
        ASSERT_LE(std::abs(difference), tolerance) << "kind " << kind << ", entry " << i;
        largest = std::max(largest, std::abs(passed * offset.ppm / 1'000'000));
      }
    }
    // The rate shows: the offset at the end is another than at the beginning.
    if (offset.ppm != 0) {
      EXPECT_GT(largest, 20 * tolerance);
    }
  }
}

// STORM_TIME is card time: the storm begins at the local time that it had when the storm was
// started, and goes by the oscillator from there on.
TEST(CardTime, StormTimeIsCardTime) {
  for (const OffsetOfRun offset :
       {OffsetOfRun{.step = 0, .ppm = 0}, OffsetOfRun{.step = 7'000'000'000'001, .ppm = 200},
        OffsetOfRun{.step = -5'000'000, .ppm = -200},
        OffsetOfRun{.step = 90'000'000, .ppm = 120}}) {
    SCOPED_TRACE(offset.step);
    constexpr std::uint32_t kFrames = 50;
    constexpr Picoseconds kPeriod = nanoseconds(1000);
    TestCard card(2);
    card.wire.expect_whole = false;
    std::vector<Picoseconds> storm;
    card.wire.observe = [&storm](const WireFrame& frame, const wire::DecodedFrame& decoded) {
      if (frame.port == 1 && decoded.pfc() != nullptr) storm.push_back(frame.first_bit);
    };
    card.sim.wait(microseconds(50));
    CardClock clock(card.sim);
    clock.step(offset.step);
    clock.setRate(offset.ppm * kPpm);
    card.sim.wait(microseconds(200));  // 40 ns of the rate
    const Picoseconds start = clock.now().card + microseconds(100);
    card.driver.flowControl(1).startStorm({.frame = {.priorities = 8, .quanta = 10},
                                           .frames = kFrames,
                                           .period = kPeriod,
                                           .start = start});
    const EventStamp started = clock.now();
    card.sim.wait(microseconds(200));
    EXPECT_FALSE(card.driver.flowControl(1).faults().storm_late);
    ASSERT_EQ(storm.size(), kFrames);
    const Picoseconds local = start - (started.card - started.local);
    // The command came up to 10 us before the reading.
    const std::int64_t tolerance = 2 + 10 * std::abs(offset.ppm);
    constexpr std::int64_t kLatest = kClockPs + sim::kByteTime.count() * sim::kColumnBytes.count();
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      const std::int64_t late = (storm[i] - (local + kPeriod * i) - sim::kMacTxLatency).count();
      ASSERT_GE(late, -tolerance) << i;
      ASSERT_LE(late, kLatest + tolerance) << i;
    }
  }
}

// A storm is late by card time, and one without a time begins at once.
TEST(CardTime, AStormIsLateByCardTime) {
  for (const std::int64_t step : {-20'000'000LL, 3'000'000'000'000LL}) {
    SCOPED_TRACE(step);
    TestCard card(2);
    card.wire.expect_whole = false;
    std::size_t storm = 0;
    card.wire.observe = [&storm](const WireFrame& frame, const wire::DecodedFrame& decoded) {
      if (frame.port == 1 && decoded.pfc() != nullptr) ++storm;
    };
    card.sim.wait(microseconds(50));
    CardClock clock(card.sim);
    clock.step(step);
    card::PfcStorm late{.frame = {.priorities = 8, .quanta = 10},
                        .frames = 5,
                        .period = nanoseconds(500),
                        .start = clock.now().card - microseconds(1)};
    card.driver.flowControl(1).startStorm(late);
    card.sim.wait(microseconds(10));
    EXPECT_TRUE(card.driver.flowControl(1).faults().storm_late);
    EXPECT_EQ(storm, 5U);
    const auto clearFault = [&card] {
      card.sim.write(card::regs::port::address(1, card::regs::port::kFcSticky),
                     card::regs::port::kFcStickyStormLate.mask());
    };
    clearFault();
    // Before the card's own beginning: as local time it is below zero.
    late.start = Picoseconds(1000);
    card.driver.flowControl(1).startStorm(late);
    card.sim.wait(microseconds(10));
    EXPECT_EQ(storm, 10U);
    EXPECT_TRUE(card.driver.flowControl(1).faults().storm_late);
    clearFault();
    late.start.reset();
    card.driver.flowControl(1).startStorm(late);
    card.sim.wait(microseconds(10));
    EXPECT_EQ(storm, 15U);
    EXPECT_FALSE(card.driver.flowControl(1).faults().storm_late);
  }
}

TEST(CardTime, PulsePerSecondOutAndIn) {
  TestCard card(1);
  CardClock clock(card.sim);
  const EventStamp now = clock.now();
  constexpr std::int64_t kSecond = 1'000'000'000'000;
  clock.step(3 * kSecond - 40'000'000 - now.card.count());
  clock.write(card_time::kPpsWidth, 1000);
  std::vector<Picoseconds> edges;
  bool level = false;
  card.wire.tick = [&](Picoseconds next) {
    // What the output is in the clock before `next`, the input samples at `next`.
    card.sim.setPps(card.sim.pps());
    if (card.sim.pps() != level) {
      level = card.sim.pps();
      edges.push_back(next);
    }
  };
  clock.write(card_time::kPpsControl, card_time::kPpsControlInEnable.of(1) |
                                          card_time::kPpsControlOutEnable.of(1) |
                                          card_time::kPpsControlDebounce.of(3));
  card.sim.wait(microseconds(60));
  ASSERT_EQ(edges.size(), 2u);
  const EventStamp later = clock.now();
  const std::int64_t offset = (later.card - later.local).count();
  // The level changed with the edge before.
  const std::int64_t rise = edges[0].count() - 3103 + offset;
  EXPECT_GE(rise, 3 * kSecond - 4);
  EXPECT_LE(rise, 3 * kSecond + kClockPs + 4);
  EXPECT_NEAR(static_cast<double>((edges[1] - edges[0]).count()), 1000 * 102400.0 / 33, 2.0);
  EXPECT_EQ(clock.read(card_time::kPpsOutCount), 1u);
  EXPECT_EQ(clock.read(card_time::kPpsCount), 1u);
  const std::uint64_t low = clock.read(card_time::kPpsLocalLo);
  const std::uint64_t local = low | static_cast<std::uint64_t>(clock.read(card_time::kPpsLocalHi))
                                        << 32;
  EXPECT_NEAR(static_cast<double>(local), static_cast<double>(edges[0].count()), 2.0);
}

}  // namespace
}  // namespace plumbline::hw_test
