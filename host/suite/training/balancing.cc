#include "suite/training/balancing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "bench/sim/base_rtt.h"
#include "fabric/spec/load_balancing.h"
#include "fabric/topology/several_paths.h"
#include "suite/framework/fabric_procedure.h"

namespace plumbline::suite {
namespace {

using Kind = fabric::LoadBalancingKind;

Balancing balancing(const fabric::LoadBalancing& one) { return {one.family, one.name, one.kind}; }

// The scenario's own setting, `dut.load_balancing`, of any kind.
Balancing scenarioBalancing(const TestConfig& config) {
  return balancing(fabric::loadBalancing(config.scenario.switches.load_balancing.kind));
}

// For flow-based switches a QP or PDC is a flow.
void useOneEntropyValue(bench::TransportSpec& transport) {
  if (auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    roce->spray = false;
  } else {
    std::get<transport::UetSpec>(transport).entropy.policy = transport::UetEntropyPolicy::kConstant;
  }
}

}  // namespace

Balancing balancingOf(const std::string& word) {
  const auto* const found =
      std::find_if(fabric::kLoadBalancings.begin(), fabric::kLoadBalancings.end(),
                   [&](const auto& one) { return one.stands_for_family && word == one.family; });
  return balancing(found == fabric::kLoadBalancings.end() ? fabric::loadBalancing(Kind::kEcmp)
                                                          : *found);
}

std::vector<Balancing> balancingSweep(const TestConfig& config, Numbers& numbers,
                                      const std::vector<std::string>& standard,
                                      const std::vector<std::string>& quick) {
  std::vector<Balancing> all;
  for (const std::string& word :
       numbers.sweep("Load balancing", standard, quick, config.scenario.parameters.balancing)) {
    all.push_back(balancingOf(word));
  }
  if (all.size() > 1 && !fabric::hasSeveralPaths(fabric::buildTopology(config.scenario.topology))) {
    numbers.deviation(
        "Load balancing: there is one path between any two hosts, so that points that differ in it "
        "alone are the same trial");
  }
  const Balancing own = scenarioBalancing(config);
  // ECMP is also the setting of a scenario without one.
  if (own.kind != Kind::kEcmp && std::find(all.begin(), all.end(), own) == all.end()) {
    numbers.deviation(fmt::format(
        "Load balancing: this test sets it at every point; the scenario's own, {}, is not among "
        "them",
        own.name));
  }
  return all;
}

void applyBalancing(const Balancing& balancing, bench::TrialSpec& spec) {
  spec.dut.switches.load_balancing.kind = balancing.kind;
}

Variant defaultVariant(const TestConfig& config, const Balancing& balancing) {
  Variant variant{balancing.name, transportOr(config, defaultRoce()), balancing};
  if (balancing.word != "spray") useOneEntropyValue(variant.transport);
  return variant;
}

Variant scenarioVariant(const TestConfig& config) {
  const Balancing own = scenarioBalancing(config);
  return {own.name, transportOr(config, defaultRoce()), own};
}

Variant serviceVariant(const TestConfig& config, const std::string& service,
                       const Balancing& balancing) {
  Variant variant{service + ", " + balancing.name, {}, balancing};
  const std::optional<bench::TransportSpec> own = scenarioTransport(config);
  if (service == "RC" || service == "UC") {
    const auto* given = own ? std::get_if<transport::RoceSpec>(&*own) : nullptr;
    variant.transport = given != nullptr ? *given : defaultRoce();
    auto& roce = std::get<transport::RoceSpec>(variant.transport);
    if (own && given == nullptr) roce.ipv6 = std::get<transport::UetSpec>(*own).ipv6;
    if (given == nullptr) bench::fitToPath(variant.transport, config.scenario.fabricSpec(), {});
    roce.service = service == "RC" ? transport::RoceService::kRc : transport::RoceService::kUc;
    if (balancing.word != "spray") useOneEntropyValue(variant.transport);
    return variant;
  }
  constexpr std::array<std::pair<const char*, transport::UetService>, 4> kServices{
      {{"ROD", transport::UetService::kRod},
       {"RUD", transport::UetService::kRud},
       {"RUDI", transport::UetService::kRudi},
       {"UUD", transport::UetService::kUud}}};
  const auto* given = own ? std::get_if<transport::UetSpec>(&*own) : nullptr;
  variant.transport = given != nullptr ? *given : transport::UetSpec();
  auto& uet = std::get<transport::UetSpec>(variant.transport);
  if (own && given == nullptr) uet.ipv6 = std::get<transport::RoceSpec>(*own).ipv6;
  if (given == nullptr) bench::fitToPath(variant.transport, config.scenario.fabricSpec(), {});
  for (const auto& [name, value] : kServices) {
    if (service == name) uet.service = value;
  }
  if (balancing.word != "spray") useOneEntropyValue(variant.transport);
  return variant;
}

void applyVariant(const Variant& variant, bench::TrialSpec& spec) {
  spec.transport = variant.transport;
  applyBalancing(variant.balancing, spec);
}

std::optional<std::string> onePathRefusal(const fabric::TopologySpec& topology) {
  if (fabric::hasSeveralPaths(fabric::buildTopology(topology))) return std::nullopt;
  return "there is one path between any two hosts, so that there is nothing to balance: "
         "dut.topology has to have several (two spines or uplinks)";
}

}  // namespace plumbline::suite
