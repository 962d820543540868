// The hash by which a switch spreads flows over equal paths.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace plumbline::fabric {

// The index in [0, count) that the upper half of `hash` falls on; count > 0.
constexpr std::uint32_t scaleHash(std::uint64_t hash, std::uint32_t count) {
  return static_cast<std::uint32_t>((hash >> 32) * count >> 32);
}

// Index in [0, count) of the path that a switch with `seed` takes for a flow: uniform over flows,
// constant for one flow, and independent between switches with different seeds.
constexpr std::uint32_t ecmpChoice(std::uint32_t flow_hash, std::uint64_t seed,
                                   std::uint32_t count) {
  return scaleHash(mix64(flow_hash ^ seed), count);
}

// The flow hash of a switch that also hashes the destination QP of the BTH.
constexpr std::uint32_t qpFlowHash(std::uint32_t flow_hash, std::uint32_t connection) {
  // An odd factor keeps different QPs of one 5-tuple different.
  return flow_hash ^ (connection * 0x9E3779B1U);
}

}  // namespace plumbline::fabric
