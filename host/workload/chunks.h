// Exact division of a buffer into parts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace plumbline::workload {

// Bytes [offset, offset + bytes) of a buffer.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// A range divided into `count` parts at multiples of `element` bytes (from the range's beginning):
// parts differ by at most one element, the larger ones come first, the last element may be short,
// and together they are the range. With fewer elements than parts the last parts are empty.
class Chunks {
 public:
  constexpr Chunks(Range whole, std::uint32_t count, std::uint32_t element = 1)
      : whole_(whole),
        element_(element),
        each_((whole.bytes + element - 1) / element / count),
        larger_((whole.bytes + element - 1) / element % count) {}

  // Part `index` <= count; index = count gives the empty range at the end.
  [[nodiscard]] constexpr Range at(std::uint32_t index) const { return span(index, index + 1); }
  // Parts `first` to `end` - 1 together.
  [[nodiscard]] constexpr Range span(std::uint32_t first, std::uint32_t end) const {
    const std::uint64_t from = beginOf(first);
    return {whole_.offset + from, beginOf(end) - from};
  }

 private:
  [[nodiscard]] constexpr std::uint64_t beginOf(std::uint64_t index) const {
    return std::min(whole_.bytes, (index * each_ + std::min(index, larger_)) * element_);
  }

  Range whole_;
  std::uint64_t element_;
  std::uint64_t each_;    // elements of a part; the first `larger_` parts have one more
  std::uint64_t larger_;  // number of parts with one element more
};

}  // namespace plumbline::workload
