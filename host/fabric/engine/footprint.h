// What a fabric takes, known from its specification before any of it is built.
#pragma once

#include <cstdint>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

struct Footprint {
  std::uint64_t hosts = 0;
  std::uint64_t switches = 0;
  std::uint64_t links = 0;   // directions: two of each cable
  std::uint64_t routes = 0;  // entries of the routing tables: switches by edge switches
  double bytes = 0;          // memory of the graph, its routes and what its links and ports keep
};

// Of a valid `spec`. The bytes are an estimate: docs/simulation-speed.md, "Memory".
Footprint footprintOf(const TopologySpec& spec);

}  // namespace plumbline::fabric
