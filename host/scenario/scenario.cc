#include "scenario/scenario.h"

#include <algorithm>
#include <iterator>

#include "bench/trial/registry.h"

namespace plumbline::scenario {

std::string_view profileName(Profile profile) {
  return profile == Profile::kQuick ? "quick" : "standard";
}

std::optional<Profile> profileFromName(std::string_view name) {
  for (const Profile profile : {Profile::kQuick, Profile::kStandard}) {
    if (name == profileName(profile)) return profile;
  }
  return std::nullopt;
}

bool isEndpointBench(std::string_view bench) {
  return std::any_of(
      std::begin(bench::kOptionalBenches), std::end(bench::kOptionalBenches),
      [&](const bench::OptionalBench& one) { return one.on_ordinary_hosts && one.name == bench; });
}

bool simulatesDut(std::string_view bench) {
  return bench == kSimulatedHosts || bench == kSimulatedCard || bench == kCompareBenches;
}

bool isFree(const Scenario& scenario) {
  return std::find(scenario.tests.begin(), scenario.tests.end(), kFreeProcedure) !=
         scenario.tests.end();
}

fabric::FabricSpec Scenario::fabricSpec() const {
  fabric::FabricSpec spec;
  spec.topology = topology;
  spec.switches = switches;
  spec.bit_errors = bit_errors;
  spec.failures = failures;
  spec.convergence = convergence;
  spec.storms = storms;
  spec.seed = seed;
  return spec;
}

workload::WorkloadSpec Scenario::workloadSpec() const {
  workload::WorkloadSpec spec = workload.value_or(workload::WorkloadSpec());
  spec.seed = seed;
  return spec;
}

std::vector<HostPair> Scenario::hostPairs() const {
  if (traffic.pairs) return *traffic.pairs;
  const std::uint32_t half = topology.hostCount() / 2;
  std::vector<HostPair> pairs;
  pairs.reserve(half);
  for (std::uint32_t host = 0; host < half; ++host) pairs.push_back({host, host + half});
  return pairs;
}

}  // namespace plumbline::scenario
