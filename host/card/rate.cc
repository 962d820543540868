#include "card/rate.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumbline::card {
namespace {

__extension__ using UInt128 = unsigned __int128;

constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr UInt128 kRawEnd = UInt128(1) << 64;

}  // namespace

FinePeriod FinePeriod::fromPicoseconds(Picoseconds duration) {
  if (duration.count() < 0 || duration.count() >= (std::int64_t(1) << 48)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("a period of {} ps does not fit the card", duration.count()), {},
                "from 0 to 281 s");
  }
  return FinePeriod(static_cast<std::uint64_t>(duration.count()) << kFractionBits);
}

FinePeriod framePeriod(Bytes frame, BitRate line, Fraction rate) {
  if (rate <= Fraction() || rate > Fraction::one()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("rate {} of line rate is not possible", rate.toDouble()), {},
                "above 0 and at most 1");
  }
  // bits * 10^12 ps/s * 2^16 / (line * rate): the numerator stays below 2^113 for every frame.
  const UInt128 bits = static_cast<UInt128>((frame + kWireOverheadBytes).count()) * 8;
  const UInt128 numerator = (bits * kPicosecondsPerSecond * Fraction::kOne)
                            << FinePeriod::kFractionBits;
  const UInt128 denominator =
      static_cast<UInt128>(line.bitsPerSecond()) * static_cast<UInt128>(rate.partsPerTrillion());
  const UInt128 raw = (numerator + denominator / 2) / denominator;
  if (raw >= kRawEnd) {
    throw Error(ErrorKind::kUsage,
                fmt::format("rate {} of line rate is too low for the card: one frame of {} B takes "
                            "longer than 281 s",
                            rate.toDouble(), frame.count()));
  }
  return FinePeriod::fromRaw(static_cast<std::uint64_t>(raw));
}

std::uint64_t framesWithin(Picoseconds duration, FinePeriod period) {
  if (duration <= Picoseconds()) return 0;
  const UInt128 raw = static_cast<UInt128>(duration.count()) << FinePeriod::kFractionBits;
  return static_cast<std::uint64_t>((raw + period.raw() - 1) / period.raw());
}

}  // namespace plumbline::card
