// Units as types: time in integer picoseconds, sizes in bytes, rates in bits per second.
//
// Without floating point: at 100, 200, 400 and 800 Gb/s a byte lasts exactly 80, 40, 20 and 10 ps,
// so every wire time is an exact integer. Conversions to floating point exist only for display
// (`toNanoseconds` and friends).
#pragma once

#include <compare>
#include <cstdint>

namespace plumbline {

// Products of picoseconds and rates need more than 64 bits.
__extension__ using Int128 = __int128;

// A point in time or a duration [ps]. Range: +-106 days. Wraps are the caller's responsibility.
class Picoseconds {
 public:
  constexpr Picoseconds() = default;
  constexpr explicit Picoseconds(std::int64_t ps) : ps_(ps) {}

  [[nodiscard]] constexpr std::int64_t count() const { return ps_; }
  [[nodiscard]] constexpr double toNanoseconds() const { return static_cast<double>(ps_) / 1e3; }
  [[nodiscard]] constexpr double toMicroseconds() const { return static_cast<double>(ps_) / 1e6; }
  [[nodiscard]] constexpr double toSeconds() const { return static_cast<double>(ps_) / 1e12; }

  constexpr auto operator<=>(const Picoseconds&) const = default;
  constexpr Picoseconds& operator+=(Picoseconds o) {
    ps_ += o.ps_;
    return *this;
  }
  constexpr Picoseconds& operator-=(Picoseconds o) {
    ps_ -= o.ps_;
    return *this;
  }
  friend constexpr Picoseconds operator+(Picoseconds a, Picoseconds b) { return a += b; }
  friend constexpr Picoseconds operator-(Picoseconds a, Picoseconds b) { return a -= b; }
  friend constexpr Picoseconds operator-(Picoseconds a) { return Picoseconds(-a.ps_); }
  friend constexpr Picoseconds operator*(Picoseconds a, std::int64_t n) {
    return Picoseconds(a.ps_ * n);
  }
  friend constexpr Picoseconds operator*(std::int64_t n, Picoseconds a) { return a * n; }
  // Integer quotient of two durations, rounded towards zero.
  friend constexpr std::int64_t operator/(Picoseconds a, Picoseconds b) { return a.ps_ / b.ps_; }
  friend constexpr Picoseconds operator/(Picoseconds a, std::int64_t n) {
    return Picoseconds(a.ps_ / n);
  }

 private:
  std::int64_t ps_ = 0;
};

constexpr Picoseconds nanoseconds(std::int64_t n) { return Picoseconds(n * 1'000); }
constexpr Picoseconds microseconds(std::int64_t n) { return Picoseconds(n * 1'000'000); }
constexpr Picoseconds milliseconds(std::int64_t n) { return Picoseconds(n * 1'000'000'000); }
constexpr Picoseconds seconds(std::int64_t n) { return Picoseconds(n * 1'000'000'000'000); }

// A number of bytes: a frame length (including the FCS unless stated otherwise), a buffer, …
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t n) : n_(n) {}

  [[nodiscard]] constexpr std::int64_t count() const { return n_; }

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes o) {
    n_ += o.n_;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes o) {
    n_ -= o.n_;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return a -= b; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return Bytes(a.n_ * n); }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }

 private:
  std::int64_t n_ = 0;
};

// A link or stream rate [bit/s].
class BitRate {
 public:
  constexpr BitRate() = default;
  constexpr explicit BitRate(std::int64_t bits_per_second) : bps_(bits_per_second) {}

  [[nodiscard]] constexpr std::int64_t bitsPerSecond() const { return bps_; }
  [[nodiscard]] constexpr double toGigabitsPerSecond() const {
    return static_cast<double>(bps_) / 1e9;
  }

  constexpr auto operator<=>(const BitRate&) const = default;

 private:
  std::int64_t bps_ = 0;
};

constexpr BitRate gigabitsPerSecond(std::int64_t n) { return BitRate(n * 1'000'000'000); }

// A share (line rate, buffer, probability) in parts per 10^12, so that 10^-6 of line rate is still
// exact to 1 ppm of itself. 1.0 is kOne.
class Fraction {
 public:
  static constexpr std::int64_t kOne = 1'000'000'000'000;

  constexpr Fraction() = default;
  static constexpr Fraction partsPerTrillion(std::int64_t ppt) { return Fraction(ppt); }
  static constexpr Fraction percent(std::int64_t p) { return Fraction(p * (kOne / 100)); }
  static constexpr Fraction one() { return Fraction(kOne); }

  [[nodiscard]] constexpr std::int64_t partsPerTrillion() const { return ppt_; }
  [[nodiscard]] constexpr double toDouble() const { return static_cast<double>(ppt_) / 1e12; }

  constexpr auto operator<=>(const Fraction&) const = default;

 private:
  constexpr explicit Fraction(std::int64_t ppt) : ppt_(ppt) {}
  std::int64_t ppt_ = 0;
};

// Space of a frame on the wire besides itself: preamble + SFD and the minimum average inter-packet
// gap (FACTS I.1).
inline constexpr Bytes kPreambleBytes{8};
inline constexpr Bytes kMinGapBytes{12};
inline constexpr Bytes kWireOverheadBytes{20};

// Time to serialise `size` at `rate`, rounded up to the next picosecond (exact at 100/200/400/800
// G).
constexpr Picoseconds serializationTime(Bytes size, BitRate rate) {
  const auto bits_ps = static_cast<Int128>(size.count()) * 8 * 1'000'000'000'000;
  const auto bps = static_cast<Int128>(rate.bitsPerSecond());
  return Picoseconds(static_cast<std::int64_t>((bits_ps + bps - 1) / bps));
}

// Time from the start of one frame to the start of the next when frames of `frame` bytes (with FCS)
// follow each other back to back: frame + preamble + gap.
constexpr Picoseconds frameSlot(Bytes frame, BitRate rate) {
  return serializationTime(frame + kWireOverheadBytes, rate);
}

}  // namespace plumbline
