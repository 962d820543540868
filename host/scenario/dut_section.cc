#include "base/work.h"
#include "fabric/footprint.h"
#include "fabric/spec_checks.h"
#include "scenario/dut_sections.h"
#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

constexpr std::size_t kMaxIdentification = 64;
constexpr std::size_t kMaxIdentificationText = 500;

void readBitError(SpecReader& map, fabric::BitErrorSpec& errors) {
  if (map.required("link") != nullptr) map.read("link", "link", errors.link);
  if (map.required("rate") != nullptr) map.read("rate", "rate", errors.rate, readRate);
}

void readFailure(SpecReader& map, fabric::FailureSpec& failure) {
  if (map.required("element") != nullptr) map.read("element", "element", failure.element);
  if (map.required("down") != nullptr) map.read("down", "down", failure.down);
  map.read("up", "up", failure.up);
}

void readStorm(SpecReader& map, fabric::PauseStormSpec& storm) {
  if (map.required("host") != nullptr) map.read("host", "host", storm.host);
  map.read("priorities", "priorities", storm.priorities, readPriorities);
  map.read("start", "start", storm.start);
  if (map.required("duration") != nullptr) map.read("duration", "duration", storm.duration);
}

// Free keys with free text: whatever the lab wants to find in the report.
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
  const std::size_t before = problems.count();
  if (const YamlNode* topology = map.required("topology")) {
    readTopology(*topology, scenario.topology, places, problems);
  }
  const bool topology_read = problems.count() == before;

  // What only a DUT with switches has.
  const auto ofSwitches = [&](const char* key) -> const YamlNode* {
    const YamlNode* value = map.optional(key);
    if (value == nullptr || scenario.topology.kind != fabric::TopologyKind::kLink) return value;
    problems.add(*value, "a topology of kind link has no switch",
                 "leave \"" + std::string(key) + "\" out");
    return nullptr;
  };
  if (const YamlNode* value = ofSwitches("switch")) {
    readSwitch(*value, scenario.switches, places, problems);
  }
  if (const YamlNode* value = ofSwitches("load_balancing")) {
    readLoadBalancing(*value, scenario.switches.load_balancing, places, problems);
  }
  if (const YamlNode* value = map.optional("bit_errors")) {
    readItems("bit_errors", *value, "bit_errors", scenario.bit_errors, places, problems, false,
              readBitError);
  }
  if (const YamlNode* value = map.optional("failures")) {
    readItems("failures", *value, "failures", scenario.failures, places, problems, false,
              readFailure);
  }
  map.read("convergence", "convergence", scenario.convergence);
  if (const YamlNode* value = map.optional("pause_storms")) {
    readItems("pause_storms", *value, "storms", scenario.storms, places, problems, false,
              readStorm);
  }
  if (const YamlNode* value = map.optional("identification")) {
    readIdentification(*value, scenario, problems);
  }
  map.finish();

  const std::size_t before_judging = problems.count();
  // The topology first, by itself: without a right one, nothing can be said of its elements.
  places.judge([&] { fabric::checkTopology(scenario.topology); }, node, problems);
  const bool topology_right = topology_read && problems.count() == before_judging;
  // Nothing is built of what is too large, not even to judge it.
  if (topology_right && isTooLarge(node, scenario.topology, problems)) return;
  places.judge(
      [&] {
        fabric::FabricSpec spec = scenario.fabricSpec();
        if (!topology_right) {
          spec.topology = {};
          spec.bit_errors.clear();
          spec.failures.clear();
          spec.storms.clear();
        }
        fabric::validate(spec);
      },
      node, problems);
}

}  // namespace plumbline::scenario
