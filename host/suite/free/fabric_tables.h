// What endpoints and fabric counted while a workload ran, and what simulating it took.
#pragma once

#include <string>

#include "suite/framework/result_builder.h"
#include "suite/free/repetitions.h"

namespace plumbline::suite {

// Table and KPIs of the fabric; returns the summary's sentence.
std::string addFabric(const Repetitions& trials, ResultBuilder& builder);

// Table and KPIs of the endpoints, and the latency of their packets.
void addEndpoints(const Repetitions& trials, ResultBuilder& builder);

// The table of what the simulation cost: no KPIs, for it says nothing about the DUT.
void addCost(const Repetitions& trials, ResultBuilder& builder);

}  // namespace plumbline::suite
