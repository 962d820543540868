#include "bench/card/card_set.h"

#include <algorithm>

namespace plumbline::bench {

void CardSet::add(card::RegisterBus& bus) {
  const std::size_t card = drivers_.size();
  drivers_.push_back(std::make_unique<card::Driver>(bus));
  for (std::uint32_t port = 0; port < drivers_.back()->info().ports; ++port) {
    places_.emplace_back(card, port);
  }
}

TesterPort CardSet::port(std::uint32_t port) const {
  const auto& [card, number] = places_.at(port);
  return {*drivers_[card], number};
}

void CardSet::reset() {
  for (const auto& driver : drivers_) driver->reset();
}

// Cards are armed one after the other; each takes the time that its driver allows for arming.
Picoseconds CardSet::earliestStart() {
  const Picoseconds one = drivers_.back()->earliestStart();
  return one + static_cast<std::int64_t>(drivers_.size() - 1) * (one - now());
}

void CardSet::arm(Picoseconds start) {
  for (const auto& driver : drivers_) driver->arm(start);
}

bool CardSet::sending() {
  return std::any_of(drivers_.begin(), drivers_.end(),
                     [](const auto& driver) { return driver->sending(); });
}

void CardSet::stop() {
  for (const auto& driver : drivers_) driver->stop();
}

bool CardSet::lateStart() {
  bool late = false;
  for (const auto& driver : drivers_) late |= driver->lateStart();
  return late;
}

}  // namespace plumbline::bench
