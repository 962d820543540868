// Effect of failing links on a serving system: a trial with the failure compared with the same
// trial without it. Both have the same requests and are identical until the failure.
//
// The outage lasts from the failure until all switches route around it and every sender has timed
// out since: convergence c, then the running timer, which has doubled up to c plus the first
// timeout. If links come back it lasts as long again after that. A transfer in progress during the
// outage has a delay: its additional time over the trial without failure; it counts as delayed from
// a tenth of c on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/topology/topology.h"
#include "suite/inference/serving_trial.h"

namespace plumbline::suite {

// Links that fail at the same time.
struct LinkFailure {
  std::string what;                   // "uplink of a prefill leaf"
  std::vector<std::string> elements;  // "leaf0-spine0"; none: nothing fails
};

// Why a test that fails a link itself and compares with a trial without a failure cannot run;
// nothing where the scenario has no failures of its own.
std::optional<std::string> failuresRefusal(const TestConfig& config);

// No failure, and one of each kind that the topology has: an uplink of the first prefill NIC's
// leaf, a link between switches without hosts, a link of the first decode NIC's leaf; two of the
// first kind, and the first and third together, if a path remains. Only "no failure" where prefill
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
  std::size_t transfers = 0;  // requests with KV cache in transfer during the outage
  std::size_t delayed = 0;
  std::size_t waiting = 0;  // requests that waited for their first token during the outage
  // Longest delay of a transfer, and time from the failure until the last delayed one had arrived
  // [ms]; nothing if one of them did not arrive, or without transfers. 0: none was delayed.
  std::optional<double> disruption_ms;
  std::optional<double> recovery_ms;
  // For the requests that waited: the longest TTFT minus the P99 without failure, and the largest
  // difference to the same request without failure [ms]. Nothing if one got no token, or if none
  // waited.
  std::optional<double> ttft_above_p99_ms;
  std::optional<double> ttft_rise_ms;
};
// Throws Error(kTester) for trials with different requests.
LinkImpact linkImpact(const serving::ServingResult& failed, const serving::ServingResult& intact,
                      const Outage& outage);

// The anomaly of an impact without transfers.
inline constexpr const char* kNoTransfer =
    "no KV cache was in transfer during the outage: its delay and recovery are not observed (a "
    "higher rate of requests or a longer dut.convergence makes transfers in it likelier)";

// Tokens missing in a time span, of those that arrived in it without failure [%]: from the samples
// that overlap it. Nothing without tokens.
std::optional<double> tokensLost(const serving::ServingResult& failed,
                                 const serving::ServingResult& intact, Picoseconds from,
                                 Picoseconds to);

// Payload that arrived from the end of the outage to the end of the load, relative to the trial
// without failure [%]. Nothing without a sample in between.
std::optional<double> rateAfter(const bench::TrialResult& failed, const bench::TrialResult& intact,
                                const Outage& outage, Picoseconds end);

// Share of the bytes of prefill NICs that crossed the elements, from a trial in which they did not
// fail [%].
std::optional<double> trafficOn(const TestConfig& config, const serving::ServingProgram& program,
                                const std::vector<std::string>& elements,
                                const bench::TrialResult& intact);

}  // namespace plumbline::suite
