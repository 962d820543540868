// What failing links do to a serving system: a trial with the failure held against the same trial
// without it. Both have the same requests and are the same up to the failure.
//
// The outage lasts from the failure until all switches route around it and every sender has timed
// out since: convergence c, then the timer that runs, which has doubled up to c plus the first
// timeout. Of links that come back it lasts as long after that. What a transfer that is under way
// in the outage takes longer than without the failure is its delay; it counts as delayed from a
// tenth of c on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/topology/topology.h"
#include "suite/inference/serving_trial.h"

namespace plumbline::suite {

// Links that fail at one time.
struct LinkFailure {
  std::string what;                   // "uplink of a prefill leaf"
  std::vector<std::string> elements;  // "leaf0-spine0"; none: nothing fails
};

// Nothing, and one of each kind that the topology has: an uplink of the first prefill NIC's leaf,
// a link between switches that hosts are not on, a link of the first decode NIC's leaf; two of the
// first kind, and the first and third together, where a path is left. Only nothing where prefill
// and decode are on one switch.
std::vector<LinkFailure> servingFailures(const TestConfig& config,
                                         const serving::ServingProgram& program);

// When the links go down, and come back (fabric::kNever: never).
struct Outage {
  Picoseconds down;
  Picoseconds up;
  Picoseconds settled;    // see above
  Picoseconds threshold;  // a delay that counts
};
Outage outageOf(const bench::TrialSpec& spec, Picoseconds down, Picoseconds up);

struct LinkImpact {
  std::size_t transfers = 0;  // requests whose KV cache was under way in the outage
  std::size_t delayed = 0;
  // Longest delay of a transfer, and from the failure until the last delayed one had arrived [ms];
  // nothing where one of them did not arrive. 0: none was delayed.
  std::optional<double> disruption_ms;
  std::optional<double> recovery_ms;
  // Of requests that waited for their first token in the outage: the longest TTFT less the P99
  // without failure, and the largest difference to the same request without failure [ms]. Nothing
  // where one got none.
  std::optional<double> ttft_above_p99_ms;
  std::optional<double> ttft_rise_ms;
};
// Throws Error(kTester) for trials whose requests are not the same.
LinkImpact linkImpact(const serving::ServingResult& failed, const serving::ServingResult& intact,
                      const Outage& outage);

// Tokens that did not come in a time, of those that came in it without failure [%]: by the samples
// that it touches. Nothing without tokens.
std::optional<double> tokensLost(const serving::ServingResult& failed,
                                 const serving::ServingResult& intact, Picoseconds from,
                                 Picoseconds to);

// Payload that arrived from the end of the outage to the end of the load, of that without failure
// [%]. Nothing where there is no sample in between.
std::optional<double> rateAfter(const bench::TrialResult& failed, const bench::TrialResult& intact,
                                const Outage& outage, Picoseconds end);

// Of the bytes that prefill NICs sent, those that crossed the elements, from a trial in which they
// did not fail [%].
std::optional<double> trafficOn(const TestConfig& config, const serving::ServingProgram& program,
                                const std::vector<std::string>& elements,
                                const bench::TrialResult& intact);

}  // namespace plumbline::suite
