// Growable FIFO in a power-of-two array.
#pragma once

#include <cstddef>
#include <utility>

#include "base/paged_memory.h"
#include "fabric/engine/prefetch.h"

namespace plumbline::fabric {

// First in, first out. Allocates only when it holds more items than ever before, so that a steady
// state allocates nothing. T is a small value.
template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] std::size_t capacity() const { return items_.size(); }

  // The oldest and the newest item; the ring must not be empty.
  [[nodiscard]] T& front() { return items_[head_ & items_.mask()]; }
  [[nodiscard]] const T& front() const { return items_[head_ & items_.mask()]; }
  [[nodiscard]] const T& back() const { return items_[(tail_ - 1) & items_.mask()]; }
  // The item `index` places behind the oldest; index < size().
  [[nodiscard]] T& at(std::size_t index) { return items_[(head_ + index) & items_.mask()]; }
  [[nodiscard]] const T& at(std::size_t index) const {
    return items_[(head_ + index) & items_.mask()];
  }

  // Fetches the item `ahead` places behind the oldest, and the place of the next push().
  void prefetchFront(std::size_t ahead) const {
    prefetchToRead(items_.data() + ((head_ + ahead) & items_.mask()));
  }
  void prefetchPush() const { prefetchToWrite(items_.data() + (tail_ & items_.mask())); }

  void push(const T& item) { append() = item; }
  // A new newest item, with the value of some old one, to be filled in place: an item that is
  // assembled elsewhere from small fields and then copied stalls on store forwarding.
  T& append() {
    if (size() == capacity()) grow();
    return items_[tail_++ & items_.mask()];
  }
  // The oldest item becomes the newest.
  void rotate() { items_[tail_++ & items_.mask()] = items_[head_++ & items_.mask()]; }
  // Takes out the oldest item; returns whether that was the last one. An empty ring restarts at its
  // first place, so that a mostly short queue stays in few cache lines.
  bool pop() {
    // Without a branch, because its outcome is unpredictable.
    const std::size_t next = head_ + 1;
    const std::size_t keep = -static_cast<std::size_t>(next != tail_);
    head_ = next & keep;
    tail_ &= keep;
    return keep == 0;
  }

  // The same with the `count` oldest ones.
  void pop(std::size_t count) {
    head_ += count;
    if (head_ == tail_) head_ = tail_ = 0;
  }

 private:
  static constexpr std::size_t kFirstCapacity = 8;

  void grow() {
    const std::size_t larger = capacity() == 0 ? kFirstCapacity : capacity() * 2;
    PagedArray<T> items(larger);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) items[i] = items_[(head_ + i) & items_.mask()];
    items_ = std::move(items);
    head_ = 0;
    tail_ = count;
  }

  // Half a cache line, so that owners can keep related members on the same line.
  PagedArray<T> items_;
  std::size_t head_ = 0;  // of items ever popped; indices wrap by masking
  std::size_t tail_ = 0;
};

}  // namespace plumbline::fabric
