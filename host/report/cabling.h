// The cabling of a fabric, as a table and cable by cable.
#pragma once

#include <string>

#include "fabric/spec/fabric_spec.h"
#include "results/test_result.h"

namespace plumbline::report {

// A row for each kind of cable: ends, number, rate, propagation delay, and the first and last of
// them. Switches of a graph have their own names, so that a row joins two of them, or hosts to one.
results::Table cablingTable(const fabric::TopologySpec& topology);

// Every cable with its ends and their ports: RFC 4180, as renderCsv().
std::string cablingCsv(const fabric::TopologySpec& topology);

}  // namespace plumbline::report
