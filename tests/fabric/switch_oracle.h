// A second simulator of one switch, written to be obviously right: an event for every change, plain
// lists, nothing shared with the fabric but the description of what to simulate.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric::testing {

// Hosts that have frames ready at given times and obey pauses, around one store-and-forward or
// cut-through switch with a buffer per port, strict and DWRR priorities, step ECN and static PFC.
struct OracleFrame {
  HostId from = 0;
  HostId to = 0;
  std::int64_t length = 0;
  unsigned priority = 0;
  bool ect = false;
  std::int64_t ready_ps = 0;  // at its host
};

// What became of a frame.
struct OracleFate {
  std::int64_t host_departure_ps = -1;    // first bit leaves its host
  std::int64_t switch_departure_ps = -1;  // first bit leaves the switch; -1 if it was dropped
  std::int64_t drop_ps = -1;
  bool marked = false;

  friend bool operator==(const OracleFate&, const OracleFate&) = default;
};

struct OracleResult {
  std::vector<OracleFate> fates;  // by frame
  std::uint64_t xoffs = 0;        // XOFF decisions of the switch
  std::uint64_t xons = 0;
};

// `spec`: a single switch; of its switch the buffer per port, latency, forwarding, weights,
// quantum, ecn and pfc (static) are looked at. Frames of one host and priority in ascending order
// of time.
OracleResult oracleRun(const FabricSpec& spec, const std::vector<OracleFrame>& frames);

}  // namespace plumbline::fabric::testing
