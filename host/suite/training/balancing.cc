#include "suite/training/balancing.h"

#include <array>
#include <utility>
#include <variant>

#include "bench/base_rtt.h"
#include "suite/fabric_test.h"

namespace plumbline::suite {
namespace {

struct Strategy {
  const char* word;
  const char* name;
  fabric::LoadBalancingKind kind;
};

// The words are those of scenario::kBalancingWords.
constexpr std::array<Strategy, scenario::kBalancingWords.size()> kStrategies{{
    {"ecmp", "ECMP", fabric::LoadBalancingKind::kEcmp},
    {"ecmp-qp", "ECMP, BTH-aware", fabric::LoadBalancingKind::kEcmpQp},
    {"flowlet", "flowlet DLB", fabric::LoadBalancingKind::kFlowlet},
    {"spray", "packet spray", fabric::LoadBalancingKind::kSprayRoundRobin},
}};

const Strategy& strategyOf(const std::string& word) {
  for (const Strategy& strategy : kStrategies) {
    if (word == strategy.word) return strategy;
  }
  return kStrategies.front();
}

}  // namespace

Balancing balancingOf(const std::string& word) { return {word, strategyOf(word).name}; }

std::vector<Balancing> balancingSweep(const TestConfig& config, Numbers& numbers,
                                      const std::vector<std::string>& standard,
                                      const std::vector<std::string>& quick) {
  std::vector<Balancing> all;
  for (const std::string& word :
       numbers.sweep("Load balancing", standard, quick, config.scenario.parameters.balancing)) {
    all.push_back(balancingOf(word));
  }
  return all;
}

void applyBalancing(const Balancing& balancing, bench::TrialSpec& spec) {
  spec.dut.switches.load_balancing.kind = strategyOf(balancing.word).kind;
  auto* roce = spec.transport ? std::get_if<transport::RoceSpec>(&*spec.transport) : nullptr;
  if (roce != nullptr &&
      strategyOf(balancing.word).kind == fabric::LoadBalancingKind::kSprayRoundRobin) {
    roce->recovery = transport::RoceRecovery::kSelectiveRepeat;
    roce->reorder_tolerance = roce->reorder_packets / 2;
  }
}

Variant usualVariant(const TestConfig& config, const Balancing& balancing) {
  return {balancing.name, transportOr(config, usualRoce()), balancing};
}

Variant serviceVariant(const TestConfig& config, const std::string& service,
                       const Balancing& balancing) {
  Variant variant{service + ", " + balancing.name, {}, balancing};
  const auto& own = config.scenario.transport;
  if (service == "RC" || service == "UC") {
    const auto* given = own ? std::get_if<transport::RoceSpec>(&*own) : nullptr;
    transport::RoceSpec roce = given != nullptr ? *given : usualRoce();
    roce.service = service == "RC" ? transport::RoceService::kRc : transport::RoceService::kUc;
    variant.transport = roce;
    return variant;
  }
  constexpr std::array<std::pair<const char*, transport::UetService>, 4> kServices{
      {{"ROD", transport::UetService::kRod},
       {"RUD", transport::UetService::kRud},
       {"RUDI", transport::UetService::kRudi},
       {"UUD", transport::UetService::kUud}}};
  const auto* given = own ? std::get_if<transport::UetSpec>(&*own) : nullptr;
  transport::UetSpec uet;
  if (given != nullptr) {
    uet = *given;
  } else {
    uet.base_rtt = bench::idleRoundTrip(config.scenario.fabricSpec(), std::nullopt, uet);
  }
  for (const auto& [name, value] : kServices) {
    if (service == name) uet.service = value;
  }
  // Where switches go by the flow, a flow is a PDC; packets of their own entropy would be sprayed.
  if (balancing.word != "spray") uet.entropy.policy = transport::UetEntropyPolicy::kConstant;
  variant.transport = uet;
  return variant;
}

void applyVariant(const Variant& variant, bench::TrialSpec& spec) {
  spec.transport = variant.transport;
  applyBalancing(variant.balancing, spec);
}

}  // namespace plumbline::suite
