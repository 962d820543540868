#include "bench/sim/stationarity_watch.h"

#include <algorithm>

namespace plumbline::bench {

StationarityWatch::StationarityWatch(const EarlyEndSpec& spec, SimHosts& hosts)
    : spec_(spec), hosts_(hosts), series_(spec.rule) {
  const bool by_time = spec.figure != WatchedFigure::kIterationTime;
  // The first reading is at the beginning of the observation.
  due_ = by_time && spec.from > Picoseconds(0) ? spec.from : kInterval;
}

StationarityWatch::Total StationarityWatch::messages() const {
  Total total;
  for (const workload::JobResult& job : hosts_.jobResults()) {
    const stats::Histogram& times = job.total.message_time;
    total.sum += times.mean() * static_cast<double>(times.count()) / 1000;  // ps to ns
    total.count += times.count();
  }
  return total;
}

void StationarityWatch::readTime() {
  if (spec_.figure == WatchedFigure::kGoodput) {
    const std::uint64_t payload = hosts_.payloadReceived();
    if (due_ > spec_.from) {
      const auto length = static_cast<std::uint64_t>(series_.cellLength());
      // Gb/s of an interval, summed over those of the cell.
      series_.addCell(
          8e3 * static_cast<double>(payload - payload_) / static_cast<double>(kInterval.count()),
          length);
    }
    payload_ = payload;
  } else {
    const Total now = messages();
    if (due_ > spec_.from) {
      series_.addCell(now.sum - messages_.sum, now.count - messages_.count);
    }
    messages_ = now;
  }
  due_ += kInterval * static_cast<std::int64_t>(series_.cellLength());
}

void StationarityWatch::readIterations() {
  constexpr std::int64_t kParts = 64;
  const auto all = hosts_.iterations();
  for (; iterations_ < all.size() && !stationary_; ++iterations_) {
    series_.add(all[iterations_].duration().toMicroseconds(), 1);
    if (!series_.due()) continue;
    means_ = series_.judge();
    stationary_ = means_.stationary && due_ >= spec_.not_before;
  }
  if (stationary_) hosts_.endIterations();
  due_ += std::max(kInterval, due_ / kParts);
}

bool StationarityWatch::take() {
  if (stationary_) {  // the job ends by itself
    due_ += std::max(kInterval, due_);
    return false;
  }
  if (spec_.figure == WatchedFigure::kIterationTime) {
    readIterations();
    return false;
  }
  const Picoseconds now = due_;
  readTime();
  if (now < spec_.not_before || !series_.due()) return false;
  means_ = series_.judge();
  stationary_ = means_.stationary;
  return stationary_;
}

EarlyEndOutcome StationarityWatch::finish(Picoseconds end) const {
  const stats::BatchMeans means = stationary_ ? means_ : series_.judge();
  EarlyEndOutcome outcome;
  outcome.figure = spec_.figure;
  outcome.stationary = stationary_;
  outcome.confidence = spec_.rule.confidence;
  outcome.mean = means.mean;
  outcome.half_width = means.half_width;
  outcome.batches = means.batches;
  outcome.autocorrelation = means.autocorrelation;
  outcome.end = end;
  const auto observed = [](std::size_t count) {
    return kInterval * static_cast<std::int64_t>(count);
  };
  if (spec_.figure == WatchedFigure::kIterationTime) {
    outcome.warm_up_iterations = means.warm_up;
    outcome.batch_iterations = means.batch_length;
    outcome.iterations = hosts_.iterations().size();
  } else if (means.batches > 0) {
    outcome.warm_up = spec_.from + observed(means.warm_up);
    outcome.batch = observed(means.batch_length);
  }
  if (spec_.figure != WatchedFigure::kGoodput) outcome.samples = means.samples;
  return outcome;
}

}  // namespace plumbline::bench
