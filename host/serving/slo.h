// Limits that a request must meet to count as goodput.
#pragma once

#include <optional>

#include "base/units.h"

namespace plumbline::serving {

// Limits of a request; absent: none.
struct SloSpec {
  std::optional<Picoseconds> ttft = milliseconds(500);
  std::optional<Picoseconds> tpot = milliseconds(50);
  std::optional<Picoseconds> longest_gap;
};

}  // namespace plumbline::serving
