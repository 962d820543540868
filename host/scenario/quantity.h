// Numbers with units as users write them: "64B", "1.5us", "100G", "12.5%". Decimal arithmetic on
// integers throughout; a value that is not exactly representable is refused. Only shares and
// factors are rounded, to 10^-12, where that changes them by less than 10^-9 of themselves.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/decimal.h"
#include "base/units.h"

namespace plumbline::scenario {

// B; KB, MB, GB = powers of 1000; KiB, MiB, GiB = powers of 1024. Not negative.
Parsed<Bytes> parseBytes(std::string_view text);
// ps, ns, us (or µs), ms, s. Not negative, at most 106 days.
Parsed<Picoseconds> parseDuration(std::string_view text);
// M, G, T, each optionally with "b/s" or "bps". Not negative.
Parsed<BitRate> parseBitRate(std::string_view text);
// Percent: "12.5%". Not negative.
Parsed<Fraction> parseShare(std::string_view text);
// A factor: a number as parseReal() reads it. 1, 0.125, 8.
Parsed<Fraction> parseFactor(std::string_view text);
// A plain decimal integer without sign or separators, up to 2^64 - 1.
Parsed<std::uint64_t> parseInteger(std::string_view text);
// As parseInteger(), optionally with a minus sign, up to 2^63 - 1 in magnitude.
Parsed<std::int64_t> parseSigned(std::string_view text);

}  // namespace plumbline::scenario
