#include "stats/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace plumbline::stats {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::uint32_t kCardLastBucket = kCardHistogramBuckets - 1;

constexpr Uint128 join(std::uint64_t high, std::uint64_t low) {
  return (static_cast<Uint128>(high) << 64) | low;
}

[[noreturn]] void contradiction(const std::string& what) {
  throw Error(ErrorKind::kTester, what, "latency histogram read from the card",
              "clear the card and repeat the trial");
}

}  // namespace

std::uint64_t bucketLowerBound(std::uint32_t bucket) {
  if (bucket < (1U << kHistogramLinearBits)) return bucket;
  // Inverse of shift * 128 + (value >> shift), whose second term is 128 to 255.
  const std::uint32_t shift = bucket / kHistogramSubBuckets - 1;
  return static_cast<std::uint64_t>(bucket - shift * kHistogramSubBuckets) << shift;
}

std::uint64_t bucketUpperBound(std::uint32_t bucket) {
  return bucket + 1 == kHistogramBuckets ? ~std::uint64_t{0} : bucketLowerBound(bucket + 1);
}

Histogram::Histogram() = default;

void Histogram::extend(std::uint32_t first, std::uint32_t last) {
  static_assert(kHistogramBuckets % kHistogramSubBuckets == 0);
  std::uint32_t begin = first / kHistogramSubBuckets * kHistogramSubBuckets;
  std::uint32_t end = (last / kHistogramSubBuckets + 1) * kHistogramSubBuckets;
  if (!counts_.empty()) {
    begin = std::min(begin, first_bucket_);
    end = std::max(end, endBucket());
  }
  std::vector<std::uint64_t> larger(end - begin);
  std::copy(counts_.begin(), counts_.end(),
            larger.begin() + (counts_.empty() ? 0 : first_bucket_ - begin));
  counts_ = std::move(larger);
  first_bucket_ = begin;
}

void Histogram::record(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  const std::uint32_t bucket = histogramBucket(value);
  reach(bucket, bucket);
  at(bucket) += times;
  minimum_ = count_ == 0 ? value : std::min(minimum_, value);
  maximum_ = std::max(maximum_, value);
  count_ += times;
  const Uint128 sum = static_cast<Uint128>(value) * times;
  addSum(static_cast<std::uint64_t>(sum >> 64), static_cast<std::uint64_t>(sum));
}

void Histogram::addSum(std::uint64_t high, std::uint64_t low) {
  const Uint128 sum = join(sum_high_, sum_low_) + join(high, low);
  sum_high_ = static_cast<std::uint64_t>(sum >> 64);
  sum_low_ = static_cast<std::uint64_t>(sum);
}

void Histogram::recordCells(std::uint32_t first_bucket, std::span<const std::uint16_t> cells,
                            std::uint64_t minimum, std::uint64_t maximum, std::uint64_t sum) {
  minimum_ = count_ == 0 ? minimum : std::min(minimum_, minimum);
  maximum_ = std::max(maximum_, maximum);
  const std::uint32_t first = histogramBucket(minimum);
  const std::uint32_t last = histogramBucket(maximum);
  reach(first, last);
  for (std::uint32_t bucket = first; bucket <= last; ++bucket) {
    const std::uint16_t cell = cells[bucket - first_bucket];
    at(bucket) += cell;
    count_ += cell;
  }
  addSum(0, sum);
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  reach(other.first_bucket_, other.endBucket() - 1);
  for (std::uint32_t bucket = other.first_bucket_; bucket < other.endBucket(); ++bucket) {
    at(bucket) += other.counts_[bucket - other.first_bucket_];
  }
  saturated_ += other.saturated_;
  minimum_ = count_ == 0 ? other.minimum_ : std::min(minimum_, other.minimum_);
  maximum_ = std::max(maximum_, other.maximum_);
  count_ += other.count_;
  addSum(other.sum_high_, other.sum_low_);
}

Histogram Histogram::fromHardware(std::uint32_t first_bucket,
                                  const std::vector<std::uint64_t>& cells, std::uint64_t minimum,
                                  std::uint64_t maximum, std::uint32_t sum_high,
                                  std::uint64_t sum_low) {
  if (first_bucket > kHistogramBuckets || cells.size() > kHistogramBuckets - first_bucket) {
    contradiction("cells " + std::to_string(first_bucket) + " to " +
                  std::to_string(first_bucket + cells.size()) + " exceed the " +
                  std::to_string(kHistogramBuckets) + " buckets there are");
  }
  Histogram result;
  std::uint32_t lowest = kHistogramBuckets;
  std::uint32_t highest = 0;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == 0) continue;
    const std::uint32_t bucket = first_bucket + i;
    result.reach(bucket, bucket);
    result.at(bucket) = cells[i];
    result.count_ += cells[i];
    lowest = std::min(lowest, bucket);
    highest = std::max(highest, bucket);
  }
  const Uint128 sum = join(sum_high, sum_low);
  if (result.count_ == 0) {
    // The card's extremes of an empty group are meaningless reset values.
    if (sum != 0) contradiction("the sum is not zero although every bucket is empty");
    return result;
  }
  const bool saturates = highest == kCardLastBucket && (maximum >> kCardHistogramTopBit) != 0;
  const auto bucketOf = saturates ? cardHistogramBucket : histogramBucket;
  if (saturates) result.saturated_ = result.at(kCardLastBucket);
  if (minimum > maximum || bucketOf(minimum) != lowest || bucketOf(maximum) != highest) {
    contradiction("minimum " + std::to_string(minimum) + " and maximum " + std::to_string(maximum) +
                  " are outside the first and last occupied bucket (" + std::to_string(lowest) +
                  " and " + std::to_string(highest) + ")");
  }
  // Each value lies in its bucket and between the extremes, which bounds the sum for this count.
  Uint128 min = 0;
  Uint128 max = 0;
  for (std::uint32_t bucket = lowest; bucket <= highest; ++bucket) {
    const Uint128 times = result.at(bucket);
    min += times * std::max(bucketLowerBound(bucket), minimum);
    const bool endless = saturates && bucket == kCardLastBucket;
    max += times * (endless ? maximum : std::min(bucketUpperBound(bucket) - 1, maximum));
  }
  if (sum < min || sum > max) {
    contradiction("the sum does not fit the " + std::to_string(result.count_) +
                  " values counted in the buckets");
  }
  result.minimum_ = minimum;
  result.maximum_ = maximum;
  result.sum_high_ = sum_high;
  result.sum_low_ = sum_low;
  return result;
}

std::uint64_t Histogram::count() const { return count_; }
std::uint64_t Histogram::minimum() const { return minimum_; }
std::uint64_t Histogram::maximum() const { return maximum_; }

double Histogram::mean() const {
  if (count_ == 0) return 0;
  // Dividing before rounding keeps the fraction of a picosecond for any sum.
  const Uint128 sum = join(sum_high_, sum_low_);
  const Uint128 whole = sum / count_;
  const Uint128 rest = sum % count_;
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(count_);
}

std::uint64_t Histogram::quantile(double q) const {
  if (count_ == 0) return 0;
  // The rank is computed in integers, so that 0.07 of 100 values is the 7th and not the 8th.
  const auto parts = static_cast<Uint128>(
      std::llround(std::clamp(q, 0.0, 1.0) * static_cast<double>(Fraction::kOne)));
  const auto whole = static_cast<Uint128>(Fraction::kOne);
  const Uint128 rank = std::max<Uint128>(1, (parts * count_ + whole - 1) / whole);
  Uint128 seen = 0;
  for (std::uint32_t bucket = first_bucket_; bucket < endBucket(); ++bucket) {
    seen += counts_[bucket - first_bucket_];
    if (bucket == kCardLastBucket) seen -= saturated_;
    if (seen < rank) continue;
    const std::uint64_t low = std::max(bucketLowerBound(bucket), minimum_);
    const std::uint64_t high = std::min(bucketUpperBound(bucket) - 1, maximum_);
    return low + (high - low) / 2;
  }
  return maximum_;  // one that is saturated
}

std::vector<Histogram::Cell> Histogram::cells() const {
  std::vector<Cell> occupied;
  for (std::uint32_t bucket = first_bucket_; bucket < endBucket(); ++bucket) {
    const std::uint64_t count = counts_[bucket - first_bucket_];
    if (count != 0) occupied.push_back({bucket, count});
  }
  return occupied;
}

std::vector<Histogram::Slice> Histogram::slices(double unit) const {
  const auto inside = [&](std::uint64_t value) {
    return static_cast<double>(std::clamp(value, minimum(), maximum())) / unit;
  };
  std::vector<Slice> slices;
  for (const Cell& cell : cells()) {
    // Values are integers: a bucket [a, b) holds a to b − 1; those that are saturated have no end.
    const std::uint64_t first = bucketLowerBound(cell.bucket);
    const bool endless = saturated_ > 0 && cell.bucket == kCardLastBucket;
    const std::uint64_t last = endless ? maximum() : bucketUpperBound(cell.bucket) - 1;
    slices.push_back({inside(first), inside(endless ? last : first + (last - first) / 2),
                      inside(last), static_cast<double>(cell.count)});
  }
  return slices;
}

std::uint64_t Histogram::sumHigh() const { return sum_high_; }
std::uint64_t Histogram::sumLow() const { return sum_low_; }

}  // namespace plumbline::stats
