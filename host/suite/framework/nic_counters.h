// Counters of ordinary hosts' NICs during a test, for its result.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "results/test_result.h"

namespace plumbline::suite {

// Adds a table of all counters by name, and a table and KPIs of the figures that
// bench/sim/nic_figures.h derives from them; nothing without counters. For each port or device with
// the figure it is the sum of its counters, named in the KPI's point, because drivers count
// different events.
void addNicCounters(const std::map<std::string, std::uint64_t>& counters,
                    results::TestResult& result);

}  // namespace plumbline::suite
