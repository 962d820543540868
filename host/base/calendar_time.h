// Calendar times as text, in the form of public traces: 2023-11-16 18:17:03.9799600, with or
// without an offset from UTC.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace plumbline {

// A point in time since 1970-01-01 00:00:00, of UTC if the text had an offset.
struct CalendarTime {
  std::int64_t seconds = 0;
  std::int64_t fraction = 0;  // [ps], 0 to 10^12 - 1
  bool with_offset = false;   // the text had an offset from UTC
};

// Reads "yyyy-mm-dd hh:mm:ss" with 'T' or a blank in between, up to twelve digits of a second, and
// an offset from UTC (ISO 8601: Z, +01, +0130, +01:30; also UTC and GMT). Nothing for invalid text.
std::optional<CalendarTime> calendarTime(std::string_view text);

// Time from `from` to `to`, which must be less than 10^6 s apart.
constexpr Picoseconds between(const CalendarTime& from, const CalendarTime& to) {
  return seconds(to.seconds - from.seconds) + Picoseconds(to.fraction - from.fraction);
}

}  // namespace plumbline
