// What the mixtures of experts of a workload did.
#pragma once

#include <vector>

#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// The names of the KPIs that addExperts() can add.
std::vector<std::string> expertKpis();

// A table with a row for each job that is one, and its KPIs; nothing where there is none.
void addExperts(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                ResultBuilder& builder);

}  // namespace plumbline::suite
