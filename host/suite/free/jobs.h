// Results of the jobs of a workload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Point of the KPIs of the whole workload, next to those of its jobs.
inline constexpr const char* kWholeWorkload = "workload";

// Names for tables and KPIs, one for each job: its own, with its number if several have the same,
// or if it is kWholeWorkload.
std::vector<std::string> jobLabels(const std::vector<workload::JobSpec>& jobs);

// Whether the ranks of `job` wait for each other between iterations. The barrier's messages of 8
// bytes open flows of their own, which say nothing about fairness: such a job has no JFI.
bool hasBarrier(const workload::JobSpec& job);

// Bandwidths of a collective whose iterations take `time` each, by the formulas of the terminology
// draft (workload/formulas.h) [Gb/s]. Nothing for a job that computes or has several kinds of
// collectives, nor without a time.
struct CollectiveBandwidths {
  double algorithm = 0;
  double bus = 0;
};
std::optional<CollectiveBandwidths> collectiveBandwidths(const workload::JobSpec& job,
                                                         Picoseconds time);

// Tables, KPIs, primary figures, repeatability and distributions of `jobs`, which the trials ran;
// and the summary's sentence of each job. Bandwidths of collectives are those of the terminology
// draft (workload/formulas.h).
std::string addJobs(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                    ResultBuilder& builder);

}  // namespace plumbline::suite
