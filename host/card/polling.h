// Waiting for the card.
#pragma once

#include "base/units.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Calls `done` every 500 ns of the card's time; false when it is still false after `limit`.
template <typename Done>
bool waitUntil(RegisterBus& bus, Picoseconds limit, const Done& done) {
  constexpr Picoseconds kInterval = nanoseconds(500);
  for (Picoseconds waited; !done(); waited += kInterval) {
    if (waited >= limit) return false;
    bus.wait(kInterval);
  }
  return true;
}

}  // namespace plumbline::card
