// Views of bytes and big-endian access to them. A header's codec takes a span of exactly its size,
// so that a read outside the frame does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumbline::wire {

using ByteView = std::span<const std::uint8_t>;
using ByteSpan = std::span<std::uint8_t>;
using Buffer = std::vector<std::uint8_t>;

// A view or span of exactly N bytes.
template <std::size_t N>
using FixedView = std::span<const std::uint8_t, N>;
template <std::size_t N>
using FixedSpan = std::span<std::uint8_t, N>;

// Unsigned big-endian integer of the first `N` (1 to 8) bytes at `p`.
template <std::size_t N>
constexpr std::uint64_t loadBe(const std::uint8_t* p) {
  static_assert(N >= 1 && N <= 8);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < N; ++i) value = (value << 8) | p[i];
  return value;
}

constexpr std::uint16_t load16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>(loadBe<2>(p));
}
constexpr std::uint32_t load24(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(loadBe<3>(p));
}
constexpr std::uint32_t load32(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(loadBe<4>(p));
}
constexpr std::uint64_t load48(const std::uint8_t* p) { return loadBe<6>(p); }
constexpr std::uint64_t load64(const std::uint8_t* p) { return loadBe<8>(p); }

// Writes the low `N` (1 to 8) bytes of `value` big-endian at `p`.
template <std::size_t N>
constexpr void storeBe(std::uint8_t* p, std::uint64_t value) {
  static_assert(N >= 1 && N <= 8);
  for (std::size_t i = 0; i < N; ++i) {
    p[i] = static_cast<std::uint8_t>(value >> (8 * (N - 1 - i)));
  }
}

constexpr void store16(std::uint8_t* p, std::uint16_t value) { storeBe<2>(p, value); }
constexpr void store24(std::uint8_t* p, std::uint32_t value) { storeBe<3>(p, value); }
constexpr void store32(std::uint8_t* p, std::uint32_t value) { storeBe<4>(p, value); }
constexpr void store48(std::uint8_t* p, std::uint64_t value) { storeBe<6>(p, value); }
constexpr void store64(std::uint8_t* p, std::uint64_t value) { storeBe<8>(p, value); }

// Check sequences are sent least significant byte first.
constexpr std::uint32_t load32Le(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 |
         static_cast<std::uint32_t>(p[2]) << 16 | static_cast<std::uint32_t>(p[3]) << 24;
}
constexpr void store32Le(std::uint8_t* p, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// Appends `header` (anything with kSize and encode()) to `out`.
template <typename Header>
void append(Buffer& out, const Header& header) {
  const std::size_t at = out.size();
  out.resize(at + Header::kSize);
  header.encode(FixedSpan<Header::kSize>(out.data() + at, Header::kSize));
}

}  // namespace plumbline::wire
