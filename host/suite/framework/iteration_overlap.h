// Iterations of a job that overlap: their times are no part of the job's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/trial/fabric_result.h"
#include "suite/framework/result_builder.h"

namespace plumbline::suite {

// By how much the times of a job's iterations together exceed the time from the beginning of the
// first to the end of the last; 0 where their beginnings are not known.
double overlapOf(const bench::JobOutcome& job);

// Ranks do not wait for each other between iterations. Collects points, and reports those whose
// iterations overlap by 1 % or more as one anomaly.
class IterationOverlap {
 public:
  // A point, or a job: number `job` of each trial. Of several trials the largest overlap.
  void add(std::span<const bench::TrialResult> trials, std::size_t job, const std::string& where);
  void report(ResultBuilder& builder) const;

 private:
  struct Overlap {
    double share = 0;  // of overlapOf()
    std::string where;
  };
  std::vector<Overlap> overlaps_;
  std::size_t points_ = 0;
};

}  // namespace plumbline::suite
