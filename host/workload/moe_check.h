// Checks of a mixture-of-experts job that are possible before its tokens are routed.
#pragma once

#include "workload/workload_spec.h"

namespace plumbline::workload {

// `job` is such a job, on `ranks` ranks. Throws Error(kUsage) as checkMoe(), and for an invalid
// verb. Its cost does not grow with tokens or pairs of ranks.
void checkMoeJob(const JobSpec& job, std::uint32_t ranks);

}  // namespace plumbline::workload
