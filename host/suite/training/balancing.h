// The load-balancing strategies that tests compare.
#pragma once

#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "fabric/spec/fabric_spec.h"
#include "suite/framework/numbers.h"

namespace plumbline::suite {

// What a strategy is called and what it makes of the switches.
struct Balancing {
  std::string word;  // as in `parameters.balancing`; of the scenario's own the nearest one
  std::string name;  // "ECMP", "ECMP, BTH-aware", "flowlet DLB", "packet spray"
  fabric::LoadBalancingKind kind = fabric::LoadBalancingKind::kEcmp;

  bool operator==(const Balancing&) const = default;
};

Balancing balancingOf(const std::string& word);

// How the scenario's own switches balance: `dut.load_balancing`, of every kind that there is. For
// tests whose draft names no strategy.
Balancing scenarioBalancing(const TestConfig& config);

// Sweep over strategies: the draft's and, where there is one, the scenario's own list
// (`parameters.balancing`). They replace `dut.load_balancing`: where that is a kind which is not
// swept, it is a deviation.
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

// Sets the switches of `spec`. What RC does about packets out of order follows from them
// (rc_recovery.h).
void applyBalancing(const Balancing& balancing, bench::TrialSpec& spec);

}  // namespace plumbline::suite
