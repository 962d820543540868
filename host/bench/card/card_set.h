// The cards of a tester as a trial sees them: ports numbered consecutively, one time, one start.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bench/card/tester_port.h"
#include "card/driver.h"
#include "card/register_bus.h"

namespace plumbline::bench {

// Not thread-safe. Throws as card::Driver.
class CardSet {
 public:
  virtual ~CardSet() = default;
  CardSet(const CardSet&) = delete;
  CardSet& operator=(const CardSet&) = delete;

  [[nodiscard]] std::uint32_t ports() const { return static_cast<std::uint32_t>(places_.size()); }
  // Throws std::out_of_range for a port outside the set.
  [[nodiscard]] TesterPort port(std::uint32_t port) const;
  // Identity and abilities of each card: all are of one kind.
  [[nodiscard]] const card::CardInfo& info() const { return drivers_.front()->info(); }

  // Card time; with several clocks, the time of the one furthest behind.
  [[nodiscard]] virtual Picoseconds now() = 0;
  // Lets card time pass until `time`, or slightly longer.
  virtual void runUntil(Picoseconds time) = 0;
  virtual std::vector<card::CapturedFrame> readCaptured() = 0;
  // Largest card time that reading the counters of `ports` ports takes.
  [[nodiscard]] virtual Picoseconds readingTime(std::size_t ports) const = 0;
  // Whether times at the two ports can be subtracted from each other.
  [[nodiscard]] virtual bool oneClock(std::uint32_t port, std::uint32_t other) const = 0;

  // As in card::Driver, for all cards.
  virtual void reset();
  [[nodiscard]] Picoseconds cardTime() { return drivers_.front()->cardTime(); }
  [[nodiscard]] virtual Picoseconds earliestStart();
  // Starts all loaded ports of all cards together.
  void arm(Picoseconds start);
  [[nodiscard]] bool sending();
  void stop();
  [[nodiscard]] bool lateStart();  // of any card

 protected:
  CardSet() = default;
  // Adds the next card, behind `bus`, which must outlive the set.
  void add(card::RegisterBus& bus);
  [[nodiscard]] std::size_t cards() const { return drivers_.size(); }
  [[nodiscard]] card::Driver& driver(std::size_t card) const { return *drivers_.at(card); }
  // Index of the card that a port belongs to.
  [[nodiscard]] std::size_t cardOf(std::uint32_t port) const { return places_.at(port).first; }

 private:
  std::vector<std::unique_ptr<card::Driver>> drivers_;         // by card
  std::vector<std::pair<std::size_t, std::uint32_t>> places_;  // by port: card, its port
};

}  // namespace plumbline::bench
