// Latencies on their way into a histogram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/histogram.h"

namespace plumbline::transport {

// The cells of a host's histogram are seldom in a cache when a packet arrives. Of several that are
// counted one right after the other the processor fetches many at a time.
class LatencyBatch {
 public:
  // Counts `value`, now or with moveTo().
  void record(std::uint64_t value, stats::Histogram& histogram) {
    values_[count_++] = value;
    if (count_ == values_.size()) moveTo(histogram);
  }
  // Counts what is left.
  void moveTo(stats::Histogram& histogram) {
    histogram.recordAll(std::span(values_).first(count_));
    count_ = 0;
  }

 private:
  std::array<std::uint64_t, 32> values_{};
  std::size_t count_ = 0;
};

}  // namespace plumbline::transport
