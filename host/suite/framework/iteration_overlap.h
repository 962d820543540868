// Iterations of a job that overlap: their times are no part of the job's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/result_builder.h"

namespace plumbline::suite {

// Ranks do not wait for each other between iterations. Collects points, and reports those whose
// iterations overlap by 1 % or more as one anomaly.
class IterationOverlap {
 public:
  // A point, or a job: number `job` of each trial. Of several trials the largest overlap.
  void add(std::span<const bench::TrialResult> trials, std::size_t job, const std::string& where);
  void report(ResultBuilder& builder) const;

 private:
  struct Overlap {
    double share = 0;  // of the time that they take together
    std::string where;
  };
  std::vector<Overlap> overlaps_;
  std::size_t points_ = 0;
};

}  // namespace plumbline::suite
