// A workload over flows that share links max-min fairly: no packets.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "bench/flow/max_min.h"
#include "workload/workload.h"

namespace plumbline::bench {

// The path of messages from one host to another.
struct FlowPath {
  std::vector<LinkUse> uses;    // of the links on the path
  Picoseconds there;            // from a message's end at the sender to its arrival
  Picoseconds acknowledgement;  // from there to its completion
};

struct FlowNetwork {
  std::vector<double> capacities;  // of links [bytes/ps]
  std::map<std::pair<workload::HostId, workload::HostId>, FlowPath> paths;
};

struct FlowRun {
  std::vector<workload::JobResult> jobs;
  Picoseconds end;
  std::vector<double> carried;     // payload, by link [bytes]
  std::uint64_t rate_changes = 0;  // of connections
};

// Runs `spec` on `hosts` hosts to its end, with the same applications that run above the packet
// level. Messages of one sender, receiver and flow (QP, PDC) leave one after the other; a flow with
// messages sends at its max-min fair rate, which changes whenever any flow starts or stops. Throws
// Error(kTester) for a message between hosts without a path.
FlowRun runFlowLevel(const workload::WorkloadSpec& spec, std::uint32_t hosts,
                     const FlowNetwork& network);

}  // namespace plumbline::bench
