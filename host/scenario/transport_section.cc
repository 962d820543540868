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

void derivePathTimes(const YamlNode& node, Scenario& scenario, Problems& problems) {
  if (!scenario.transport) return;
  const auto given = [&node](const char* key) {
    return std::any_of(node.members.begin(), node.members.end(),
                       [key](const YamlMember& member) { return member.key.text == key; });
  };
  auto* roce = std::get_if<RoceSpec>(&*scenario.transport);
  auto* uet = std::get_if<UetSpec>(&*scenario.transport);
  if (roce != nullptr && (roce->service != transport::RoceService::kRc || given("ack_timeout"))) {
    return;
  }
  if (uet != nullptr && given("base_rtt") && given("rto")) return;
  bench::TransportSpec fitted = *scenario.transport;
  try {
    bench::fitToPath(fitted, scenario.fabricSpec(), scenario.workload);
  } catch (const Error& error) {
    problems.add(node, faultOf(error),
                 roce != nullptr ? "give \"ack_timeout\"" : "give \"base_rtt\" and \"rto\"");
    return;
  }
  if (roce != nullptr) {
    roce->ack_timeout = std::get<RoceSpec>(fitted).ack_timeout;
    if (given("max_ack_timeout")) {
      roce->ack_timeout = std::min(roce->ack_timeout, roce->max_ack_timeout);
    } else {
      roce->max_ack_timeout = std::get<RoceSpec>(fitted).max_ack_timeout;
    }
  } else {
    if (!given("base_rtt")) uet->base_rtt = std::get<UetSpec>(fitted).base_rtt;
    if (!given("rto")) uet->rto = std::get<UetSpec>(fitted).rto;
  }
}

}  // namespace plumbline::scenario
