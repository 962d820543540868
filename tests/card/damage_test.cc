// Damage in the driver's interface: rules into words, registers in their order, the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "base/error.h"
#include "card/damage_control.h"
#include "card/driver.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::uint32_t kPort = 1;
constexpr auto kSent = DamageDirection::kSent;
constexpr auto kReceived = DamageDirection::kReceived;

std::uint32_t at(std::uint32_t offset) { return regs::port::address(kPort, offset); }

// A fake card with a log of damage: five words per entry, gone when the last is read.
class CardWithLog final : public RegisterBus {
 public:
  FakeCard card;
  std::deque<std::array<std::uint32_t, 5>> log;

  std::uint32_t read(std::uint32_t offset) override {
    if (offset < at(regs::port::kDmgLogEvent) || offset > at(regs::port::kDmgLogTimeHi)) {
      return card.read(offset);
    }
    if (log.empty()) return 0;
    const std::uint32_t word = log.front()[(offset - at(regs::port::kDmgLogEvent)) / 4];
    if (offset == at(regs::port::kDmgLogTimeHi)) log.pop_front();
    return word;
  }
  void write(std::uint32_t offset, std::uint32_t value) override { card.write(offset, value); }
  void wait(Picoseconds duration) override { card.wait(duration); }
  std::vector<CapturedFrame> readCaptured() override { return {}; }
};

TEST(DamageRules, WordsAreThoseOfTheKind) {
  const DamageRuleWords run = damageRuleWords({.kind = DamageKind::kBits,
                                               .match = DamageMatch::kFlow,
                                               .flow = 77,
                                               .first = 5,
                                               .last = 6,
                                               .step = 3,
                                               .times = 2,
                                               .offset = 1000,
                                               .bits = 12,
                                               .mask = 99,
                                               .bytes = 98},
                                              kSent);
  EXPECT_EQ(run.kind, 1U);
  EXPECT_EQ(run.match, 1U);
  EXPECT_EQ(run.flow, 77U);
  EXPECT_EQ(run.first, 5U);
  EXPECT_EQ(run.last, 6U);
  EXPECT_EQ(run.step, 3U);
  EXPECT_EQ(run.times, 2U);
  EXPECT_EQ(run.offset, 1000U);
  EXPECT_EQ(run.param, 12U);
  EXPECT_EQ(damageRuleWords({.kind = DamageKind::kIcrc, .mask = 99}, kSent).param, 99U);
  EXPECT_EQ(damageRuleWords({.kind = DamageKind::kTruncate, .bytes = 98}, kReceived).param, 98U);
  // One message type of ordered sets is matched like a flow; all types like any frame.
  const DamageRuleWords nacks = damageRuleWords(
      {.kind = DamageKind::kDrop, .match = DamageMatch::kOrderedSet, .message_type = 2}, kSent);
  EXPECT_EQ(nacks.match, 1U);
  EXPECT_EQ(nacks.flow, 2U);
  EXPECT_EQ(
      damageRuleWords({.kind = DamageKind::kDrop, .match = DamageMatch::kOrderedSet}, kSent).match,
      0U);
}

TEST(DamageRules, NonsenseIsRefused) {
  const std::vector<std::pair<DamageRule, DamageDirection>> wrong{
      {{.kind = DamageKind::kFcs, .mask = 1}, kReceived},
      {{.kind = DamageKind::kIcrc, .mask = 1}, kReceived},
      {{.kind = DamageKind::kFcs, .mask = 0}, kSent},
      {{.kind = DamageKind::kDrop, .match = DamageMatch::kFlow, .flow = 1}, kReceived},
      {{.kind = DamageKind::kDrop, .match = DamageMatch::kFlow, .flow = 4096}, kSent},
      {{.kind = DamageKind::kDrop, .first = 2, .last = 1}, kSent},
      {{.kind = DamageKind::kDrop, .step = 0}, kSent},
      {{.kind = DamageKind::kBits, .bits = 0}, kSent},
      {{.kind = DamageKind::kBits, .bits = kMaxDamageBits + 1}, kSent},
      {{.kind = DamageKind::kBits, .offset = kMaxDamageBits}, kSent},
      {{.kind = DamageKind::kTruncate, .bytes = 0}, kSent},
      {{.kind = DamageKind::kTruncate, .bytes = 16383}, kSent},
      {{.kind = DamageKind::kRandom}, kSent},
      {{.kind = DamageKind::kTruncate, .match = DamageMatch::kOrderedSet}, kSent},
      {{.kind = DamageKind::kBits, .match = DamageMatch::kOrderedSet, .offset = 64}, kSent},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    try {
      damageRuleWords(wrong[i].first, wrong[i].second);
      ADD_FAILURE() << "rule " << i << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << i;
    }
  }
}

TEST(Damage, ARuleIsWrittenBeforeItIsLoaded) {
  FakeCard card;
  Driver driver(card);
  card.writes.clear();
  driver.damage(kPort).setRule(kReceived, 3, {.kind = DamageKind::kDrop, .first = 4, .times = 1});
  EXPECT_THAT(
      card.writes,
      ElementsAre(Pair(at(regs::port::kDmgSelect), 0x103), Pair(at(regs::port::kDmgRule), 5),
                  Pair(at(regs::port::kDmgFirst), 4), Pair(at(regs::port::kDmgLast), 0xFFFFFFFF),
                  Pair(at(regs::port::kDmgStep), 1), Pair(at(regs::port::kDmgTimes), 1),
                  Pair(at(regs::port::kDmgOffset), 0), Pair(at(regs::port::kDmgParam), 0),
                  Pair(at(regs::port::kDmgCommand), 1)));
  EXPECT_THROW(driver.damage(kPort).setRule(kSent, 4, {.kind = DamageKind::kDrop}), Error);
  EXPECT_THROW(static_cast<void>(driver.damage(2)), Error);
  // The rule of ordered sets goes to its own slot.
  card.writes.clear();
  driver.damage(kPort).setRule(kSent, 0,
                               {.kind = DamageKind::kDrop, .match = DamageMatch::kOrderedSet});
  EXPECT_EQ(card.writes.front(), std::pair(at(regs::port::kDmgSelect), 4U));
}

TEST(Damage, RandomErrorsStartAndMustBecomeReady) {
  FakeCard card;
  Driver driver(card);
  const BitErrors errors{.ratio = 1e-6, .seed = 11};
  EXPECT_THROW(driver.damage(kPort).setBitErrors(kSent, errors), Error);
  card.words[at(regs::port::kDmgStatus)] = 1;
  card.writes.clear();
  driver.damage(kPort).setBitErrors(kSent, errors);
  // ln 2 / 10^-6 good bits per octave: 2^19.4; scale is that number's leading 32 bits.
  EXPECT_EQ(card.words[at(regs::port::kDmgRandom)], 38U << 8 | 1U);
  EXPECT_EQ(card.words[at(regs::port::kDmgScale)], 2839129432U);
  EXPECT_EQ(card.writes.back(), std::pair(at(regs::port::kDmgCommand), 2U));
  const BitErrorSetting setting = bitErrorSetting(errors);
  EXPECT_EQ(card.words[at(regs::port::kDmgSeed)], static_cast<std::uint32_t>(setting.seed[0]));
  EXPECT_EQ(card.words[at(regs::port::kDmgSeed + 12)],
            static_cast<std::uint32_t>(setting.seed[1] >> 32));
  driver.damage(kPort).setBitErrors(kSent, std::nullopt);
  EXPECT_EQ(card.words[at(regs::port::kDmgRandom)] & 1U, 0U);
}

TEST(Damage, TheLogIsTakenOldestFirst) {
  CardWithLog bus;
  Driver driver(bus);
  driver.setTiming(kPort, {.byte_time = Picoseconds(80),
                           .tx_offset = nanoseconds(100),
                           .rx_offset = Picoseconds(-6000)});
  const std::uint32_t drop = 0x80000000 | 5U << 16 | 2U << 12 | 77;
  const std::uint32_t control = 0x80000000 | 1U << 20 | 6U << 16;
  const std::uint32_t set = 0x80000000 | 2U << 20 | 1U << 16 | 4U << 12 | 2;
  bus.log = {{drop, 9, 0, 1000, 1}, {control, 8, 4321, 50000, 0}, {set, 7, 17, 50000, 0}};
  auto log = bus.log;
  const DamageEvent first{.kind = DamageKind::kDrop,
                          .subject = DamageMatch::kAny,
                          .slot = 2,
                          .flow = 77,
                          .number = 9,
                          .position = 0,
                          .time = Picoseconds((std::int64_t{1} << 32) + 1000)};
  DamageEvent second{.kind = DamageKind::kRandom,
                     .subject = DamageMatch::kControl,
                     .slot = 0,
                     .flow = 0,
                     .number = 8,
                     .position = 4321,
                     .time = Picoseconds(50000)};
  const DamageEvent third{.kind = DamageKind::kBits,
                          .subject = DamageMatch::kOrderedSet,
                          .slot = 4,
                          .flow = 2,
                          .number = 7,
                          .position = 17,
                          .time = Picoseconds(50000)};
  EXPECT_THAT(driver.damage(kPort).readLog(kSent), ElementsAre(first, second, third));
  EXPECT_TRUE(driver.damage(kPort).readLog(kSent).empty());
  // Received ones have times at the reference point; ordered sets have none.
  log.pop_front();
  bus.log = log;
  second.time -= Picoseconds(6000);
  EXPECT_THAT(driver.damage(kPort).readLog(kReceived), ElementsAre(second, third));
}

TEST(Damage, CountersAreThoseOfTheDirection) {
  FakeCard card;
  Driver driver(card);
  std::uint64_t value = 0x1'0000'0001;
  for (std::uint32_t offset = regs::port::kTxDmgBits; offset <= regs::port::kRxDmgSetsDropped;
       offset += 8) {
    card.counters[at(offset)] = value++;
  }
  const DamageCounters sent = driver.damage(kPort).counters(kSent);
  EXPECT_EQ(sent, (DamageCounters{.bits = 0x1'0000'0001,
                                  .fcs = 0x1'0000'0002,
                                  .icrc = 0x1'0000'0003,
                                  .truncated = 0x1'0000'0004,
                                  .dropped = 0x1'0000'0005,
                                  .random_frames = 0x1'0000'0006,
                                  .random_bits = 0x1'0000'0007,
                                  .frames = 0x1'0000'0008,
                                  .log_overflow = 0x1'0000'0009,
                                  .sets_damaged = 0x1'0000'000A,
                                  .sets_dropped = 0x1'0000'000B}));
  const DamageCounters received = driver.damage(kPort).counters(kReceived);
  EXPECT_EQ(received.fcs, 0U);
  EXPECT_EQ(received.icrc, 0U);
  // A gap of one counter lies between the two.
  EXPECT_EQ(received.bits, 0x1'0000'000D);
  EXPECT_EQ(received.truncated, 0x1'0000'000E);
  EXPECT_EQ(received.sets_dropped, 0x1'0000'0015);
}

TEST(Damage, ResetEndsItAll) {
  FakeCard card;
  Driver driver(card);
  card.words[at(regs::port::kDmgSticky)] = 3;
  EXPECT_TRUE(driver.damage(kPort).bitErrorsLate(kSent));
  EXPECT_TRUE(driver.damage(kPort).bitErrorsLate(kReceived));
  card.writes.clear();
  driver.reset();
  EXPECT_FALSE(driver.damage(kPort).bitErrorsLate(kSent));
  EXPECT_FALSE(driver.damage(kPort).bitErrorsLate(kReceived));
  const auto loads = std::count(card.writes.begin(), card.writes.end(),
                                std::pair(at(regs::port::kDmgCommand), 1U));
  EXPECT_EQ(loads, 2 * (kDamageSlots + 1));
  EXPECT_EQ(card.words[at(regs::port::kDmgRule)], 0U);
  EXPECT_EQ(card.words[at(regs::port::kDmgRandom)], 0U);
}

}  // namespace
}  // namespace plumbline::card
