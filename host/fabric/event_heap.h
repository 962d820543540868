// The order in which things happen: a heap over the sources of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plumbline::fabric {

// Who causes an event: a link, or a stage of the impairments behind the links. Each source offers
// only its earliest event, so that the heap never holds more than one entry per source and events
// of one source keep their sequence.
using SourceId = std::uint32_t;

struct Event {
  Picoseconds time;
  SourceId source = 0;
};

// 4-ary heap ordered by (time, source). Both are packed into one 128-bit key, so that a comparison
// is two instructions and a node's four children are one cache line. Times must be >= 0.
class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return keys_.empty(); }

  // The earliest event; the heap must not be empty.
  [[nodiscard]] Event top() const { return unpack(keys_.front()); }

  void push(Event event) {
    keys_.push_back(Key{});
    siftUp(keys_.size() - 1, pack(event));
  }

  void pop() {
    const Key last = keys_.back();
    keys_.pop_back();
    if (!keys_.empty()) siftDown(last);
  }

  // pop() and push() in one pass: what a source does that has a further event.
  void replaceTop(Event event) { siftDown(pack(event)); }

 private:
  __extension__ using Key = unsigned __int128;
  static constexpr std::size_t kArity = 4;

  static Key pack(Event event) {
    return static_cast<Key>(static_cast<std::uint64_t>(event.time.count())) << 32 | event.source;
  }
  static Event unpack(Key key) {
    return {Picoseconds(static_cast<std::int64_t>(key >> 32)), static_cast<SourceId>(key)};
  }

  void siftUp(std::size_t hole, Key key) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (keys_[parent] < key) break;
      keys_[hole] = keys_[parent];
      hole = parent;
    }
    keys_[hole] = key;
  }

  void siftDown(Key key) {
    const std::size_t size = keys_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = hole * kArity + 1;
      if (first >= size) break;
      const std::size_t end = first + kArity < size ? first + kArity : size;
      std::size_t least = first;
      // Full nodes without a branch: which child is least is a coin toss to a branch predictor.
      if (end - first == kArity) {
        const std::size_t low = first + (keys_[first + 1] < keys_[first] ? 1 : 0);
        const std::size_t high = first + 2 + (keys_[first + 3] < keys_[first + 2] ? 1 : 0);
        least = keys_[high] < keys_[low] ? high : low;
      } else {
        for (std::size_t child = first + 1; child < end; ++child) {
          if (keys_[child] < keys_[least]) least = child;
        }
      }
      if (key < keys_[least]) break;
      keys_[hole] = keys_[least];
      hole = least;
    }
    keys_[hole] = key;
  }

  std::vector<Key> keys_;
};

}  // namespace plumbline::fabric
