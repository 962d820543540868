// The order in which a node deals with what its inputs hand over in a window.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plumbline::fabric {

// Sorts items by time, items of equal time in the order in which they were added. Items are added
// input by input, so that each input's memory is read once and in one go; then their keys, 64 bits
// each, are sorted by radix, which has no branch to mispredict. A window is short, so that two
// passes do.
class WindowOrder {
 public:
  struct Item {
    Picoseconds time;
    std::uint32_t index = 0;  // of the add() call, from 0
  };

  void start(Picoseconds begin) {
    begin_ = begin.count();
    keys_.clear();
    all_bits_ = 0;
  }

  // `time` is at most 2^40 - 1 ps behind the window's begin; at most 2^24 items.
  void add(Picoseconds time) {
    const auto offset = static_cast<std::uint64_t>(time.count() - begin_);
    all_bits_ |= offset;
    keys_.push_back(offset << kIndexBits | keys_.size());
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

  void sort() {
    if (keys_.size() < kFewItems) {
      std::sort(keys_.begin(), keys_.end());
      return;
    }
    sorted_.resize(keys_.size());
    const auto bits = static_cast<unsigned>(std::bit_width(all_bits_));
    const unsigned low = bits > kDigitBits ? bits - kDigitBits : 0;
    if (pass(kIndexBits + low) <= kFewInBucket) {
      settle();
    } else {
      // Crowded: digit by digit from the lowest one, whatever the order is by now.
      for (unsigned shift = 0; shift < kIndexBits + bits; shift += kDigitBits) pass(shift);
    }
  }

  // The item at `place` of the sorted order.
  [[nodiscard]] Item at(std::uint32_t place) const {
    const std::uint64_t key = keys_[place];
    return {Picoseconds(begin_ + static_cast<std::int64_t>(key >> kIndexBits)),
            static_cast<std::uint32_t>(key) & ((1U << kIndexBits) - 1)};
  }

 private:
  static constexpr unsigned kIndexBits = 24;
  static constexpr unsigned kDigitBits = 8;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr std::size_t kFewItems = 48;
  static constexpr std::uint32_t kFewInBucket = 24;

  // Sorts by one digit, stably. Returns the most keys that have it in common.
  std::uint32_t pass(unsigned shift) {
    std::array<std::uint32_t, kDigits> first{};
    for (const std::uint64_t key : keys_) ++first[key >> shift & (kDigits - 1)];
    std::uint32_t sum = 0;
    std::uint32_t most = 0;
    for (std::uint32_t& count : first) {
      const std::uint32_t here = count;
      most = std::max(most, here);
      count = sum;
      sum += here;
    }
    for (const std::uint64_t key : keys_) sorted_[first[key >> shift & (kDigits - 1)]++] = key;
    keys_.swap(sorted_);
    return most;
  }

  // Insertion: after the highest digit nothing is far from its place.
  void settle() {
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      const std::uint64_t key = keys_[i];
      std::size_t hole = i;
      for (; hole > 0 && keys_[hole - 1] > key; --hole) keys_[hole] = keys_[hole - 1];
      keys_[hole] = key;
    }
  }

  std::int64_t begin_ = 0;
  std::uint64_t all_bits_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace plumbline::fabric
