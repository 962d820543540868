#include "card/damage_control.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "card/polling.h"
#include "card/registers.h"

namespace plumbline::card {
namespace {

namespace port_regs = regs::port;

// Errors are generated ahead within some 100 clocks; received ones begin between two frames.
constexpr Picoseconds kReadyLimit = microseconds(100);

using CounterOffset = std::pair<std::uint32_t, std::uint64_t DamageCounters::*>;

constexpr std::array<CounterOffset, 11> kSentCounters{{
    {port_regs::kTxDmgBits, &DamageCounters::bits},
    {port_regs::kTxDmgFcs, &DamageCounters::fcs},
    {port_regs::kTxDmgIcrc, &DamageCounters::icrc},
    {port_regs::kTxDmgTruncated, &DamageCounters::truncated},
    {port_regs::kTxDmgDropped, &DamageCounters::dropped},
    {port_regs::kTxDmgRandomFrames, &DamageCounters::random_frames},
    {port_regs::kTxDmgRandomBits, &DamageCounters::random_bits},
    {port_regs::kTxDmgFrames, &DamageCounters::frames},
    {port_regs::kTxDmgLogOverflow, &DamageCounters::log_overflow},
    {port_regs::kTxDmgSetsDamaged, &DamageCounters::sets_damaged},
    {port_regs::kTxDmgSetsDropped, &DamageCounters::sets_dropped},
}};

constexpr std::array<CounterOffset, 9> kReceivedCounters{{
    {port_regs::kRxDmgBits, &DamageCounters::bits},
    {port_regs::kRxDmgTruncated, &DamageCounters::truncated},
    {port_regs::kRxDmgDropped, &DamageCounters::dropped},
    {port_regs::kRxDmgRandomFrames, &DamageCounters::random_frames},
    {port_regs::kRxDmgRandomBits, &DamageCounters::random_bits},
    {port_regs::kRxDmgFrames, &DamageCounters::frames},
    {port_regs::kRxDmgLogOverflow, &DamageCounters::log_overflow},
    {port_regs::kRxDmgSetsDamaged, &DamageCounters::sets_damaged},
    {port_regs::kRxDmgSetsDropped, &DamageCounters::sets_dropped},
}};

constexpr std::array<DamageMatch, 4> kSubjects{DamageMatch::kAny, DamageMatch::kControl,
                                               DamageMatch::kOrderedSet, DamageMatch::kAny};

}  // namespace

DamageControl::DamageControl(RegisterBus& bus, std::uint32_t base) : bus_(bus), base_(base) {}

void DamageControl::write(std::uint32_t offset, std::uint32_t value) {
  bus_.write(base_ + offset, value);
}

std::uint32_t DamageControl::read(std::uint32_t offset) { return bus_.read(base_ + offset); }

void DamageControl::select(DamageDirection direction, std::uint32_t slot) {
  write(port_regs::kDmgSelect,
        port_regs::kDmgSelectSlot.of(slot) |
            port_regs::kDmgSelectReceived.of(direction == DamageDirection::kReceived ? 1 : 0));
}

void DamageControl::reset() {
  for (const auto direction : {DamageDirection::kSent, DamageDirection::kReceived}) {
    for (std::uint32_t slot = 0; slot < kDamageSlots; ++slot) setRule(direction, slot, {});
    setRule(direction, kOrderedSetSlot, {.match = DamageMatch::kOrderedSet});
    setBitErrors(direction, std::nullopt);
  }
  write(port_regs::kDmgSticky,
        port_regs::kDmgStickySentLate.mask() | port_regs::kDmgStickyReceivedLate.mask());
}

void DamageControl::setRule(DamageDirection direction, std::uint32_t slot, const DamageRule& rule) {
  const bool of_sets = rule.match == DamageMatch::kOrderedSet;
  if (!of_sets && slot >= kDamageSlots) {
    throw Error(ErrorKind::kUsage, fmt::format("slot {} for a damage rule", slot), {},
                fmt::format("0 to {}", kDamageSlots - 1));
  }
  const DamageRuleWords words = damageRuleWords(rule, direction);
  select(direction, of_sets ? kOrderedSetSlot : slot);
  write(port_regs::kDmgRule, port_regs::kDmgRuleKind.of(words.kind) |
                                 port_regs::kDmgRuleMatch.of(words.match) |
                                 port_regs::kDmgRuleFlow.of(words.flow));
  write(port_regs::kDmgFirst, words.first);
  write(port_regs::kDmgLast, words.last);
  write(port_regs::kDmgStep, words.step);
  write(port_regs::kDmgTimes, words.times);
  write(port_regs::kDmgOffset, words.offset);
  write(port_regs::kDmgParam, words.param);
  write(port_regs::kDmgCommand, port_regs::kDmgCommandLoadRule.of(1));
}

std::uint32_t DamageControl::strikes(DamageDirection direction, std::uint32_t slot) {
  select(direction, slot);
  return read(port_regs::kDmgStrikes);
}

void DamageControl::setBitErrors(DamageDirection direction,
                                 const std::optional<BitErrors>& errors) {
  const BitErrorSetting setting = errors ? bitErrorSetting(*errors) : BitErrorSetting{};
  select(direction, 0);
  write(port_regs::kDmgRandom, port_regs::kDmgRandomEnable.of(errors ? 1 : 0) |
                                   port_regs::kDmgRandomShift.of(setting.shift));
  write(port_regs::kDmgScale, setting.scale);
  for (std::uint32_t word = 0; word < port_regs::kDmgSeedCount; ++word) {
    write(port_regs::kDmgSeed + 4 * word,
          static_cast<std::uint32_t>(setting.seed[word / 2] >> (32 * (word % 2))));
  }
  write(port_regs::kDmgCommand, port_regs::kDmgCommandLoadRandom.of(1));
  if (!errors) return;
  const auto ready = [&] {
    return port_regs::kDmgStatusRandomReady.get(read(port_regs::kDmgStatus)) != 0;
  };
  if (!waitUntil(bus_, kReadyLimit, ready)) {
    throw Error(ErrorKind::kTester, "the card's random bit errors do not begin",
                fmt::format("register 0x{:04X}", base_ + port_regs::kDmgStatus));
  }
}

bool DamageControl::bitErrorsLate(DamageDirection direction) {
  const std::uint32_t sticky = read(port_regs::kDmgSticky);
  return direction == DamageDirection::kSent ? port_regs::kDmgStickySentLate.get(sticky) != 0
                                             : port_regs::kDmgStickyReceivedLate.get(sticky) != 0;
}

std::vector<DamageEvent> DamageControl::readLog(DamageDirection direction) {
  select(direction, 0);
  const auto rx_offset = static_cast<std::int32_t>(read(port_regs::kRxTsOffset));
  std::vector<DamageEvent> events;
  while (events.size() < kDamageLogDepth) {
    const std::uint32_t word = read(port_regs::kDmgLogEvent);
    if (port_regs::kDmgLogEventValid.get(word) == 0) break;
    DamageEvent event;
    event.kind = static_cast<DamageKind>(port_regs::kDmgLogEventKind.get(word));
    event.subject = kSubjects.at(port_regs::kDmgLogEventSubject.get(word));
    event.slot = port_regs::kDmgLogEventSlot.get(word);
    event.flow = port_regs::kDmgLogEventFlow.get(word);
    event.number = read(port_regs::kDmgLogNumber);
    event.position = read(port_regs::kDmgLogPosition);
    const std::uint64_t low = read(port_regs::kDmgLogTimeLo);
    const std::uint64_t high = read(port_regs::kDmgLogTimeHi);
    event.time = Picoseconds(static_cast<std::int64_t>(high << 32 | low));
    // The card logs when a received frame was at the MAC boundary.
    if (direction == DamageDirection::kReceived && event.subject != DamageMatch::kOrderedSet) {
      event.time += Picoseconds(rx_offset);
    }
    events.push_back(event);
  }
  return events;
}

DamageCounters DamageControl::counters(DamageDirection direction) {
  write(port_regs::kPortCommand, port_regs::kPortCommandSnapshot.of(1));
  DamageCounters counters;
  const auto take = [&](const auto& list) {
    for (const auto& [offset, member] : list) {
      const std::uint64_t low = read(offset);
      counters.*member = low | static_cast<std::uint64_t>(read(offset + 4)) << 32;
    }
  };
  if (direction == DamageDirection::kSent) {
    take(kSentCounters);
  } else {
    take(kReceivedCounters);
  }
  return counters;
}

}  // namespace plumbline::card
