// Containers of the UET endpoint: windows indexed by sequence number, and a map from ids.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/paged_memory.h"
#include "transport/prefetch.h"

namespace plumbline::transport {

// Items first() to end() - 1 in a power-of-two array that grows when it must and never shrinks.
template <typename T>
class Window {
 public:
  [[nodiscard]] bool empty() const { return first_ == end_; }
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] std::size_t capacity() const { return items_.size(); }

  // Drops everything; the next item is number `first`.
  void restart(std::uint64_t first) { first_ = end_ = first; }

  [[nodiscard]] T& operator[](std::uint64_t number) { return items_[number & items_.mask()]; }
  [[nodiscard]] const T& operator[](std::uint64_t number) const {
    return items_[number & items_.mask()];
  }
  [[nodiscard]] T& front() { return items_[first_ & items_.mask()]; }
  [[nodiscard]] T& back() { return items_[(end_ - 1) & items_.mask()]; }

  // Fetches the memory of item `number`.
  void prefetch(std::uint64_t number) const {
    if (capacity() != 0) prefetchToWrite(&items_[number & items_.mask()]);
  }

  void push(const T& item) {
    if (end_ - first_ == capacity()) grow();
    items_[end_++ & items_.mask()] = item;
  }
  void pop() { ++first_; }
  // Drops everything below `number`, which lies in the window or is its end.
  void popTo(std::uint64_t number) { first_ = number; }

 private:
  static constexpr std::size_t kFirstCapacity = 1;

  void grow() {
    PagedArray<T> larger(capacity() == 0 ? kFirstCapacity : capacity() * 2);
    for (std::uint64_t n = first_; n != end_; ++n) larger[n & larger.mask()] = (*this)[n];
    items_ = std::move(larger);
  }

  PagedArray<T> items_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

// A bit per PSN of a sliding range; grows with the range. The usual size is stored inside the
// object, next to its owner's fields.
class BitWindow {
 public:
  void clear() { std::fill_n(words(), mask() + 1, 0); }
  // Makes room for any PSNs from `low` to `low` + `span`.
  void reserve(std::uint64_t low, std::uint64_t span) {
    if ((span >> 6) + 2 > mask() + 1) grow(low, (span >> 6) + 2);
  }
  [[nodiscard]] bool test(std::uint64_t psn) const {
    return (word(psn >> 6) >> (psn & 63) & 1) != 0;
  }
  void set(std::uint64_t psn) { word(psn >> 6) |= std::uint64_t{1} << (psn & 63); }
  void reset(std::uint64_t psn) { word(psn >> 6) &= ~(std::uint64_t{1} << (psn & 63)); }
  // Bits psn to psn + 63, bit 0 first. All of them must be in range.
  [[nodiscard]] std::uint64_t from(std::uint64_t psn) const {
    const std::uint64_t low = word(psn >> 6);
    const unsigned shift = psn & 63;
    return shift == 0 ? low : low >> shift | word((psn >> 6) + 1) << (64 - shift);
  }
  // Clears the set bits from `psn` up to the first gap; returns their number. At least one bit of
  // the range is clear.
  std::uint64_t clearRun(std::uint64_t psn) {
    const std::uint64_t first = psn;
    for (;;) {
      std::uint64_t& bits = word(psn >> 6);
      const unsigned shift = psn & 63;
      const auto run = static_cast<unsigned>(std::countr_one(bits >> shift));
      bits &= ~(run == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << run) - 1) << shift);
      psn += run;
      if (shift + run < 64) return psn - first;
    }
  }

 private:
  static constexpr std::size_t kOwn = 4;

  [[nodiscard]] bool grown() const { return more_.data() != nullptr; }
  [[nodiscard]] std::size_t mask() const { return grown() ? more_.mask() : kOwn - 1; }
  [[nodiscard]] std::uint64_t* words() { return grown() ? more_.data() : own_.data(); }
  [[nodiscard]] const std::uint64_t* words() const { return grown() ? more_.data() : own_.data(); }
  [[nodiscard]] std::uint64_t& word(std::uint64_t number) { return words()[number & mask()]; }
  [[nodiscard]] std::uint64_t word(std::uint64_t number) const { return words()[number & mask()]; }

  void grow(std::uint64_t low, std::uint64_t needed) {
    PagedArray<std::uint64_t> larger(std::bit_ceil(needed));
    for (std::uint64_t i = 0; i <= mask(); ++i) {
      larger[((low >> 6) + i) & larger.mask()] = word((low >> 6) + i);
    }
    more_ = std::move(larger);
  }

  std::array<std::uint64_t, kOwn> own_{};
  PagedArray<std::uint64_t> more_;
};

// Map from 32-bit ids to 32-bit indices: open addressing, linear probing, no tombstones. Never
// iterated, so that its layout does not affect any order.
class IdMap {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  [[nodiscard]] std::uint32_t find(std::uint32_t id) const {
    if (cells_.empty()) return kNone;
    for (std::size_t i = home(id);; i = (i + 1) & mask_) {
      if (cells_[i].index == kNone) return kNone;
      if (cells_[i].id == id) return cells_[i].index;
    }
  }
  // Prefetches the memory at which find() begins.
  void prefetch(std::uint32_t id) const { prefetchToRead(cells_.data() + home(id)); }
  // Adds or replaces; `index` is not kNone.
  void set(std::uint32_t id, std::uint32_t index) {
    if ((size_ + 1) * 2 > cells_.size()) grow();
    insert(id, index);
  }
  void erase(std::uint32_t id) {
    if (cells_.empty()) return;
    std::size_t i = home(id);
    while (cells_[i].id != id || cells_[i].index == kNone) {
      if (cells_[i].index == kNone) return;
      i = (i + 1) & mask_;
    }
    --size_;
    // Moves up entries that the gap would separate from their home cell.
    for (std::size_t j = (i + 1) & mask_; cells_[j].index != kNone; j = (j + 1) & mask_) {
      const std::size_t home_cell = home(cells_[j].id);
      if (((j - home_cell) & mask_) >= ((j - i) & mask_)) {
        cells_[i] = cells_[j];
        i = j;
      }
    }
    cells_[i].index = kNone;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Cell {
    std::uint32_t id = 0;
    std::uint32_t index = kNone;
  };

  [[nodiscard]] std::size_t home(std::uint32_t id) const {
    return (std::uint64_t{id} * 0x9E3779B97F4A7C15ULL >> 32) & mask_;
  }
  void insert(std::uint32_t id, std::uint32_t index) {
    std::size_t i = home(id);
    while (cells_[i].index != kNone && cells_[i].id != id) i = (i + 1) & mask_;
    if (cells_[i].index == kNone) ++size_;
    cells_[i] = {id, index};
  }
  void grow() {
    PagedVector<Cell> old(cells_.empty() ? 16 : cells_.size() * 2);
    old.swap(cells_);
    mask_ = cells_.size() - 1;
    size_ = 0;
    for (const Cell& cell : old) {
      if (cell.index != kNone) insert(cell.id, cell.index);
    }
  }

  PagedVector<Cell> cells_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace plumbline::transport
