// `transport:`
#include <algorithm>

#include "base/error.h"
#include "bench/sim/base_rtt.h"
#include "scenario/field_reader.h"
#include "scenario/sections.h"
#include "transport/spec_fields.h"

namespace plumbline::scenario {

using transport::RoceSpec;
using transport::UetSpec;

void readTransport(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "transport", problems);
  if (!map) return;
  const YamlNode* kind_node = map->required("kind");
  if (kind_node == nullptr) return;
  const std::vector<std::string> kinds{"roce", "uet"};
  const auto kind = readWord(*kind_node, kinds, problems);
  if (!kind) return;
  FieldPlaces places;
  SpecReader reader(std::move(*map), kinds[*kind], &places, problems);
  bench::TransportSpec& spec = scenario.transport.emplace();
  if (*kind == 0) {
    readFields(reader, spec.emplace<RoceSpec>());
  } else {
    readFields(reader, spec.emplace<UetSpec>());
  }
  reader.finish();
  places.judge([&] { std::visit([](const auto& one) { transport::validate(one); }, spec); }, node,
               problems);
}

void deriveBaseRtt(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto* uet = scenario.transport ? std::get_if<UetSpec>(&*scenario.transport) : nullptr;
  const auto isBaseRtt = [](const YamlMember& member) { return member.key.text == "base_rtt"; };
  if (uet == nullptr || std::any_of(node.members.begin(), node.members.end(), isBaseRtt)) return;
  try {
    uet->base_rtt = bench::idleRoundTrip(scenario.fabricSpec(), scenario.workload, *uet);
  } catch (const Error& error) {
    problems.add(node, faultOf(error), "give \"base_rtt\"");
  }
}

}  // namespace plumbline::scenario
