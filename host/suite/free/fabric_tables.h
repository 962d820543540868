// Counters of endpoints and fabric during a workload, and the cost of simulating it.
#pragma once

#include <string>
#include <vector>

#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Table and KPIs of the fabric; returns the summary's sentence.
std::string addFabric(const Repetitions& trials, ResultBuilder& builder);

// Table and KPIs of the endpoints of `jobs`, and the latency of their packets.
void addEndpoints(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                  ResultBuilder& builder);

// The table of the simulation's cost, without KPIs because it is no property of the DUT.
void addCost(const Repetitions& trials, ResultBuilder& builder);

}  // namespace plumbline::suite
