// Results of a fast-forwarded workload: times, and their accuracy.
#pragma once

#include "bench/trial/trial.h"
#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"

namespace plumbline::suite {

// Adds tables, KPIs, primary figure, anomalies and summary. No packets of this workload were
// simulated; `trials` differ by the paths that their seeds choose. `spec`: of the first one.
void addPrediction(const bench::TrialSpec& spec, const Repetitions& trials, ResultBuilder& builder);

}  // namespace plumbline::suite
