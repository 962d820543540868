// The end of all trials.
#pragma once

#include "base/units.h"

namespace plumbline {

// No trial lasts longer: Picoseconds can count 223,372 s more, for times that are added to it.
inline constexpr Picoseconds kLatestTime = seconds(9'000'000);
constexpr Picoseconds cappedTime(Int128 ps) {
  return ps > kLatestTime.count() ? kLatestTime : Picoseconds(static_cast<std::int64_t>(ps));
}

}  // namespace plumbline
