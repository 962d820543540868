// What the NICs of ordinary hosts counted during a test, for its result.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "results/test_result.h"

namespace plumbline::suite {

// Adds a table of all counters, by their names, and a table and KPIs of the figures that
// bench/sim/nic_figures.h makes of them; nothing where there are no counters. Of each port or
// device that counts a figure it is the sum of its counters, which the KPI's point names: what
// drivers count differs.
void addNicCounters(const std::map<std::string, std::uint64_t>& counters,
                    results::TestResult& result);

}  // namespace plumbline::suite
