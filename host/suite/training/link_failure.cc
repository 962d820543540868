#include "suite/training/link_failure.h"

#include <algorithm>
#include <cmath>

namespace plumbline::suite {
namespace {

constexpr std::size_t kGoodputWindow = 20;  // samples
constexpr double kGoodputShare = 0.9;

// Payload that had arrived by the end of each sample, all flows; before the first one nothing.
std::vector<double> arrived(const bench::Samples& samples) {
  std::vector<double> totals{0};
  totals.reserve(samples.samples.size() + 1);
  for (const bench::Sample& sample : samples.samples) {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : sample.received) sum += bytes;
    totals.push_back(static_cast<double>(sum));
  }
  return totals;
}

}  // namespace

std::optional<Picoseconds> goodputBack(const bench::Samples& samples, Picoseconds failure,
                                       Picoseconds fall_by, Picoseconds until) {
  const std::vector<double> totals = arrived(samples);
  const auto at = [&](std::size_t begin) { return totals[begin + kGoodputWindow] - totals[begin]; };
  // Whole samples before the failure; later windows begin with the next one.
  const auto before = static_cast<std::size_t>(failure / samples.interval);
  const std::size_t known =
      std::min(totals.size() - 1, static_cast<std::size_t>(until / samples.interval));
  if (before < kGoodputWindow || before + kGoodputWindow > known) return std::nullopt;
  double threshold = kGoodputShare * totals[before] / static_cast<double>(before) * kGoodputWindow;
  for (std::size_t begin = 0; begin + kGoodputWindow <= before; ++begin) {
    threshold = std::min(threshold, at(begin));
  }
  const bool exact = samples.interval * static_cast<std::int64_t>(before) == failure;
  bool fell = false;
  for (std::size_t begin = before + (exact ? 0 : 1); begin + kGoodputWindow <= known; ++begin) {
    const bool low = at(begin) < threshold;
    if (fell && !low) return samples.interval * static_cast<std::int64_t>(begin) - failure;
    if (!fell && samples.interval * static_cast<std::int64_t>(begin) > fall_by) break;
    fell = fell || low;
  }
  return fell ? std::nullopt : std::optional(Picoseconds(0));
}

std::optional<Picoseconds> lastLoss(const bench::Samples& samples, Picoseconds failure) {
  if (samples.last_drop < failure || samples.last_drop == Picoseconds(0)) return std::nullopt;
  return samples.last_drop - failure;
}

std::optional<IterationsDuring> iterationsDuring(const bench::JobOutcome& job, Picoseconds from,
                                                 Picoseconds to) {
  std::optional<IterationsDuring> all;
  for (std::size_t i = 0; i < job.iteration_starts.size(); ++i) {
    const Picoseconds start = job.iteration_starts[i];
    const Picoseconds time = job.iterations.at(i);
    if (start > to || start + time <= from) continue;
    if (!all) all.emplace();
    all->longest = std::max(all->longest, time);
    all->end = std::max(all->end, start + time);
  }
  return all;
}

std::uint64_t lostOtherwise(const bench::TrialResult& trial) {
  const fabric::LinkCounters& total = trial.fabric->total;
  const auto of = [&](fabric::DropReason reason) { return total.dropsBy(reason); };
  return total.dropped() - of(fabric::DropReason::kLinkDown) - of(fabric::DropReason::kNoRoute);
}

Picoseconds nearestRank(std::vector<Picoseconds> times, double quantile) {
  const double rank = std::ceil(quantile * static_cast<double>(times.size()));
  const auto place = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(times.begin(), times.begin() + place, times.end());
  return times[static_cast<std::size_t>(place)];
}

std::size_t samplesNeeded(double quantile) {
  constexpr double kBeyond = 10;
  return static_cast<std::size_t>(std::llround(kBeyond / (1 - quantile)));
}

}  // namespace plumbline::suite
