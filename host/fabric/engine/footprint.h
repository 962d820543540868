// Memory of a fabric, estimated from its specification before it is built.
#pragma once

#include <cstdint>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

struct Footprint {
  std::uint64_t hosts = 0;
  std::uint64_t switches = 0;
  std::uint64_t links = 0;   // directions: two of each cable
  std::uint64_t routes = 0;  // entries of the routing tables: switches by edge switches
  double bytes = 0;          // memory of graph, routes, links and ports
};

// Of a valid `spec`. The bytes are an estimate: docs/simulation-speed.md, "Memory".
Footprint footprintOf(const TopologySpec& spec);

}  // namespace plumbline::fabric
