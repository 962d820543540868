// The load-balancing strategies that tests compare.
#pragma once

#include <string>
#include <vector>

#include "bench/trial.h"
#include "fabric/fabric_spec.h"
#include "suite/numbers.h"

namespace plumbline::suite {

// What a strategy is called and what it makes of switches and hosts.
struct Balancing {
  std::string word;  // as in `parameters.balancing`
  std::string name;  // "ECMP", "ECMP, BTH-aware", "flowlet DLB", "packet spray"

  bool operator==(const Balancing&) const = default;
};

Balancing balancingOf(const std::string& word);

// Sweep over strategies: the draft's and, where there is one, the scenario's own list.
std::vector<Balancing> balancingSweep(const TestConfig& config, Numbers& numbers,
                                      const std::vector<std::string>& standard,
                                      const std::vector<std::string>& quick);

// One way to carry the same traffic, for tests that compare some: the transport of the hosts and
// the balancing of the switches.
struct Variant {
  std::string name;  // "RUD, packet spray"
  bench::TransportSpec transport;
  Balancing balancing;
};

// The scenario's transport, or else the usual RoCEv2, with one balancing.
Variant usualVariant(const TestConfig& config, const Balancing& balancing);
// A service of the drafts' comparisons with one balancing: "RC", "UC", "ROD", "RUD", "RUDI", "UUD".
// Parameters are the scenario's where it has a transport of that family.
Variant serviceVariant(const TestConfig& config, const std::string& service,
                       const Balancing& balancing);
// Hosts and switches of `spec` become those of `variant`.
void applyVariant(const Variant& variant, bench::TrialSpec& spec);

// Sets the switches of `spec`; with spray also the RoCE receivers, which keep what comes early
// instead of asking for it again, as a NIC for such a fabric must.
void applyBalancing(const Balancing& balancing, bench::TrialSpec& spec);

}  // namespace plumbline::suite
