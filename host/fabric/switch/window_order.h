// The order in which a switch handles the arrivals of a window.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plumbline::fabric {

// Sorts items of two kinds by group, then by time; at equal times all of the first kind, then all
// of the second, each in the order in which they were added. Items are added port by port, so that
// the memory of each port is read once. Then their 64-bit keys are sorted by radix, which has no
// unpredictable branches.
class WindowOrder {
 public:
  struct Item {
    Picoseconds time;
    std::uint32_t number = 0;
    bool second = false;  // its kind
  };

  // Of a window of the times in [begin, end), with groups below `groups` (> 0). The window is
  // shorter than 2^40 ps.
  void start(Picoseconds begin, Picoseconds end, std::uint32_t groups) {
    begin_ = begin.count();
    count_ = 0;
    const auto longest = static_cast<std::uint64_t>((end - begin).count() - 1);
    time_bits_ = static_cast<unsigned>(std::bit_width(longest));
    time_mask_ = (std::uint64_t{1} << time_bits_) - 1;
    groups_ = groups;
    group_bits_ = static_cast<unsigned>(std::bit_width(groups - 1));
    if (kIndexBits + time_bits_ + group_bits_ > 63) forgetGroups();
    group_mask_ = (1U << group_bits_) - 1;
  }

  // False if the window is so long that a key has no room for groups: items are then sorted by time
  // only.
  [[nodiscard]] bool grouped() const { return group_bits_ > 0; }

  // Adds items until end(). It keeps its state in its own members, so that only a key is written
  // for each item.
  class Adder {
   public:
    explicit Adder(WindowOrder& order)
        : begin_(order.begin_), time_bits_(order.time_bits_), group_mask_(order.group_mask_) {
      continueIn(order, order.count_);
    }

    // Up to `items` more will be added.
    void expect(WindowOrder& order, std::size_t items) {
      if (static_cast<std::size_t>(last_ - next_) >= items) return;
      const auto count = static_cast<std::size_t>(next_ - order.keys_.data());
      order.keys_.resize(std::max(count + items + 1, 2 * order.keys_.size()));
      continueIn(order, count);
    }
    // An item of the first or second kind; `number` (below 2^23) ascends within the kind.
    void addFirst(std::uint32_t group, Picoseconds time, std::uint32_t number) {
      add(group, time, number);
    }
    void addSecond(std::uint32_t group, Picoseconds time, std::uint32_t number) {
      add(group, time, kSecond | number);
    }
    void end(WindowOrder& order) {
      order.count_ = static_cast<std::size_t>(next_ - order.keys_.data());
    }

   private:
    void continueIn(WindowOrder& order, std::size_t count) {
      next_ = order.keys_.data() + count;
      last_ = order.keys_.data() + order.keys_.size() - 1;
    }
    void add(std::uint32_t group, Picoseconds time, std::uint32_t index) {
      const auto offset = static_cast<std::uint64_t>(time.count() - begin_);
      const std::uint64_t major = std::uint64_t{group & group_mask_} << time_bits_;
      *next_++ = (major | offset) << kIndexBits | index;
    }

    std::uint64_t* next_ = nullptr;
    std::uint64_t* last_ = nullptr;  // place: of the key behind all items
    std::int64_t begin_;
    unsigned time_bits_;
    std::uint32_t group_mask_;
  };

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(count_); }

  // Makes all items one group.
  void ungroup() {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - kIndexBits - time_bits_);
    for (std::size_t i = 0; i < count_; ++i) keys_[i] &= mask;
    forgetGroups();
  }

  void sort() {
    if (count_ < kFewItems) {
      insertAll();
    } else {
      sortMany();
    }
    keys_[count_] = kSentinelKey;
  }

  // The sorted order, valid until items are added. A copy of the members that reading needs, so
  // that they stay in registers when the reader writes to memory.
  class View {
   public:
    explicit View(const WindowOrder& order)
        : keys_(order.keys_.data()),
          count_(order.size()),
          group_shift_(kIndexBits + order.time_bits_),
          begin_(order.begin_),
          time_mask_(order.time_mask_) {}

    [[nodiscard]] std::uint32_t size() const { return count_; }

    // The first place behind `place` that belongs to another group, or size(). Only if grouped().
    [[nodiscard]] std::uint32_t groupEnd(std::uint32_t place) const {
      const std::uint64_t last = keys_[place] | ((std::uint64_t{1} << group_shift_) - 1);
      do {
        ++place;
      } while (keys_[place] <= last);
      return place;
    }

    // When the next item of the group of that at `place` is due; `none` without one. Only if
    // grouped().
    [[nodiscard]] Picoseconds nextOfGroup(std::uint32_t place, Picoseconds none) const {
      const bool any = (keys_[place] ^ keys_[place + 1]) >> group_shift_ == 0;
      return any ? at(place + 1).time : none;
    }

    // The item at `place`.
    [[nodiscard]] Item at(std::uint32_t place) const {
      const std::uint64_t key = keys_[place];
      const std::uint64_t offset = key >> kIndexBits & time_mask_;
      return {Picoseconds(begin_ + static_cast<std::int64_t>(offset)),
              static_cast<std::uint32_t>(key) & (kSecond - 1), (key & kSecond) != 0};
    }

   private:
    const std::uint64_t* keys_;
    std::uint32_t count_;
    unsigned group_shift_;
    std::int64_t begin_;
    std::uint64_t time_mask_;
  };

 private:
  static constexpr unsigned kIndexBits = 24;  // kind and number
  static constexpr std::uint32_t kSecond = 1U << (kIndexBits - 1);
  // Behind the last key. It is in no group, because grouped keys do not use the highest bit.
  static constexpr std::uint64_t kSentinelKey = ~std::uint64_t{0};
  static constexpr unsigned kMaxDigitBits = 11;
  static constexpr std::size_t kMaxBuckets = std::size_t{1} << kMaxDigitBits;
  static constexpr std::size_t kFewItems = 13;
  static constexpr std::size_t kFewInBucket = 24;
  // Twice the number of moves by insertion below which insertion costs less than passes over all
  // buckets of every digit.
  static constexpr std::size_t kFewMoves = 8192;

  void forgetGroups() {
    groups_ = 1;
    group_bits_ = 0;
  }

  void sortMany() {
    sorted_.resize(keys_.size());
    // One or two buckets per key, by the highest bits in use.
    const std::uint64_t last = (std::uint64_t{groups_} << time_bits_) - 1;
    const std::size_t limit = std::min(2 * count_, kMaxBuckets);
    const auto lower = static_cast<unsigned>(std::bit_width(last / limit));
    const std::size_t max = pass(kIndexBits + lower, (last >> lower) + 1);
    if (max <= kFewInBucket || max * count_ <= kFewMoves) {
      settle();
    } else {
      // Many equal digits: digit by digit from the kind upwards. The numbers of a kind are in order
      // already.
      const unsigned bits = kIndexBits + time_bits_ + group_bits_;
      for (unsigned shift = kIndexBits - 1; shift < bits; shift += kMaxDigitBits) {
        pass(shift, kMaxBuckets);
      }
    }
  }

  // Sorts by the bits from `shift` on, stably: by so many that there are `buckets` of them, or by
  // all if there are fewer. Returns the most keys that have them in common.
  std::uint32_t pass(unsigned shift, std::size_t buckets) {
    std::fill_n(first_.begin(), buckets, 0);
    const std::uint64_t mask = kMaxBuckets - 1;
    for (std::size_t i = 0; i < count_; ++i) ++first_[keys_[i] >> shift & mask];
    std::uint32_t sum = 0;
    std::uint32_t max = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
      const std::uint32_t here = first_[i];
      max = std::max(max, here);
      first_[i] = sum;
      sum += here;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t key = keys_[i];
      sorted_[first_[key >> shift & mask]++] = key;
    }
    keys_.swap(sorted_);
    return max;
  }

  // Insertion by compare and exchange with all keys before, without unpredictable branches.
  void insertAll() {
    std::uint64_t* const keys = keys_.data();
    for (std::size_t i = 1; i < count_; ++i) {
      std::uint64_t key = keys[i];
      for (std::size_t hole = i; hole > 0; --hole) {
        const std::uint64_t other = keys[hole - 1];
        const bool before = key < other;
        keys[hole] = before ? other : key;
        key = before ? key : other;
      }
      keys[0] = key;
    }
  }

  // Insertion: after the pass over the highest digit every key is near its place.
  void settle() {
    std::uint64_t* const keys = keys_.data();
    std::uint64_t greatest = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t key = keys[i];
      if (key >= greatest) {
        greatest = key;
        continue;
      }
      std::size_t hole = i;
      for (; hole > 0 && keys[hole - 1] > key; --hole) keys[hole] = keys[hole - 1];
      keys[hole] = key;
    }
  }

  std::int64_t begin_ = 0;
  unsigned time_bits_ = 0;
  std::uint64_t time_mask_ = 0;
  std::uint32_t groups_ = 1;
  unsigned group_bits_ = 0;
  std::uint32_t group_mask_ = 0;
  std::size_t count_ = 0;
  // The first count_ keys, and one behind them.
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1);
  std::vector<std::uint64_t> sorted_;
  std::array<std::uint32_t, kMaxBuckets> first_{};  // by digit
};

}  // namespace plumbline::fabric
