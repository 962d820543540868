// A trial over time as charts.
#pragma once

#include "bench/trial/trial.h"
#include "suite/framework/result_builder.h"

namespace plumbline::suite {

// Charts of queues, pauses and rates over `trial`, if it recorded them: for the ports in
// TimeSeries, and for the whole fabric.
void addTimeSeries(const bench::TrialResult& trial, ResultBuilder& builder);

}  // namespace plumbline::suite
