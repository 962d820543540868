// The settings of a scenario, as lines of a result's configuration and of the report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fabric/spec/fabric_spec.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Names and values, in the order in which they are shown.
using ConfigurationLines = std::vector<std::pair<std::string, std::string>>;

// Buffer, forwarding, load balancing, and those of ECN, PFC, CBFC, trimming and LLR that are on.
void addSwitchConfiguration(const fabric::SwitchSpec& switches, ConfigurationLines& lines);

// Rates and delays of the cables. A graph states them cable by cable: the distinct values are
// listed, in ascending order.
void addCableRates(const fabric::TopologySpec& topology, ConfigurationLines& lines);
void addCableDelays(const fabric::TopologySpec& topology, ConfigurationLines& lines);

// A line for each job: its pattern, number of ranks and bytes.
void addJobConfiguration(const workload::WorkloadSpec& workload, ConfigurationLines& lines);

}  // namespace plumbline::suite
