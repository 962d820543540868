// Topologies for tests, and shortest paths by Floyd and Warshall: nothing of
// fabric/topology/routing.h.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "fabric/topology/routing.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric::testing {

TopologySpec clos2(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts_per_leaf);
TopologySpec clos3(std::uint32_t pods, std::uint32_t leaves, std::uint32_t spines,
                   std::uint32_t superspines, std::uint32_t hosts_per_leaf);
TopologySpec rail(std::uint32_t servers, std::uint32_t rails, std::uint32_t servers_per_leaf,
                  std::uint32_t spines);
TopologySpec pools(std::uint32_t prefill, std::uint32_t decode, std::uint32_t spines,
                   std::uint32_t hosts_per_leaf);
// A valid graph: 2 to 12 switches, joined by a random tree and some more cables (parallel ones as
// well), 2 to 10 hosts.
TopologySpec randomGraph(std::mt19937_64& random);

inline constexpr int kUnreachable = 1'000'000;

// Hops between switches by switch number, over links that are not `down` (by link; none if empty).
using Distances = std::vector<std::vector<int>>;
Distances floydWarshall(const Topology& topology, const std::vector<bool>& down = {});

// The links on which switch number `from` begins a shortest path to `to`, ascending.
std::vector<LinkId> shortestFirstLinks(const Topology& topology, const Distances& distances,
                                       std::uint32_t from, std::uint32_t to,
                                       const std::vector<bool>& down = {});

// The link on which switch number `from` sends flow `flow_hash` to host `to` by ECMP.
LinkId ecmpLink(const Routing& routing, std::uint32_t from, std::uint32_t to,
                std::uint32_t flow_hash);

}  // namespace plumbline::fabric::testing
