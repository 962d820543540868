// Figures of a trial's job that is a mixture of experts. It has three different bandwidths:
// docs/model/moe.md, "Bandwidths".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/reading.h"
#include "workload/moe_result.h"

namespace plumbline::suite {

// Mean of times [us]; nothing without times.
std::optional<double> meanMicroseconds(const std::vector<Picoseconds>& times);
// Mean time from a dispatch to the end of its combine [us]; nothing where either sent nothing.
std::optional<double> roundTripMicroseconds(const workload::MoeResult& moe);

// Per rank [GB/s, 10^9 bytes per second], over the mean time of its dispatches or combines. Nothing
// without any, or if they take no time. Counts all selections of its tokens, including its own
// experts and server.
std::optional<double> logicalGigabytes(const workload::MoeResult& moe,
                                       const workload::MoePhaseResult& phase);
// Payload to other servers, counted once.
std::optional<double> fabricGigabytes(const workload::MoeResult& moe,
                                      const workload::MoePhaseResult& phase);
// Load of a host's wire in one direction: headers, preambles, gaps and acknowledgements included.
// Over the round trips (dispatches alone without combine). For a trial with job 0 only.
std::optional<double> wireGigabytes(const bench::TrialResult& trial);

// Selections that were dropped, of all [%].
double droppedPercent(const workload::MoeResult& moe);

}  // namespace plumbline::suite
