// What a fast-forwarded workload has to report: times, and how far to trust them.
#pragma once

#include <optional>

#include "bench/transport_json.h"
#include "suite/free/repetitions.h"
#include "suite/result_builder.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Tables, KPIs, primary figure, anomalies and summary. No packets of this workload were simulated,
// and nothing in it is random: `trials` are all the same.
void addPrediction(const std::vector<workload::JobSpec>& jobs,
                   const std::optional<bench::TransportSpec>& transport, const Repetitions& trials,
                   ResultBuilder& builder);

}  // namespace plumbline::suite
