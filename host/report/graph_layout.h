// Layout of the switches of a drawn fabric: rows by their distance from the hosts, and an order
// within each row.
#pragma once

#include <vector>

#include "fabric/topology/topology.h"

namespace plumbline::report {

// Switches in rows, the nearest to the hosts first, each in order of number; those that no host
// reaches are in the last row. Two switches with a cable are in one row or in neighbouring ones.
std::vector<std::vector<fabric::NodeId>> switchRows(const fabric::Topology& graph);

// The same rows, each in an order with few crossings, in which switches that are cabled within a
// row are adjacent where possible. Ties are broken by number. Fabrics of more than
// kMaxOrderedSwitches switches stay in order of number.
inline constexpr std::size_t kMaxOrderedSwitches = 48;
std::vector<std::vector<fabric::NodeId>> orderedRows(const fabric::Topology& graph);

}  // namespace plumbline::report
