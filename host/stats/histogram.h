// Log-linear histogram of non-negative integers (latencies in ps). Below 2^40 it has the same
// buckets as the card's RX path (docs/card.md, "Per group"), and continues in the same way above,
// where the card has a single bucket.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumbline::stats {

// Values below 2^8 have a bucket each, those of every octave above share 128: any value of 64 bits
// has its bucket.
inline constexpr std::uint32_t kHistogramLinearBits = 8;
inline constexpr std::uint32_t kHistogramSubBuckets = 128;
inline constexpr std::uint32_t kHistogramBuckets = 7424;
// The card's: as many as there are below 2^40; the last of them also has all values above.
inline constexpr std::uint32_t kCardHistogramTopBit = 40;
inline constexpr std::uint32_t kCardHistogramBuckets = 4352;

// Bucket of `value`: value itself below 256, else shift*128 + (value >> shift) with
// shift = floor(log2 value) - 7. A bucket is at most 1/128 of its lower bound wide.
constexpr std::uint32_t histogramBucket(std::uint64_t value) {
  if (value >> kHistogramLinearBits == 0) return static_cast<std::uint32_t>(value);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(value)) - kHistogramLinearBits;
  return shift * kHistogramSubBuckets + static_cast<std::uint32_t>(value >> shift);
}
// The same in the card.
constexpr std::uint32_t cardHistogramBucket(std::uint64_t value) {
  return value >> kCardHistogramTopBit != 0 ? kCardHistogramBuckets - 1 : histogramBucket(value);
}
// Smallest value of a bucket, and the smallest value of the next one; for the last bucket 2^64 - 1.
// `bucket` < kHistogramBuckets.
std::uint64_t bucketLowerBound(std::uint32_t bucket);
std::uint64_t bucketUpperBound(std::uint32_t bucket);

// Counts per bucket with exact count, sum, minimum and maximum. Values have no unit here; callers
// use picoseconds. Merging is exact and associative.
class Histogram {
 public:
  Histogram();

  void record(std::uint64_t value, std::uint64_t times = 1);
  // `cells[i]` values in bucket first_bucket + i, at least one of which is not 0, with the exact
  // minimum, maximum and sum of all of them. first_bucket + cells.size() <= kHistogramBuckets.
  void recordCells(std::uint32_t first_bucket, std::span<const std::uint16_t> cells,
                   std::uint64_t minimum, std::uint64_t maximum, std::uint64_t sum);
  void merge(const Histogram& other);

  // Rebuilds a histogram from hardware counters: `cells[i]` frames in bucket first_bucket + i, with
  // the exact minimum, maximum and 96-bit sum (high, low) of the same frames. If the card's last
  // bucket is the last occupied one and the maximum lies above it, its frames are saturated().
  // Throws Error(kTester) when the parts contradict each other (count, or extremes outside the
  // occupied buckets).
  static Histogram fromHardware(std::uint32_t first_bucket, const std::vector<std::uint64_t>& cells,
                                std::uint64_t minimum, std::uint64_t maximum,
                                std::uint32_t sum_high, std::uint64_t sum_low);

  [[nodiscard]] std::uint64_t count() const;
  // Values known only to lie between the lower bound of the card's last bucket and the maximum: the
  // card counts everything from 2^40 ps on in that bucket.
  [[nodiscard]] std::uint64_t saturated() const { return saturated_; }
  [[nodiscard]] std::uint64_t minimum() const;  // 0 when empty
  [[nodiscard]] std::uint64_t maximum() const;  // 0 when empty
  [[nodiscard]] double mean() const;            // 0 when empty; exact sum / count
  // Smallest value v such that at least `q` (0..1] of the values are <= v, taken as the middle of
  // its bucket clamped to [minimum, maximum]: relative error <= 0.4 %. Among saturated() values it
  // is the maximum, the only known bound. 0 when empty.
  [[nodiscard]] std::uint64_t quantile(double q) const;

  struct Cell {
    std::uint32_t bucket;
    std::uint64_t count;
  };
  // Occupied buckets in ascending order.
  [[nodiscard]] std::vector<Cell> cells() const;
  // An occupied bucket, cut to the exact extremes.
  struct Slice {
    double low = 0;
    double middle = 0;  // value that quantile() returns for the bucket
    double high = 0;
    double count = 0;
  };
  // cells() as positions on an axis whose unit is `unit` of the histogram's own.
  [[nodiscard]] std::vector<Slice> slices(double unit) const;

  // Memory of its counts [bytes]: 1 KiB for each octave between its extremes.
  [[nodiscard]] std::size_t countBytes() const { return counts_.capacity() * sizeof(counts_[0]); }

  // The exact sum as (high, low) 64-bit halves.
  [[nodiscard]] std::uint64_t sumHigh() const;
  [[nodiscard]] std::uint64_t sumLow() const;

 private:
  void addSum(std::uint64_t high, std::uint64_t low);
  // Allocates the buckets from `first` to `last`, in whole octaves: there are thousands of hosts
  // with several histograms each, of few values close together, or none.
  void reach(std::uint32_t first, std::uint32_t last) {
    if (first < first_bucket_ || last - first_bucket_ >= counts_.size()) extend(first, last);
  }
  void extend(std::uint32_t first, std::uint32_t last);
  // The count of an allocated bucket.
  [[nodiscard]] std::uint64_t& at(std::uint32_t bucket) { return counts_[bucket - first_bucket_]; }
  // The bucket after the last one of counts_.
  [[nodiscard]] std::uint32_t endBucket() const {
    return first_bucket_ + static_cast<std::uint32_t>(counts_.size());
  }

  std::vector<std::uint64_t> counts_;  // of the octaves between the extremes
  std::uint32_t first_bucket_ = 0;     // whose count is the first
  std::uint64_t saturated_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t minimum_ = 0;
  std::uint64_t maximum_ = 0;
  std::uint64_t sum_high_ = 0;
  std::uint64_t sum_low_ = 0;
};

}  // namespace plumbline::stats
