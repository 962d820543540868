#include "suite/training/link_failure.h"

#include <algorithm>
#include <cmath>

#include "bench/trial/longest_frame.h"
#include "fabric/topology/topology.h"

namespace plumbline::suite {
namespace {

constexpr std::size_t kGoodputWindow = 20;  // samples
constexpr double kGoodputShare = 0.9;

// Payload that arrived in windows of samples, all flows, until the job's end.
class Goodput {
 public:
  explicit Goodput(const JobSamples& job) {
    const auto known = static_cast<std::size_t>(job.until / job.samples.interval);
    totals_.reserve(known + 1);
    for (const bench::Sample& sample : job.samples.samples) {
      if (totals_.size() > known) break;
      std::uint64_t sum = 0;
      for (const std::uint64_t bytes : sample.received) sum += bytes;
      totals_.push_back(static_cast<double>(sum));
    }
  }

  // Number of whole windows; number i begins with sample i.
  [[nodiscard]] std::size_t windows() const {
    return totals_.size() > kGoodputWindow ? totals_.size() - kGoodputWindow : 0;
  }
  [[nodiscard]] double at(std::size_t begin) const {
    return totals_[begin + kGoodputWindow] - totals_[begin];
  }
  // Below which a window is low, from the first `samples`: a share of their mean, or the lowest
  // window of them. 0 where they have no window, or one in which nothing arrived.
  [[nodiscard]] double threshold(std::size_t samples) const {
    if (samples < kGoodputWindow || samples >= totals_.size()) return 0;
    double least = totals_[samples] / static_cast<double>(samples) * kGoodputWindow * kGoodputShare;
    for (std::size_t begin = 0; begin + kGoodputWindow <= samples; ++begin) {
      least = std::min(least, at(begin));
    }
    return least;
  }

 private:
  std::vector<double> totals_{0};  // by the end of each sample; before the first one nothing
};

}  // namespace

std::optional<Picoseconds> goodputBack(const JobSamples& failed, const JobSamples& intact,
                                       Picoseconds failure, Picoseconds fall_by) {
  if (failed.until == intact.until && failed.samples.flows == intact.samples.flows &&
      failed.samples.samples == intact.samples.samples) {
    return Picoseconds(0);
  }
  const Picoseconds interval = failed.samples.interval;
  const Goodput goodput(failed);
  const Goodput steady(intact);
  // Whole samples before the failure; later windows begin with the next one.
  const auto before = static_cast<std::size_t>(failure / interval);
  if (before >= goodput.windows()) return std::nullopt;
  const double threshold = goodput.threshold(before);
  if (threshold <= 0) return std::nullopt;
  const auto isFall = [&](std::size_t begin) {
    if (steady.windows() == 0) return true;
    return goodput.at(begin) < steady.at(std::min(begin, steady.windows() - 1));
  };
  const bool exact = interval * static_cast<std::int64_t>(before) == failure;
  bool fallen = false;
  Picoseconds back;
  for (std::size_t begin = before + (exact ? 0 : 1); begin < goodput.windows(); ++begin) {
    const bool low = goodput.at(begin) < threshold;
    const Picoseconds start = interval * static_cast<std::int64_t>(begin);
    if (fallen && !low) back = start - failure;
    if (!fallen && start > fall_by) break;
    fallen = low && (fallen || isFall(begin));
  }
  return fallen ? std::nullopt : std::optional(back);
}

bool knowsGoodputBefore(const JobSamples& failed, Picoseconds failure) {
  return Goodput(failed).threshold(static_cast<std::size_t>(failure / failed.samples.interval)) > 0;
}

Picoseconds lossesFrom(const bench::TrialSpec& spec, Picoseconds failure) {
  const fabric::Topology topology = fabric::buildTopology(spec.dut.topology);
  const Bytes frame = bench::longestFrame(spec);
  Picoseconds longest;
  for (const fabric::Link& link : topology.links()) {
    longest = std::max(longest, frameSlot(frame, link.rate) + link.delay);
  }
  return std::max(failure - longest, Picoseconds(0));
}

Picoseconds lossDuration(const bench::Samples& samples, Picoseconds failure) {
  if (samples.losses == 0) return {};
  return std::max(samples.last_drop - std::max(samples.first_drop, failure), Picoseconds(0));
}

std::optional<Picoseconds> lastLoss(const bench::Samples& samples, Picoseconds failure) {
  if (samples.losses == 0) return std::nullopt;
  return std::max(samples.last_drop - failure, Picoseconds(0));
}

std::optional<IterationsDuring> iterationsDuring(const bench::JobOutcome& job, Picoseconds from,
                                                 Picoseconds to) {
  std::optional<IterationsDuring> all;
  for (std::size_t i = 0; i < job.iteration_starts.size(); ++i) {
    const Picoseconds start = job.iteration_starts[i];
    const Picoseconds time = job.iterations.at(i);
    if (start > to || start + time <= from) continue;
    if (!all) all.emplace().begin = start;
    all->begin = std::min(all->begin, start);
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
