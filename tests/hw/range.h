// The smallest and the largest of many values, for tests that bound and print errors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>

namespace plumbline::hw_test {

struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  std::uint64_t count = 0;

  void add(std::int64_t value) {
    low = std::min(low, value);
    high = std::max(high, value);
    ++count;
  }
  // Largest distance from zero.
  [[nodiscard]] std::int64_t worst() const { return std::max(-low, high); }
};

inline std::ostream& operator<<(std::ostream& out, const Range& range) {
  return out << "[" << range.low << ", " << range.high << "] over " << range.count;
}

}  // namespace plumbline::hw_test
