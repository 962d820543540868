// Storage of the RoCE endpoint: items with stable addresses that are reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/paged_memory.h"
#include "base/units.h"

namespace plumbline::transport {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// Items by number. Grows by chunks, so that references stay valid, and allocates only when more
// items are in use than ever before. A reused item keeps its old contents.
template <typename T>
class Pool {
 public:
  [[nodiscard]] T& operator[](std::uint32_t index) {
    return chunks_[index / kChunk][index % kChunk];
  }
  [[nodiscard]] const T& operator[](std::uint32_t index) const {
    return chunks_[index / kChunk][index % kChunk];
  }
  // Number of items ever taken; all item numbers are below.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t inUse() const {
    return size_ - static_cast<std::uint32_t>(free_.size());
  }

  std::uint32_t take() {
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      return index;
    }
    if (size_ % kChunk == 0) chunks_.push_back(PagedArray<T>(kChunk));
    return size_++;
  }
  void release(std::uint32_t index) { free_.push_back(index); }

 private:
  static constexpr std::uint32_t kChunk = 16;

  PagedVector<PagedArray<T>> chunks_;
  PagedVector<std::uint32_t> free_;
  std::uint32_t size_ = 0;
};

// From QP number (24 bits) to index in the pool: open addressing, at most half full.
class QpTable {
 public:
  QpTable() : slots_(kFirstSize) {}

  // kNone if absent.
  [[nodiscard]] std::uint32_t find(std::uint32_t number) const {
    for (std::size_t at = place(number);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.number == number || slot.number == kNone) return slot.index;
    }
  }
  // `number` must be absent.
  void insert(std::uint32_t number, std::uint32_t index) {
    if (2 * ++used_ > slots_.size()) {
      PagedVector<Slot> old(slots_.size() * 2);
      old.swap(slots_);
      for (const Slot& slot : old) {
        if (slot.number != kNone) put(slot);
      }
    }
    put({number, index});
  }

 private:
  struct Slot {
    std::uint32_t number = kNone;
    std::uint32_t index = kNone;
  };
  static constexpr std::size_t kFirstSize = 16;

  // Multiplicative: the numbers are dense in host and flow.
  [[nodiscard]] std::size_t place(std::uint32_t number) const {
    return (number * std::uint64_t{0x9E3779B97F4A7C15} >> 32) & (slots_.size() - 1);
  }
  void put(Slot slot) {
    std::size_t at = place(slot.number);
    while (slots_[at].number != kNone) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }

  PagedVector<Slot> slots_;
  std::size_t used_ = 0;
};

// Numbers ordered by time: the earliest first, at equal times the smallest number.
class TimerHeap {
 public:
  struct Entry {
    Picoseconds time;
    std::uint32_t index = 0;
  };

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] const Entry& top() const { return entries_.front(); }

  void push(Picoseconds time, std::uint32_t index) {
    std::size_t hole = entries_.size();
    entries_.emplace_back();
    const Entry entry{time, index};
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (!before(entry, entries_[parent])) break;
      entries_[hole] = entries_[parent];
      hole = parent;
    }
    entries_[hole] = entry;
  }

  void pop() {
    const Entry last = entries_.back();
    entries_.pop_back();
    const std::size_t size = entries_.size();
    if (size == 0) return;
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && before(entries_[child + 1], entries_[child])) ++child;
      if (!before(entries_[child], last)) break;
      entries_[hole] = entries_[child];
      hole = child;
    }
    entries_[hole] = last;
  }

 private:
  static bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.index < b.index;
  }

  PagedVector<Entry> entries_;
};

}  // namespace plumbline::transport
