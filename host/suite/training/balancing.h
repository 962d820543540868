// The load-balancing strategies that tests compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "fabric/spec/fabric_spec.h"
#include "suite/framework/numbers.h"

namespace plumbline::suite {

// Name of a strategy and its switch settings.
struct Balancing {
  std::string word;  // as in `parameters.balancing`; the nearest one for the scenario's own setting
  std::string name;  // "ECMP", "ECMP, BTH-aware", "flowlet DLB", "packet spray"
  fabric::LoadBalancingKind kind = fabric::LoadBalancingKind::kEcmp;

  bool operator==(const Balancing&) const = default;
};

Balancing balancingOf(const std::string& word);

// Sweep over strategies: the draft's and, where there is one, the scenario's own list
// (`parameters.balancing`). They replace `dut.load_balancing`; a kind there that is not swept is a
// deviation.
std::vector<Balancing> balancingSweep(const TestConfig& config, Numbers& numbers,
                                      const std::vector<std::string>& standard,
                                      const std::vector<std::string>& quick);

// One way to carry the same traffic, for tests that compare several: the transport of the hosts and
// the balancing of the switches.
struct Variant {
  std::string name;  // "RUD, packet spray"
  bench::TransportSpec transport;
  Balancing balancing;
};

// The scenario's transport, or else the usual RoCEv2, with one balancing. Unless switches spray,
// hosts give all packets of a QP or PDC one entropy value: with one of its own for each packet,
// switches that balance by flow would spray as well.
Variant defaultVariant(const TestConfig& config, const Balancing& balancing);
// The scenario's transport and balancing as they are, for tests that compare no strategies.
Variant scenarioVariant(const TestConfig& config);
// A service of the drafts' comparisons with one balancing: "RC", "UC", "ROD", "RUD", "RUDI", "UUD".
// Parameters are the scenario's where it has a transport of that family; of one of the other family
// only the IP version.
Variant serviceVariant(const TestConfig& config, const std::string& service,
                       const Balancing& balancing);
// Applies `variant` to hosts and switches of `spec`.
void applyVariant(const Variant& variant, bench::TrialSpec& spec);

// Why switches have nothing to balance; nothing if they have.
std::optional<std::string> onePathRefusal(const fabric::TopologySpec& topology);

// Sets the switches of `spec`. RC's handling of packets out of order follows from them
// (rc_recovery.h).
void applyBalancing(const Balancing& balancing, bench::TrialSpec& spec);

}  // namespace plumbline::suite
