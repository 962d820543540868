// Sets of small numbers as words of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plumbline::fabric {

inline void setBit(std::span<std::uint64_t> words, std::uint32_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}
inline void clearBit(std::span<std::uint64_t> words, std::uint32_t bit) {
  words[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
}

[[nodiscard]] inline bool testBit(std::span<const std::uint64_t> words, std::uint32_t bit) {
  return (words[bit / 64] >> (bit % 64) & 1) != 0;
}

// Calls `visit` for every number in the set, ascending; it may take the number out. Inlined, for
// what `visit` refers to would live in memory otherwise.
template <typename Visit>
[[gnu::always_inline]] inline void forEachBit(std::span<const std::uint64_t> words, Visit&& visit) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      visit(static_cast<std::uint32_t>(w * 64) +
            static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }
}

}  // namespace plumbline::fabric
