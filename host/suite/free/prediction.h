// Results of a fast-forwarded workload: times, and their accuracy.
#pragma once

#include <optional>

#include "bench/json/transport_json.h"
#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Adds tables, KPIs, primary figure, anomalies and summary. No packets of this workload were
// simulated, and nothing in it is random: all `trials` are the same.
void addPrediction(const std::vector<workload::JobSpec>& jobs,
                   const std::optional<bench::TransportSpec>& transport, const Repetitions& trials,
                   ResultBuilder& builder);

}  // namespace plumbline::suite
