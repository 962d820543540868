// The figures of a MoeProgram, from its ranks' records.
#pragma once

#include <vector>

#include "workload/iteration_result.h"
#include "workload/moe_result.h"
#include "workload/moe_task.h"

namespace plumbline::workload {

// Layers that all ranks finished, in their order. `ranks`: all of the job.
std::vector<IterationResult> moeLayers(const MoeProgram& program,
                                       const std::vector<const MoeTask*>& ranks);
// `start`: of the job.
MoeResult moeResult(const MoeProgram& program, const MoePlan& plan,
                    const std::vector<const MoeTask*>& ranks, Picoseconds start);

}  // namespace plumbline::workload
