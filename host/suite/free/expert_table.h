// Results of a workload's mixtures of experts.
#pragma once

#include <vector>

#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// The names of the KPIs that addExperts() can add.
std::vector<std::string> expertKpis();

// Adds a table with a row for each such job, and its KPIs; nothing without any.
void addExperts(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                ResultBuilder& builder);

}  // namespace plumbline::suite
