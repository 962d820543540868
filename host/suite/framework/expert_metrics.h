// Figures of mixtures of experts, of a trial's job that is one. Three bandwidths, which are never
// called by one word: docs/model/moe.md, "Bandwidths".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/reading.h"
#include "workload/moe_result.h"

namespace plumbline::suite {

// Mean of times [us]; nothing of none.
std::optional<double> meanMicroseconds(const std::vector<Picoseconds>& times);

// Of a rank [GB/s, 10^9 bytes per second], over the mean time of its dispatches or combines.
// Nothing where there are none, or they take no time.
// All selections of its tokens, those of its own experts and server included.
std::optional<double> logicalGigabytes(const workload::MoeResult& moe,
                                       const workload::MoePhaseResult& phase);
// Payload that goes to another server, once.
std::optional<double> fabricGigabytes(const workload::MoeResult& moe,
                                      const workload::MoePhaseResult& phase);
// What the wire of a host carries one way: headers, preambles, gaps and acknowledgements included.
// Over the round trips, which is dispatches alone where there is no combine. Of a trial that does
// nothing else than its job 0.
std::optional<double> wireGigabytes(const bench::TrialResult& trial);

// Selections that were dropped, of all [%].
double droppedPercent(const workload::MoeResult& moe);

}  // namespace plumbline::suite
