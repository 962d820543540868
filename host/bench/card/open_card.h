// A card that has been opened.
#pragma once

#include <memory>
#include <string>

#include "card/register_bus.h"

namespace plumbline::bench {

struct OpenCard {
  std::unique_ptr<card::RegisterBus> bus;
  std::string description;  // for people: which card, and what was loaded into it
};

}  // namespace plumbline::bench
