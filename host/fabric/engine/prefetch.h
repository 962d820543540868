// Fetching memory into the cache before it is needed. All of host/fabric fetches through these
// functions. Fetching changes no result; a wrong address costs time but is otherwise ignored.
//
// It pays where the next addresses are known several packets ahead and are rarely in the first
// cache: packets in propagation queues, egress ports of a sorted batch, the nodes of a turn.
//
// Forced inline: g++ takes a function that only fetches for one without effect, and drops calls
// of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumbline::fabric {

inline constexpr std::size_t kCacheLineBytes = 64;

// The cache line of `address` will be read, or written.
[[gnu::always_inline]] inline void prefetchToRead(const void* address) {
  __builtin_prefetch(address);
}
[[gnu::always_inline]] inline void prefetchToWrite(const void* address) {
  __builtin_prefetch(address, 1);
}

// The lines of `bytes` from `first` on will be read, or written: an object larger than a line, or
// items next to each other.
[[gnu::always_inline]] inline void prefetchRangeToRead(const void* first, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kCacheLineBytes) {
    prefetchToRead(static_cast<const char*>(first) + i);
  }
}
[[gnu::always_inline]] inline void prefetchRangeToWrite(const void* first, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kCacheLineBytes) {
    prefetchToWrite(static_cast<const char*>(first) + i);
  }
}

// Item `index` of an array will be written: the place of a queue's next append. The index may be
// past the end, and `items` null if the array has not been allocated; computed without a branch
// and without arithmetic on a null pointer.
template <typename T>
[[gnu::always_inline]] inline void prefetchItemToWrite(const T* items, std::size_t index) {
  const auto first = reinterpret_cast<std::uintptr_t>(items);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): see above
  prefetchToWrite(reinterpret_cast<const void*>(first + index * sizeof(T)));
}

}  // namespace plumbline::fabric
