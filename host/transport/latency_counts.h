// Buffer of latencies in front of a histogram.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/paged_memory.h"
#include "stats/histogram.h"

namespace plumbline::transport {

// The cells of a host's histogram are seldom cached when a packet arrives, and eight of them fill a
// line; here, 32 do. Most latencies of a host lie within the four octaves around its first one:
// they are counted with 16 bits until moveTo(), or until a cell could overflow.
class LatencyCounts {
 public:
  // Counts `value`, now or with moveTo().
  void record(std::uint64_t value, stats::Histogram& histogram) {
    const std::uint32_t cell = stats::histogramBucket(value) - first_bucket_;
    if (cell >= cells_.size()) {
      recordOutOfRange(value, histogram);
      return;
    }
    ++cells_[cell];
    minimum_ = value < minimum_ ? value : minimum_;
    maximum_ = value > maximum_ ? value : maximum_;
    sum_ += value;
    if (++count_ == kMax) moveTo(histogram);
  }
  // Moves the remaining counts.
  void moveTo(stats::Histogram& histogram) {
    if (count_ == 0) return;
    histogram.recordCells(first_bucket_, std::span(cells_.data(), cells_.size()), minimum_,
                          maximum_, sum_);
    std::fill_n(cells_.data(), cells_.size(), std::uint16_t{0});
    minimum_ = ~std::uint64_t{0};
    maximum_ = sum_ = 0;
    count_ = 0;
  }

 private:
  static constexpr std::size_t kCells = 512;
  static constexpr std::uint32_t kBelow = 128;  // number of cells below the first latency's
  static constexpr std::uint32_t kMax = 65535;  // limit at which no cell can overflow

  // The first value, or one outside the octaves around it.
  [[gnu::noinline]] void recordOutOfRange(std::uint64_t value, stats::Histogram& histogram) {
    if (cells_.size() != 0) {
      histogram.record(value);
      return;
    }
    // Below 2^40, for the sum.
    constexpr std::uint32_t kLast = stats::kCardHistogramBuckets - kCells;
    first_bucket_ = std::min(std::max(stats::histogramBucket(value), kBelow) - kBelow, kLast);
    cells_ = PagedArray<std::uint16_t>(kCells);
    record(value, histogram);
  }

  PagedArray<std::uint16_t> cells_;
  std::uint32_t first_bucket_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t minimum_ = ~std::uint64_t{0};
  std::uint64_t maximum_ = 0;
  std::uint64_t sum_ = 0;  // of fewer than 2^16 values below 2^40
};

}  // namespace plumbline::transport
