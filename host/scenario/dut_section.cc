#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/work.h"
#include "fabric/engine/footprint.h"
#include "fabric/spec/spec_checks.h"
#include "fabric/spec/spec_fields.h"
#include "scenario/dut_sections.h"
#include "scenario/field_reader.h"
#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

constexpr std::size_t kMaxIdentification = 64;
constexpr std::size_t kMaxIdentificationText = 500;

// Loads, shares of line rate and congestion control of hosts go by one rate of their links.
void requireOneHostRate(const fabric::TopologySpec& topology) {
  if (topology.kind != fabric::TopologyKind::kGraph) return;
  const std::set<std::string> hosts(topology.graph.hosts.begin(), topology.graph.hosts.end());
  const auto& cables = topology.graph.cables;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    if (cables[i].rate == topology.link_rate) continue;
    if (!hosts.contains(cables[i].a) && !hosts.contains(cables[i].b)) continue;
    const double line = topology.link_rate.toGigabitsPerSecond();
    fabric::refuse(
        fmt::format("the host's link between {} and {} has {:.6g} Gb/s, line rate is {:.6g} Gb/s",
                    cables[i].a, cables[i].b, cables[i].rate.toGigabitsPerSecond(), line),
        fmt::format("topology.graph.cables[{}].rate", i),
        fmt::format("one rate for all hosts' links, such as {:.6g}G", line));
  }
}

// Free keys with free text for the report.
void readIdentification(const YamlNode& node, Scenario& scenario, Problems& problems) {
  if (!readMap(node, "identification", problems)) return;
  if (node.members.size() > kMaxIdentification) {
    problems.add(node, "\"identification\" has too many entries",
                 "at most " + std::to_string(kMaxIdentification));
    return;
  }
  for (const auto& [key, value] : node.members) {
    const auto name = readText(key, kMaxIdentificationText, problems);
    const auto text = readText(value, kMaxIdentificationText, problems);
    if (!name || !text) continue;
    scenario.identification.emplace_back(*name, *text);
  }
}

// The fields of `dut:`, except for the topology. Fields that need switches are refused without any.
void readFabric(SpecReader& map, fabric::FabricSpec& fabric) {
  const bool link = fabric.topology.kind == fabric::TopologyKind::kLink;
  const spec::Fields& fields = spec::fieldsOf<fabric::FabricSpec>();
  for (const spec::Field& field : fields) {
    if (field.key.empty() || field.key == "topology") continue;
    const YamlNode* value = map.optional(field.key);
    if (value != nullptr && link && (field.key == "switch" || field.key == "load_balancing")) {
      map.problems().add(*value, "the topology kind link has no switch",
                         "leave \"" + field.key + "\" out");
    } else {
      readField(map, fields, field.key, &fabric);
    }
  }
}

const YamlNode* memberOf(const YamlNode* map, std::string_view key) {
  if (map == nullptr) return nullptr;
  const auto found = std::find_if(map->members.begin(), map->members.end(),
                                  [&](const YamlMember& one) { return one.key.text == key; });
  return found == map->members.end() ? nullptr : &found->value;
}

void refuseTwoBuffers(const YamlNode& dut, Problems& problems) {
  const YamlNode* switches = memberOf(&dut, "switch");
  const YamlNode* shared = memberOf(switches, "shared_buffer");
  if (shared != nullptr && memberOf(switches, "buffer") != nullptr) {
    problems.add(*shared, "\"buffer\" and \"shared_buffer\" are both here", "one of the two");
  }
}

bool isTooLarge(const YamlNode& dut, const fabric::TopologySpec& topology, Problems& problems) {
  const fabric::Footprint footprint = fabric::footprintOf(topology);
  const auto why = memoryRefusal(std::to_string(footprint.hosts) + " hosts and " +
                                     std::to_string(footprint.switches) + " switches with " +
                                     std::to_string(footprint.links) + " links",
                                 footprint.bytes);
  if (why) problems.add(dut, *why, "a smaller topology, or a higher limit");
  return why.has_value();
}

}  // namespace

void readDut(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto checked = readMap(node, "dut", problems);
  if (!checked) return;
  FieldPlaces places;
  SpecReader map(std::move(*checked), "", &places, problems);
  fabric::FabricSpec fabric;
  const std::size_t before = problems.count();
  if (const YamlNode* topology = map.required("topology")) {
    readTopology(*topology, fabric.topology, places, problems);
  }
  const bool topology_read = problems.count() == before;
  readFabric(map, fabric);
  refuseTwoBuffers(node, problems);
  if (const YamlNode* value = map.optional("identification")) {
    readIdentification(*value, scenario, problems);
  }
  map.finish();

  const std::size_t before_judging = problems.count();
  // The topology first, by itself: its elements can only be checked if it is valid.
  places.judge(
      [&] {
        fabric::checkTopology(fabric.topology);
        requireOneHostRate(fabric.topology);
      },
      node, problems);
  const bool topology_right = topology_read && problems.count() == before_judging;
  // A fabric that is too large is not built, not even for checking.
  if (topology_right && isTooLarge(node, fabric.topology, problems)) {
    scenario.topology = std::move(fabric.topology);
    return;
  }
  places.judge(
      [&] {
        fabric::FabricSpec spec = fabric;
        if (!topology_right) {
          spec.topology = {};
          spec.bit_errors.clear();
          spec.failures.clear();
          spec.storms.clear();
        }
        fabric::validate(spec);
      },
      node, problems);
  scenario.topology = std::move(fabric.topology);
  scenario.switches = std::move(fabric.switches);
  scenario.bit_errors = std::move(fabric.bit_errors);
  scenario.failures = std::move(fabric.failures);
  scenario.convergence = fabric.convergence;
  scenario.storms = std::move(fabric.storms);
}

}  // namespace plumbline::scenario
