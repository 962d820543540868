// The trials of I12.1: a cluster of servers, half of them prefill, and its measurements, packet by
// packet or at flow level.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/framework/fabric_procedure.h"

namespace plumbline::suite {

enum class ScaleMeasure {
  kPairs,    // KV cache from each prefill server to a decode server of its own, without pause
  kExperts,  // dispatches of groups of experts side by side
  kServing,  // requests in proportion to the servers
};

struct ScaleCell {
  std::uint32_t nodes = 2;  // servers
  ScaleMeasure measure = ScaleMeasure::kPairs;
  bool flows = false;  // at flow level
};

// Servers of the largest cluster that the DUT has hosts for, an even number.
std::uint32_t maxNodes(const TestConfig& config);
// Hosts of a cluster of `nodes` servers: those of its prefill servers, then of its decode servers.
// The pools grow from opposite ends of the fabric, or each in its own pool of leaves.
std::vector<std::uint32_t> clusterHosts(const TestConfig& config, std::uint32_t nodes);

// Measurements and scales, in the order of the points. Every scale at flow level; the small ones
// packet by packet as well; experts packet by packet only.
std::vector<ScaleCell> scaleCells(const TestConfig& config, Numbers& numbers);
// Adds a point for each of them, or the reason why there is none.
void addScalePoints(const TestConfig& config, const std::vector<ScaleCell>& cells, Design& design);

// Words of the table's columns.
std::string measureText(ScaleMeasure measure);
std::string levelText(bool flows);

}  // namespace plumbline::suite
