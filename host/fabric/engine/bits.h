// Sets of small numbers as bit masks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/paged_memory.h"

namespace plumbline::fabric {

inline void setBit(std::span<std::uint64_t> words, std::uint32_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}
inline void clearBit(std::span<std::uint64_t> words, std::uint32_t bit) {
  words[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
}

// Calls `visit` for every number in the set, ascending; `visit` may take the number out.
template <typename Visit>
inline void forEachBit(std::span<const std::uint64_t> words, Visit&& visit) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      visit(static_cast<std::uint32_t>(w * 64) +
            static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }
}

// A set of numbers below a limit, such as ports of a node. Numbers below 64 are in the object
// itself, next to the other members of its owner.
class NumberSet {
 public:
  explicit NumberSet(std::size_t limit) : more_((limit + 63) / 64 - 1) {}

  void insert(std::uint32_t number) { wordOf(number) |= bitOf(number); }
  void erase(std::uint32_t number) { wordOf(number) &= ~bitOf(number); }
  [[nodiscard]] bool contains(std::uint32_t number) const {
    return ((number < 64 ? first_ : more_[number / 64 - 1]) & bitOf(number)) != 0;
  }
  // As forEachBit().
  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (std::uint64_t bits = first_; bits != 0; bits &= bits - 1) {
      visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
    if (!more_.empty()) forEachBit(more_, [&](std::uint32_t number) { visit(number + 64); });
  }

 private:
  static std::uint64_t bitOf(std::uint32_t number) { return std::uint64_t{1} << (number % 64); }
  [[nodiscard]] std::uint64_t& wordOf(std::uint32_t number) {
    return number < 64 ? first_ : more_[number / 64 - 1];
  }

  std::uint64_t first_ = 0;
  PagedVector<std::uint64_t> more_;
};

}  // namespace plumbline::fabric
