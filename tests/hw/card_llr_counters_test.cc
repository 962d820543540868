// Every counter of link-level retry on the whole card. Each event is provoked on purpose, a stated
// number of times, at either end of a link; then all counters of both ports are what the event must
// make of them and nothing else, and what an observer of the line has counted (llr_ledger.h).
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "joined_card.h"
#include "llr_ledger.h"
#include "sim/wire.h"

namespace plumbline::hw_test {
namespace {

using card::LlrAction;
using card::LlrConfig;
using card::LlrCounters;

using Counter = std::uint64_t LlrCounters::*;

constexpr std::uint32_t kCountedFrames = 12;
constexpr std::uint32_t kCountedLength = 300;
// What is struck, among the frames that a port sends.
constexpr std::uint64_t kStruck = 5;

// What a link without any event counts: nothing, once, or each frame. How many ACKs there are is a
// matter of their spacing, so only the line says.
enum class Quiet { kNever, kOnce, kEachFrame, kAcks };
struct NamedCounter {
  const char* name;
  Counter counter;
  Quiet quiet;
};
constexpr NamedCounter kCounters[] = {
    {"tx_init", &LlrCounters::tx_init, Quiet::kOnce},
    {"tx_echo", &LlrCounters::tx_echo, Quiet::kOnce},
    {"tx_ack", &LlrCounters::tx_ack, Quiet::kAcks},
    {"tx_nack", &LlrCounters::tx_nack, Quiet::kNever},
    {"rx_init", &LlrCounters::rx_init, Quiet::kOnce},
    {"rx_echo", &LlrCounters::rx_echo, Quiet::kOnce},
    {"rx_ack", &LlrCounters::rx_ack, Quiet::kAcks},
    {"rx_nack", &LlrCounters::rx_nack, Quiet::kNever},
    {"rx_ctl_bad", &LlrCounters::rx_ctl_bad, Quiet::kNever},
    {"rx_ok", &LlrCounters::rx_ok, Quiet::kEachFrame},
    {"rx_poisoned", &LlrCounters::rx_poisoned, Quiet::kNever},
    {"rx_bad", &LlrCounters::rx_bad, Quiet::kNever},
    {"expected_good", &LlrCounters::expected_good, Quiet::kEachFrame},
    {"expected_poisoned", &LlrCounters::expected_poisoned, Quiet::kNever},
    {"expected_bad", &LlrCounters::expected_bad, Quiet::kNever},
    {"missing_seq", &LlrCounters::missing_seq, Quiet::kNever},
    {"duplicate_seq", &LlrCounters::duplicate_seq, Quiet::kNever},
    {"rx_replay", &LlrCounters::rx_replay, Quiet::kNever},
    {"rx_discarded", &LlrCounters::rx_discarded, Quiet::kNever},
    {"seq_error", &LlrCounters::seq_error, Quiet::kNever},
    {"tx_discarded", &LlrCounters::tx_discarded, Quiet::kNever},
    {"tx_ok", &LlrCounters::tx_ok, Quiet::kEachFrame},
    // A card that forwards nothing sends no poisoned frame: the block's test provokes this one.
    {"tx_poisoned", &LlrCounters::tx_poisoned, Quiet::kNever},
    {"tx_replay", &LlrCounters::tx_replay, Quiet::kNever},
    {"tx_replay_frames", &LlrCounters::tx_replay_frames, Quiet::kNever},
    {"delayed", &LlrCounters::delayed, Quiet::kNever},
    {"flushed", &LlrCounters::flushed, Quiet::kNever},
};
static_assert(sizeof(LlrCounters) == sizeof(std::uint64_t) * std::size(kCounters),
              "every counter is looked at");

// What an event adds to a counter of a quiet link.
struct Added {
  Counter counter;
  int times;
};

struct Event {
  std::string name;
  // To the traffic of port `from`, whose peer is the other one.
  std::function<void(LlrLedger& line, std::uint32_t from)> script = {};
  std::function<void(LlrConfig& config)> configure = {};
  // Once the frames are under way.
  std::function<void(JoinedCard& joined, std::uint32_t from)> act = {};
  Picoseconds period = microseconds(10);  // longer than a retry takes
  // At `from`, which sends the frames concerned, and at its peer. Everything else stays.
  std::vector<Added> sender = {};
  std::vector<Added> receiver = {};
};

// Frames from `from`, by their place among all that it has sent, `first` to `last`.
std::function<void(LlrLedger&, std::uint32_t)> onFrames(
    std::uint64_t first, std::uint64_t last, const std::function<bool(LlrLedger::Frame&)>& fate) {
  return [=](LlrLedger& line, std::uint32_t from) {
    line.on_frame = [=](std::uint32_t port, std::uint64_t index, LlrLedger::Frame& frame) {
      return port != from || index < first || index > last || fate(frame);
    };
  };
}

// Number `which` (from 0) of the ordered sets of a type that `port_of(from)` sends.
enum class By { kSender, kReceiver };
std::function<void(LlrLedger&, std::uint32_t)> onSet(
    By by, std::uint32_t type, std::uint32_t which,
    const std::function<bool(sim::OrderedSet&)>& fate) {
  return [=](LlrLedger& line, std::uint32_t from) {
    const std::uint32_t author = by == By::kSender ? from : 1 - from;
    line.on_set = [=, seen = std::uint32_t{0}](std::uint32_t port, std::uint64_t,
                                               sim::OrderedSet& set) mutable {
      return port != author || typeOf(set) != type || seen++ != which || fate(set);
    };
  };
}

bool damage(LlrLedger::Frame& frame) {
  frame.bytes[100] ^= 4;
  return true;
}
bool loseFrame(LlrLedger::Frame&) { return false; }
bool loseSet(sim::OrderedSet&) { return false; }

std::vector<Event> events() {
  std::vector<Event> all;
  all.push_back({.name = "Nothing"});
  all.push_back({.name = "ADamagedFrame",
                 .script = onFrames(kStruck, kStruck, damage),
                 .sender = {{&LlrCounters::rx_nack, 1},
                            {&LlrCounters::tx_replay, 1},
                            {&LlrCounters::tx_replay_frames, 1}},
                 .receiver = {{&LlrCounters::tx_nack, 1},
                              {&LlrCounters::rx_bad, 1},
                              {&LlrCounters::expected_bad, 1},
                              {&LlrCounters::rx_replay, 1}}});
  // No number to go by: damaged, but not the expected frame.
  all.push_back(
      {.name = "ADamagedPreamble",
       .script = onFrames(kStruck, kStruck,
                          [](LlrLedger::Frame& frame) {
                            frame.preamble ^= sim::Preamble{1} << 30;
                            return true;
                          }),
       .sender = {{&LlrCounters::rx_nack, 1},
                  {&LlrCounters::tx_replay, 1},
                  {&LlrCounters::tx_replay_frames, 1}},
       .receiver = {
           {&LlrCounters::tx_nack, 1}, {&LlrCounters::rx_bad, 1}, {&LlrCounters::rx_replay, 1}}});
  // The frame behind it shows it, and is good both times that it comes.
  all.push_back({.name = "ALostFrame",
                 .script = onFrames(kStruck, kStruck, loseFrame),
                 .sender = {{&LlrCounters::rx_nack, 1},
                            {&LlrCounters::tx_replay, 1},
                            {&LlrCounters::tx_replay_frames, 2}},
                 .receiver = {{&LlrCounters::tx_nack, 1},
                              {&LlrCounters::missing_seq, 1},
                              {&LlrCounters::rx_ok, 1},
                              {&LlrCounters::rx_replay, 1}}});
  // A retry takes 2.3 us: two more frames come, and again behind the good copy.
  all.push_back({.name = "FramesBehindADamagedOne",
                 .script = onFrames(kStruck, kStruck, damage),
                 .period = microseconds(1),
                 .sender = {{&LlrCounters::rx_nack, 1},
                            {&LlrCounters::tx_replay, 1},
                            {&LlrCounters::tx_replay_frames, 3}},
                 .receiver = {{&LlrCounters::tx_nack, 1},
                              {&LlrCounters::rx_bad, 1},
                              {&LlrCounters::expected_bad, 1},
                              {&LlrCounters::rx_discarded, 2},
                              {&LlrCounters::rx_ok, 2},
                              {&LlrCounters::rx_replay, 1}}});
  all.push_back({.name = "APoisonedFrame",
                 .script = onFrames(kStruck, kStruck,
                                    [](LlrLedger::Frame& frame) {
                                      for (std::size_t i = 4; i > 0; --i) {
                                        frame.bytes[frame.bytes.size() - i] ^= 0xFF;
                                      }
                                      return true;
                                    }),
                 .receiver = {{&LlrCounters::rx_poisoned, 1},
                              {&LlrCounters::expected_poisoned, 1},
                              {&LlrCounters::rx_ok, -1},
                              {&LlrCounters::expected_good, -1}}});
  // The next one says as much.
  all.push_back({.name = "ALostAck", .script = onSet(By::kReceiver, kAckType, 3, loseSet)});
  // The next one comes too late.
  all.push_back({.name = "ALostAckBeforeTheReplayTimer",
                 .script = onSet(By::kReceiver, kAckType, 3, loseSet),
                 .configure = [](LlrConfig& config) { config.replay_timer = microseconds(5); },
                 .sender = {{&LlrCounters::tx_replay, 1}, {&LlrCounters::tx_replay_frames, 1}},
                 .receiver = {{&LlrCounters::duplicate_seq, 1}, {&LlrCounters::rx_ok, 1}}});
  all.push_back({.name = "ALostNack",
                 .script =
                     [](LlrLedger& line, std::uint32_t from) {
                       onFrames(kStruck, kStruck, damage)(line, from);
                       onSet(By::kReceiver, kNackType, 0, loseSet)(line, from);
                     },
                 .configure = [](LlrConfig& config) { config.replay_timer = microseconds(5); },
                 .sender = {{&LlrCounters::tx_replay, 1}, {&LlrCounters::tx_replay_frames, 1}},
                 .receiver = {{&LlrCounters::tx_nack, 1},
                              {&LlrCounters::rx_bad, 1},
                              {&LlrCounters::expected_bad, 1},
                              {&LlrCounters::rx_replay, 1}}});
  all.push_back({.name = "AnAckOutsideTheWindow",
                 .script = onSet(By::kReceiver, kAckType, 3,
                                 [](sim::OrderedSet& set) {
                                   set = withTypeAndNumber(set, kAckType, numberOf(set) + 1000);
                                   return true;
                                 }),
                 .sender = {{&LlrCounters::seq_error, 1}}});
  all.push_back({.name = "ANackOutsideTheWindow",
                 .script = onSet(By::kReceiver, kAckType, 3,
                                 [](sim::OrderedSet& set) {
                                   set = withTypeAndNumber(set, kNackType, numberOf(set) + 1000);
                                   return true;
                                 }),
                 .sender = {{&LlrCounters::seq_error, 1}, {&LlrCounters::rx_nack, 1}}});
  all.push_back({.name = "ASetWithoutItsMarks",
                 .script = onSet(By::kReceiver, kAckType, 3,
                                 [](sim::OrderedSet& set) {
                                   set ^= 0x10;
                                   return true;
                                 }),
                 .sender = {{&LlrCounters::rx_ctl_bad, 1}}});
  all.push_back({.name = "ALostInit",
                 .script = onSet(By::kSender, kInitType, 0, loseSet),
                 .sender = {{&LlrCounters::tx_init, 1}}});
  all.push_back({.name = "ALostEcho",
                 .script = onSet(By::kReceiver, kEchoType, 0, loseSet),
                 .sender = {{&LlrCounters::tx_init, 1}},
                 .receiver = {{&LlrCounters::rx_init, 1}, {&LlrCounters::tx_echo, 1}}});
  all.push_back({.name = "AnEchoOfOtherData",
                 .script = onSet(By::kReceiver, kEchoType, 0,
                                 [](sim::OrderedSet& set) {
                                   set ^= sim::OrderedSet{1} << 40;
                                   return true;
                                 }),
                 .sender = {{&LlrCounters::tx_init, 1}, {&LlrCounters::rx_echo, 1}},
                 .receiver = {{&LlrCounters::rx_init, 1}, {&LlrCounters::tx_echo, 1}}});
  all.push_back({.name = "BegunAnew",
                 .act = [](JoinedCard& joined,
                           std::uint32_t from) { joined.card.driver.linkRetry(from).reInit(); },
                 .sender = {{&LlrCounters::tx_init, 1}, {&LlrCounters::rx_echo, 1}},
                 .receiver = {{&LlrCounters::rx_init, 1}, {&LlrCounters::tx_echo, 1}}});
  all.push_back({.name = "TooManyReplays",
                 .script = onFrames(kStruck, kStruck + 2, damage),
                 .configure = [](LlrConfig& config) { config.replay_count_max = 2; },
                 .period = microseconds(20),
                 .sender = {{&LlrCounters::rx_nack, 3},
                            {&LlrCounters::tx_replay, 2},
                            {&LlrCounters::tx_replay_frames, 2},
                            {&LlrCounters::flushed, 1},
                            {&LlrCounters::tx_init, 1},
                            {&LlrCounters::rx_echo, 1}},
                 .receiver = {{&LlrCounters::tx_nack, 3},
                              {&LlrCounters::rx_bad, 3},
                              {&LlrCounters::expected_bad, 3},
                              {&LlrCounters::rx_ok, -1},
                              {&LlrCounters::expected_good, -1},
                              {&LlrCounters::rx_init, 1},
                              {&LlrCounters::tx_echo, 1}}});
  // Behind the frame that was given up none is sent until the sender is told to begin anew.
  constexpr int kNotSent = kCountedFrames - kStruck - 1;
  all.push_back({.name = "TooManyReplaysAndNoMoreFrames",
                 .script = onFrames(kStruck, kStruck + 2, damage),
                 .configure =
                     [](LlrConfig& config) {
                       config.replay_count_max = 2;
                       config.re_init_on_flush = false;
                       config.flush_action = LlrAction::kDiscard;
                     },
                 .act =
                     [](JoinedCard& joined, std::uint32_t from) {
                       joined.finish();
                       joined.card.driver.linkRetry(from).reInit();
                       joined.card.sim.wait(microseconds(10));
                     },
                 .period = microseconds(20),
                 .sender = {{&LlrCounters::rx_nack, 3},
                            {&LlrCounters::tx_replay, 2},
                            {&LlrCounters::tx_replay_frames, 2},
                            {&LlrCounters::flushed, 1},
                            {&LlrCounters::tx_ok, -kNotSent},
                            {&LlrCounters::tx_discarded, kNotSent},
                            {&LlrCounters::tx_init, 1},
                            {&LlrCounters::rx_echo, 1}},
                 .receiver = {{&LlrCounters::tx_nack, 3},
                              {&LlrCounters::rx_bad, 3},
                              {&LlrCounters::expected_bad, 3},
                              {&LlrCounters::rx_ok, -1 - kNotSent},
                              {&LlrCounters::expected_good, -1 - kNotSent},
                              {&LlrCounters::rx_init, 1},
                              {&LlrCounters::tx_echo, 1}}});
  return all;
}

void expectAsOnTheLine(JoinedCard& joined, const LlrLedger& line, std::uint32_t port,
                       std::uint32_t frames) {
  const LlrCounters counted = joined.card.driver.linkRetry(port).counters();
  const LlrCounters seen = line.counters(port, frames);
  for (const NamedCounter& each : kCounters) {
    EXPECT_EQ(counted.*each.counter, seen.*each.counter) << each.name << " of port " << port;
  }
}

Fraction rateOf(Picoseconds period) {
  return Fraction::partsPerTrillion(frameSlot(Bytes(kCountedLength), sim::kLineRate).count() *
                                    Fraction::kOne / period.count());
}

class CardLlrCounters : public testing::TestWithParam<Event> {};

TEST_P(CardLlrCounters, AreThoseOfTheEventAndOfTheLine) {
  const Event& event = GetParam();
  for (const std::uint32_t from : {0U, 1U}) {
    SCOPED_TRACE(testing::Message() << "frames of port " << from);
    JoinedCard joined(kCountedLength, rateOf(event.period), kCountedFrames);
    LlrLedger line(joined.card.sim, kLinkDelay);
    if (event.script) event.script(line, from);
    LlrConfig config = retryConfig();
    config.replay_timer = microseconds(15);
    config.init_data = 0x1234;
    if (event.configure) event.configure(config);
    joined.bringUp(config);
    const Picoseconds start = joined.card.start();
    // Between two frames, the one before acknowledged.
    joined.card.sim.runUntil(start + event.period * kStruck + event.period / 2);
    if (event.act) event.act(joined, from);
    joined.finish();
    for (std::uint32_t port = 0; port < 2; ++port) {
      expectAsOnTheLine(joined, line, port, kCountedFrames);
      const LlrCounters counted = joined.card.driver.linkRetry(port).counters();
      for (const NamedCounter& each : kCounters) {
        if (each.quiet == Quiet::kAcks) continue;
        int expected = each.quiet == Quiet::kOnce        ? 1
                       : each.quiet == Quiet::kEachFrame ? static_cast<int>(kCountedFrames)
                                                         : 0;
        for (const Added& added : port == from ? event.sender : event.receiver) {
          if (added.counter == each.counter) expected += added.times;
        }
        EXPECT_EQ(counted.*each.counter, static_cast<std::uint64_t>(expected))
            << each.name << " of port " << port;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Events, CardLlrCounters, testing::ValuesIn(events()),
                         [](const auto& info) { return info.param.name; });

// On a full line, with faults of all kinds at once in both directions. How often a frame is
// delayed, discarded or sent again follows from their timing: the line says how often it was.
TEST(CardLlrCountersAtLineRate, AreThoseOfTheLine) {
  constexpr std::uint32_t kMany = 4000;
  JoinedCard joined(kCountedLength, Fraction::percent(90), kMany);
  LlrLedger line(joined.card.sim, kLinkDelay);
  line.on_frame = [](std::uint32_t port, std::uint64_t index, LlrLedger::Frame& frame) {
    const std::uint64_t turn = (index + std::uint64_t{200} * port) % 700;
    if (turn == 100) frame.bytes[50] ^= 1;
    return turn != 400;
  };
  line.on_set = [](std::uint32_t, std::uint64_t index, sim::OrderedSet& set) {
    if (index % 90 == 40) set ^= 0x10;
    return index % 90 != 80;
  };
  joined.bringUp();
  joined.card.start();
  joined.finish();
  joined.expectAllReceivedOnce(kMany);
  for (std::uint32_t port = 0; port < 2; ++port) {
    expectAsOnTheLine(joined, line, port, kMany);
    const LlrCounters counted = joined.card.driver.linkRetry(port).counters();
    for (const Counter counter :
         {&LlrCounters::delayed, &LlrCounters::rx_discarded, &LlrCounters::missing_seq,
          &LlrCounters::expected_bad, &LlrCounters::rx_ctl_bad, &LlrCounters::tx_replay_frames}) {
      EXPECT_GT(counted.*counter, 3U);
    }
    EXPECT_LT(counted.rx_ack, joined.card.driver.linkRetry(1 - port).counters().tx_ack);
  }
}

}  // namespace
}  // namespace plumbline::hw_test
