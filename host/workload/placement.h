// Placement of the ranks of jobs on hosts.
#pragma once

#include <vector>

#include "workload/workload_spec.h"

namespace plumbline::workload {

// Number of ranks that are placed.
std::uint32_t ranksOf(const Placement& placement);

// Hosts of every job, rank by rank, in a fabric of `hosts` hosts. Throws Error(kUsage), naming the
// job, when there are not enough free hosts, an explicit one does not exist or is named twice in
// one job, or a parameter is invalid.
std::vector<std::vector<HostId>> placeJobs(const std::vector<JobSpec>& jobs, std::uint32_t hosts);

}  // namespace plumbline::workload
