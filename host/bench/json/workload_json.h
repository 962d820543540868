// The hosts' workload in a trial's key.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "workload/workload_spec.h"

namespace plumbline::bench {

// Canonical: equal objects mean equal workloads. Fields that the placement's rule or the message
// pattern does not use are left out.
nlohmann::json workloadToJson(const workload::WorkloadSpec& workload);

}  // namespace plumbline::bench
