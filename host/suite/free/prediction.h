// What a fast-forwarded workload has to report: times, and how far to trust them.
#pragma once

#include <optional>

#include "bench/json/transport_json.h"
#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Tables, KPIs, primary figure, anomalies and summary. No packets of this workload were simulated,
// and nothing in it is random: `trials` are all the same.
void addPrediction(const std::vector<workload::JobSpec>& jobs,
                   const std::optional<bench::TransportSpec>& transport, const Repetitions& trials,
                   ResultBuilder& builder);

}  // namespace plumbline::suite
