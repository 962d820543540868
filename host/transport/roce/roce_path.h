// Properties of a queue pair that the network sees: its number, and the hash that spreads its
// packets.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "transport/roce/roce_packet.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::transport {

// The QP number of `host`'s queue pair `flow` at its peer; its lower 24 bits are the destination QP
// of the packets that `host` sends.
inline std::uint32_t roceQpNumber(std::uint32_t host, std::uint32_t flow) {
  return host << 8 | flow;
}

// Packet::flow_hash of data from `self` to `peer` on queue pair `flow`, except for spraying hosts,
// whose packets each have a hash of their own. `seed`: the fabric's.
inline std::uint32_t roceFlowHash(const RoceSpec& spec, std::uint64_t seed, std::uint32_t self,
                                  std::uint32_t peer, std::uint32_t flow) {
  const std::uint64_t both = static_cast<std::uint64_t>(self) << 16 | peer;
  const std::uint64_t entropy = both << 8 | (spec.shared_source_port ? 0 : flow);
  const std::uint64_t port = kFirstSourcePort | (mix64(mix64(seed) ^ entropy) & (kSourcePorts - 1));
  return static_cast<std::uint32_t>(mix64(both << 16 | port));
}

}  // namespace plumbline::transport
