#include "suite/framework/iteration_overlap.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::suite {

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

void IterationOverlap::add(std::span<const bench::TrialResult> trials, std::size_t job,
                           const std::string& where) {
  for (const bench::TrialResult& trial : trials) {
    if (!trial.fabric || job >= trial.fabric->jobs.size()) continue;
    const double overlap = overlapOf(trial.fabric->jobs[job]);
    if (overlap <= most_) continue;
    most_ = overlap;
    where_ = where;
  }
}

void IterationOverlap::report(ResultBuilder& builder) const {
  constexpr double kNoted = 0.01;
  if (most_ < kNoted) return;
  builder.anomaly(
      fmt::format(
          "iterations overlap: ranks begin the next one before others have finished, and the "
          "times of iterations add up to {:.3g} times what they take together. Times and "
          "bandwidths "
          "of iterations are of each by itself: the job carries up to that many times as much",
          1 + most_),
      where_);
}

}  // namespace plumbline::suite
