// Rates in the form of the card's scheduler: periods in ps with 16 fraction bits (Q48.16).
//
// Error bound: a period is rounded to the nearest 2^-16 ps, so its error is at most 2^-17 ps,
// relative to the shortest slot (64 bytes at 100 Gb/s, 6720 ps) 1.2e-9. Departures lie on the
// absolute grid n * period, so over n frames the error is n * 2^-17 ps: always 1.2e-9 of the
// elapsed time.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace plumbline::card {

// A non-negative duration in units of 2^-16 ps; below 2^64, which is 281 s.
class FinePeriod {
 public:
  static constexpr int kFractionBits = 16;

  constexpr FinePeriod() = default;
  static constexpr FinePeriod fromRaw(std::uint64_t raw) { return FinePeriod(raw); }
  // Exact. Throws Error(kUsage) for a duration below zero or from 2^48 ps on.
  static FinePeriod fromPicoseconds(Picoseconds duration);

  [[nodiscard]] constexpr std::uint64_t raw() const { return raw_; }
  constexpr auto operator<=>(const FinePeriod&) const = default;

 private:
  constexpr explicit FinePeriod(std::uint64_t raw) : raw_(raw) {}
  std::uint64_t raw_ = 0;
};

// Time from one frame's start to the next when frames of `frame` bytes (with FCS) make up `rate` of
// the line rate, preamble and minimum gap counted (L1). Throws Error(kUsage) unless
// 0 < rate <= 1, or when the period is too long for the card.
FinePeriod framePeriod(Bytes frame, BitRate line, Fraction rate);

// Frames that start in [0, duration) on the grid n * period: ceil(duration / period).
std::uint64_t framesWithin(Picoseconds duration, FinePeriod period);

}  // namespace plumbline::card
