// Iterations of a job that overlap: their times are no part of the job's.
#pragma once

#include <span>
#include <string>

#include "bench/trial/fabric_result.h"
#include "suite/framework/result_builder.h"

namespace plumbline::suite {

// By how much the times of a job's iterations together exceed the time from the beginning of the
// first to the end of the last; 0 where their beginnings are not known.
double overlapOf(const bench::JobOutcome& job);

// Ranks do not wait for each other between iterations. Collects over trials, and reports the point
// whose iterations overlap most, by 1 % or more, as an anomaly.
class IterationOverlap {
 public:
  // Of job number `job` of each trial.
  void add(std::span<const bench::TrialResult> trials, std::size_t job, const std::string& where);
  void report(ResultBuilder& builder) const;

 private:
  double most_ = 0;
  std::string where_;
};

}  // namespace plumbline::suite
