// What can be said of a job that is a mixture of experts before its tokens are routed.
#pragma once

#include "workload/workload_spec.h"

namespace plumbline::workload {

// `job` is one, on so many ranks. Throws Error(kUsage) as checkMoe(), and for a verb that cannot
// be. Costs nothing that grows with tokens or pairs of ranks.
void checkMoeJob(const JobSpec& job, std::uint32_t ranks);

}  // namespace plumbline::workload
