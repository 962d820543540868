#include "stats/stationarity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "stats/summary.h"

namespace plumbline::stats {
namespace {

constexpr std::size_t kMinBatches = 4;
// Values that differ by less, relative to the largest, are equal except for rounding.
constexpr double kRounding = 1e-9;

bool isConstant(const std::vector<double>& values) {
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return *max - *min <= kRounding * std::max(std::abs(*min), std::abs(*max));
}

// Lag-1 autocorrelation of values that are not all equal. The estimate is biased by about -1 / k
// for k independent values, which is corrected.
double lagOne(const std::vector<double>& values, double mean) {
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  return products / squares + 1 / static_cast<double>(values.size());
}

// Whether the slope of the least-squares line through the values differs from 0 significantly.
bool hasTrend(const std::vector<double>& values, double mean, double confidence) {
  const auto n = static_cast<double>(values.size());
  const double middle = (n - 1) / 2;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    xx += x * x;
    xy += x * (values[i] - mean);
  }
  const double slope = xy / xx;
  double residuals = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double left = values[i] - mean - slope * (static_cast<double>(i) - middle);
    residuals += left * left;
  }
  const double error = std::sqrt(residuals / (n - 2) / xx);
  return std::abs(slope) > studentT(confidence, values.size() - 2) * error;
}

}  // namespace

StationaryMean::StationaryMean(const StationarityRule& rule) : rule_(rule) {
  const bool possible = rule.confidence > 0 && rule.confidence < 1 && rule.half_width > 0 &&
                        rule.min_batches >= kMinBatches && rule.min_batches <= kMaxCells / 4;
  if (!possible) {
    throw Error(ErrorKind::kUsage, "no series can meet this rule of stationarity", {},
                "a confidence between 0 and 1, a half-width above 0, 4 to 32 batches");
  }
}

void StationaryMean::add(double sum, std::uint64_t count) {
  open_.sum += sum;
  open_.count += count;
  if (++open_length_ < cell_length_) {
    ++observations_;
    return;
  }
  observations_ -= open_length_ - 1;
  open_length_ = 0;
  const Cell whole = std::exchange(open_, {});
  addCell(whole.sum, whole.count);
}

void StationaryMean::addCell(double sum, std::uint64_t count) {
  observations_ += cell_length_;
  cells_.push_back({sum, count});
  if (cells_.size() < kMaxCells) return;
  for (std::size_t i = 0; i < kMaxCells / 2; ++i) {
    const Cell& first = cells_[2 * i];
    const Cell& second = cells_[2 * i + 1];
    cells_[i] = {first.sum + second.sum, first.count + second.count};
  }
  cells_.resize(kMaxCells / 2);
  cell_length_ *= 2;
}

bool StationaryMean::due() const {
  constexpr std::size_t kFewCells = 32;
  const std::size_t step = cells_.size() <= kFewCells ? kJudgeEvery / 4 : kJudgeEvery;
  return open_length_ == 0 && cells_.size() >= rule_.min_batches &&
         (cells_.size() == rule_.min_batches || cells_.size() % step == 0);
}

std::optional<std::size_t> StationaryMean::warmUp() const {
  const std::size_t n = cells_.size();
  std::vector<double> values;
  values.reserve(n);
  for (const Cell& cell : cells_) {
    values.push_back(cell.count > 0 ? cell.sum / static_cast<double>(cell.count) : 0);
  }
  // For the last cells together, from the end (Welford): squared deviations from their mean, over
  // the square of their number. The last quarter is too short for a comparison.
  std::size_t best = 0;
  double min = std::numeric_limits<double>::infinity();
  double mean = 0;
  double squares = 0;
  double largest = 0;
  for (std::size_t i = n; i-- > 0;) {
    const auto count = static_cast<double>(n - i);
    const double before = values[i] - mean;
    mean += before / count;
    squares += before * (values[i] - mean);
    largest = std::max(largest, std::abs(values[i]));
    if (n - i < std::max<std::size_t>(n / 4, 1)) continue;
    const double rounding = kRounding * largest;
    const double spread = squares / count <= rounding * rounding ? 0 : squares / (count * count);
    if (spread <= min) {
      min = spread;
      best = i;
    }
  }
  if (best > n / 2) return std::nullopt;
  return best;
}

BatchMeans StationaryMean::judge() const {
  BatchMeans result;
  const std::optional<std::size_t> warm_up = warmUp();
  // During the transient the second half is the best estimate.
  const std::size_t from = warm_up.value_or(cells_.size() / 2);
  const std::size_t rest = cells_.size() - from;
  if (rest < rule_.min_batches) return result;
  const std::size_t length = rest / rule_.min_batches;
  const std::size_t batches = rest / length;
  // Cells that do not fill a batch are left out at the beginning.
  const std::size_t first = cells_.size() - batches * length;
  std::vector<double> means;
  means.reserve(batches);
  double sum = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    Cell all;
    for (std::size_t i = 0; i < length; ++i) {
      const Cell& cell = cells_[first + batch * length + i];
      all.sum += cell.sum;
      all.count += cell.count;
    }
    if (all.count == 0) return result;
    means.push_back(all.sum / static_cast<double>(all.count));
    sum += all.sum;
    result.samples += all.count;
  }
  result.batches = batches;
  result.batch_length = length * cell_length_;
  result.warm_up = first * cell_length_;
  result.mean = sum / static_cast<double>(result.samples);
  const bool enough = warm_up.has_value() && result.samples >= rule_.min_samples;
  if (isConstant(means)) {
    result.stationary = enough;
    return result;
  }
  const double centre =
      std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(batches);
  double squares = 0;
  for (const double mean : means) squares += (mean - centre) * (mean - centre);
  const auto k = static_cast<double>(batches);
  result.autocorrelation = lagOne(means, centre);
  const double r = std::clamp(result.autocorrelation, 0.0, kMaxCorrelation);
  result.half_width = studentT(rule_.confidence, batches - 1) *
                      std::sqrt(squares / (k - 1) / k * (1 + r) / (1 - r));
  result.stationary = enough && result.autocorrelation <= kMaxCorrelation &&
                      !hasTrend(means, centre, kTrendConfidence) &&
                      result.half_width <= rule_.half_width * std::abs(result.mean);
  return result;
}

}  // namespace plumbline::stats
