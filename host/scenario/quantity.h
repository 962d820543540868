// Numbers with units as users write them: "64B", "1.5us", "100G", "12.5%". Decimal arithmetic on
// integers throughout; a value that is not exactly representable is refused, never rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace plumbline::scenario {

// A value, or the reason for having none (one clause without a full stop).
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

// B; KB, MB, GB = powers of 1000; KiB, MiB, GiB = powers of 1024. Not negative.
Parsed<Bytes> parseBytes(std::string_view text);
// ps, ns, us (or µs), ms, s. Not negative, at most 106 days.
Parsed<Picoseconds> parseDuration(std::string_view text);
// M, G, T, each optionally with "b/s" or "bps". Not negative.
Parsed<BitRate> parseBitRate(std::string_view text);
// Percent: "12.5%", exact to 10^-12. Not negative.
Parsed<Fraction> parseShare(std::string_view text);
// A decimal number without sign or separators, as people and programs write them: 0, 12, 0.5,
// 1e-05, 2.5E+3.
Parsed<double> parseDecimal(std::string_view text);
// A factor: such a number, exact to 10^-12. 1, 0.125, 8.
Parsed<Fraction> parseFactor(std::string_view text);
// A plain decimal integer without sign or separators, up to 2^64 - 1.
Parsed<std::uint64_t> parseInteger(std::string_view text);
// As parseInteger(), optionally with a minus sign, up to 2^63 - 1 in magnitude.
Parsed<std::int64_t> parseSigned(std::string_view text);

}  // namespace plumbline::scenario
