// Results of the jobs of a workload.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Names for tables and KPIs, one for each job: its own, with its number if several have the same.
std::vector<std::string> jobLabels(const std::vector<workload::JobSpec>& jobs);

// Whether the ranks of `job` wait for each other between iterations. The barrier's messages of 8
// bytes open flows of their own, which say nothing about fairness: such a job has no JFI.
bool hasBarrier(const workload::JobSpec& job);

// Tables, KPIs, primary figures, repeatability and distributions of `jobs`, which the trials ran;
// and the summary's sentence of each job. Bandwidths of collectives are those of the terminology
// draft (workload/formulas.h).
std::string addJobs(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                    ResultBuilder& builder);

}  // namespace plumbline::suite
