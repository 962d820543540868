#include "suite/framework/retry_model.h"

#include <algorithm>
#include <cmath>

namespace plumbline::suite {
namespace {

using bench::RetryTime;

// Distance of a time between `low` and `high` from that of the number of attempts, at most
// `attempts`, that it fits best.
Picoseconds residual(Picoseconds low, Picoseconds high, const RetryTime& one,
                     std::int64_t attempts) {
  const std::int64_t max = std::clamp<std::int64_t>(high / one.min, 1, attempts);
  // Fewer attempts end earlier, more begin later.
  Picoseconds best = std::max({Picoseconds(), low - one.max * max, one.min * max - high});
  if (max < attempts) best = std::min(best, one.min * (max + 1) - high);
  return best;
}

}  // namespace

double damageProbability(double ratio, double bytes) {
  return -std::expm1(8 * bytes * std::log1p(-ratio));
}

double failuresPerFrame(double ratio, double bytes) {
  return std::expm1(-8 * bytes * std::log1p(-ratio));
}

double goBackNShareAt(double load, double failures, Picoseconds slot, Picoseconds wasted) {
  const auto begun =
      Picoseconds(std::llround(load * static_cast<double>(wasted.count())) + slot.count() / 2);
  return bench::goBackNShare(failures, slot, std::max(slot, begun));
}

double retryResidual(const stats::Histogram& times, const RetryTime& one, std::uint64_t nacks) {
  if (times.count() == 0) return 0;
  const auto ps = [](std::uint64_t value) { return Picoseconds(static_cast<std::int64_t>(value)); };
  const auto attempts = static_cast<std::int64_t>(1 + nacks - std::min(nacks, times.count()));
  const Picoseconds shortest = ps(times.minimum());
  const Picoseconds longest = ps(times.maximum());
  Picoseconds worst = std::max(residual(shortest, shortest, one, attempts),
                               residual(longest, longest, one, attempts));
  for (const stats::Histogram::Cell& cell : times.cells()) {
    const Picoseconds low = std::max(shortest, ps(stats::bucketLowerBound(cell.bucket)));
    const Picoseconds high = std::min(longest, ps(stats::bucketUpperBound(cell.bucket) - 1));
    worst = std::max(worst, residual(low, high, one, attempts));
  }
  return worst.toNanoseconds();
}

}  // namespace plumbline::suite
