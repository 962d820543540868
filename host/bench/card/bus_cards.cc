#include "bench/card/bus_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "bench/card/card_links.h"
#include "card/registers.h"

namespace plumbline::bench {
namespace {

namespace global = card::regs::global;

// Arming may be delayed by this much on a busy host.
constexpr Picoseconds kArmingTime = milliseconds(1);
// Two clocks are compared this many times; the most exact comparison counts.
constexpr int kComparisons = 8;
// The second setting removes the error of the first one, which is the same each time.
constexpr int kSettings = 2;
// Reading may take this much longer than it did once.
constexpr std::int64_t kReadingReserve = 2;

// That a trial may depend on.
bool sameAbilities(const card::CardInfo& one, const card::CardInfo& other) {
  const auto abilities = [](const card::CardInfo& info) {
    return std::tuple(info.ports, info.data_bytes, info.flows, info.rows, info.groups, info.icrc,
                      info.pfc_react, info.capture, info.damage, info.rx_tracking, info.pfc_send,
                      info.cbfc, info.llr, info.patterns, info.messages, info.dma, info.macs,
                      info.clock_period_num, info.clock_period_den);
  };
  return abilities(one) == abilities(other);
}

}  // namespace

BusCards::BusCards(std::vector<std::unique_ptr<card::RegisterBus>> buses, CardTime time)
    : buses_(std::move(buses)), firmware_(buses_), time_(time) {
  for (std::size_t card = 0; card < buses_.size(); ++card) {
    add(*buses_[card]);
    if (!sameAbilities(driver(card).info(), info())) {
      throw Error(ErrorKind::kUnsupported, "the cards differ in their abilities",
                  fmt::format("card {}", card), "the same packed card on all of them");
    }
  }
  const Picoseconds before = cardTime();
  static_cast<void>(port(0).counters());
  reading_time_ = kReadingReserve * (cardTime() - before);
  alignTimes();
}

std::vector<card::MacLink> BusCards::bringUpLinks(card::MacFec fec) {
  if (!info().macs) return {};
  std::vector<card::MacPort> all;
  for (const auto& bus : buses_) {
    for (std::uint32_t port = 0; port < info().ports; ++port) all.push_back({bus.get(), port});
  }
  return bench::bringUpLinks(all, fec);
}

Picoseconds BusCards::now() {
  Picoseconds behind = driver(0).cardTime();
  for (std::size_t card = 1; card < cards(); ++card) {
    behind = std::min(behind, driver(card).cardTime());
  }
  return behind;
}

void BusCards::runUntil(Picoseconds time) {
  for (std::size_t card = 0; card < cards(); ++card) {
    const Picoseconds left = time - driver(card).cardTime();
    if (left > Picoseconds()) buses_[card]->wait(left);
  }
}

std::vector<card::CapturedFrame> BusCards::readCaptured() {
  std::vector<card::CapturedFrame> all;
  for (std::size_t card = 0; card < buses_.size(); ++card) {
    for (card::CapturedFrame& frame : buses_[card]->readCaptured()) {
      frame.port += static_cast<std::uint32_t>(card) * info().ports;
      all.push_back(std::move(frame));
    }
  }
  return all;
}

Picoseconds BusCards::readingTime(std::size_t ports) const {
  return reading_time_ * static_cast<std::int64_t>(ports);
}

void BusCards::reset() {
  CardSet::reset();
  alignTimes();
}

// Far enough ahead for all cards.
Picoseconds BusCards::earliestStart() {
  Picoseconds latest;
  for (std::size_t card = 0; card < cards(); ++card) {
    latest = std::max(latest, driver(card).earliestStart());
  }
  return latest + kArmingTime;
}

void BusCards::setTime(std::size_t card, Picoseconds time) {
  card::RegisterBus& bus = *buses_[card];
  const auto count = static_cast<std::uint64_t>(time.count());
  bus.write(global::kSetTimeLo, static_cast<std::uint32_t>(count));
  bus.write(global::kSetTimeHi, static_cast<std::uint32_t>(count >> 32U));
  bus.write(global::kControl, global::kControlSetTime.of(1));
}

// The other card's time is latched somewhere between two latches of the first one's.
BusCards::Offset BusCards::compare(std::size_t card) {
  Offset best;
  for (int i = 0; i < kComparisons; ++i) {
    const Picoseconds before = driver(0).cardTime();
    const Picoseconds other = driver(card).cardTime();
    const Picoseconds half = (driver(0).cardTime() - before) / 2;
    if (i == 0 || half < best.uncertainty) best = {other - before - half, half};
  }
  return best;
}

void BusCards::checkTimes() {
  if (time_ != CardTime::kFirmware || cards() < 2) return;
  disagreement_ = commonTimeBound(firmware_.clocks());
  for (std::size_t card = 1; card < cards(); ++card) {
    const Offset seen = compare(card);
    const Picoseconds apart(std::abs(seen.ahead.count()));
    if (apart <= disagreement_ + seen.uncertainty) continue;
    throw Error(ErrorKind::kTester,
                fmt::format("the card's time is {:.3g} us from the first card's, although its "
                            "firmware says that it follows the same clock",
                            apart.toMicroseconds()),
                fmt::format("card {}", card), "masters of one time");
  }
}

void BusCards::alignTimes() {
  if (time_ == CardTime::kFirmware) return checkTimes();
  disagreement_ = Picoseconds();
  for (std::size_t card = 1; card < buses_.size(); ++card) {
    Picoseconds lag;  // of the time that a setting leaves
    Offset left;
    for (int i = 0; i < kSettings; ++i) {
      setTime(card, driver(0).cardTime() + lag);
      left = compare(card);
      lag -= left.ahead;
    }
    disagreement_ =
        std::max(disagreement_, Picoseconds(std::abs(left.ahead.count())) + left.uncertainty);
  }
}

}  // namespace plumbline::bench
