#include "suite/framework/iteration_overlap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/counted.h"

namespace plumbline::suite {
namespace {

// By how much the times of a job's iterations together exceed the time from the beginning of the
// first to the end of the last; 0 where their beginnings are not known.
double overlapOf(const bench::JobOutcome& job) {
  const std::size_t count = std::min(job.iteration_starts.size(), job.iterations.size());
  if (count == 0) return 0;
  Picoseconds sum;
  Picoseconds begin = job.iteration_starts.front();
  Picoseconds end;
  for (std::size_t i = 0; i < count; ++i) {
    sum += job.iterations[i];
    begin = std::min(begin, job.iteration_starts[i]);
    end = std::max(end, job.iteration_starts[i] + job.iterations[i]);
  }
  return end > begin ? sum.toSeconds() / (end - begin).toSeconds() - 1 : 0;
}

}  // namespace

void IterationOverlap::add(std::span<const bench::TrialResult> trials, std::size_t job,
                           const std::string& where) {
  constexpr double kNoted = 0.01;
  ++points_;
  double most = 0;
  for (const bench::TrialResult& trial : trials) {
    if (!trial.fabric || job >= trial.fabric->jobs.size()) continue;
    most = std::max(most, overlapOf(trial.fabric->jobs[job]));
  }
  if (most >= kNoted) overlaps_.push_back({most, where});
}

void IterationOverlap::report(ResultBuilder& builder) const {
  if (overlaps_.empty()) return;
  constexpr std::size_t kListed = 6;
  std::vector<Overlap> sorted = overlaps_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Overlap& a, const Overlap& b) { return a.share > b.share; });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(sorted.size(), kListed); ++i) {
    texts.push_back(fmt::format("{:.3g} ({})", 1 + sorted[i].share, sorted[i].where));
  }
  builder.anomaly(
      fmt::format(
          "iterations overlap at {} of {}: ranks begin the next one before others have finished, "
          "and their times add up to more than they take together, by a factor of {}{}. Times and "
          "bandwidths of iterations are of each by itself: the job carries up to that many times "
          "as much",
          overlaps_.size(), counted(points_, "point"), fmt::join(texts, ", "),
          sorted.size() > kListed ? fmt::format(" and less at {} more", sorted.size() - kListed)
                                  : ""),
      "iterations");
}

}  // namespace plumbline::suite
