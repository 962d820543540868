#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

using fabric::Forwarding;
using fabric::TopologyKind;

constexpr std::size_t kMaxIdentification = 64;
constexpr std::size_t kMaxIdentificationText = 500;

const std::string kDelayRange = "1ps to 1s";
constexpr Picoseconds kMinDelay{1};
constexpr Picoseconds kMaxDelay = seconds(1);

// A key that only some kinds of topology have.
struct Sized {
  const char* key;
  TopologyKind kind;
  std::uint32_t fabric::TopologySpec::*member;
  std::uint32_t min;
  std::uint32_t max;
};

constexpr Sized kSizes[] = {
    {"hosts", TopologyKind::kSingleSwitch, &fabric::TopologySpec::hosts, 2, fabric::kMaxHosts},
    {"leaves", TopologyKind::kClos2, &fabric::TopologySpec::leaves, 1, fabric::kMaxSwitchesPerTier},
    {"spines", TopologyKind::kClos2, &fabric::TopologySpec::spines, 1, fabric::kMaxSwitchesPerTier},
    {"hosts_per_leaf", TopologyKind::kClos2, &fabric::TopologySpec::hosts_per_leaf, 1,
     fabric::kMaxHosts},
};

const std::vector<std::string> kKinds{"link", "switch", "clos2"};
constexpr TopologyKind kKindValues[] = {TopologyKind::kLink, TopologyKind::kSingleSwitch,
                                        TopologyKind::kClos2};

void readTopology(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "topology", problems);
  if (!map) return;
  fabric::TopologySpec& topology = scenario.topology;

  std::optional<std::size_t> kind;
  if (const YamlNode* value = map->required("kind")) {
    kind = readWord(*value, kKinds, problems);
    if (kind) topology.kind = kKindValues[*kind];
  }
  const auto applies = [&](TopologyKind wanted) { return !kind || topology.kind == wanted; };
  for (const Sized& size : kSizes) {
    const YamlNode* value = map->optional(size.key);
    if (value == nullptr) continue;
    if (!applies(size.kind)) {
      problems.add(*value, "\"" + std::string(size.key) +
                               "\" does not exist in a topology of kind " + kKinds[*kind]);
      continue;
    }
    if (const auto number = readInteger(*value, size.min, size.max, problems)) {
      topology.*size.member = static_cast<std::uint32_t>(*number);
    }
  }
  if (const YamlNode* value = map->optional("link")) {
    if (const auto rate = readBitRate(*value, BitRate(1'000'000), gigabitsPerSecond(1600),
                                      "1M to 1600G, in b/s", problems)) {
      topology.link_rate = *rate;
    }
  }
  if (const YamlNode* value = map->optional("host_delay")) {
    if (const auto delay = readDuration(*value, kMinDelay, kMaxDelay, kDelayRange, problems)) {
      topology.host_link_delay = *delay;
    }
  }
  if (const YamlNode* value = map->optional("fabric_delay")) {
    if (!applies(TopologyKind::kClos2)) {
      problems.add(*value,
                   "\"fabric_delay\" does not exist in a topology of kind " + kKinds[*kind]);
    } else if (const auto delay =
                   readDuration(*value, kMinDelay, kMaxDelay, kDelayRange, problems)) {
      topology.fabric_link_delay = *delay;
    }
  }
  map->finish();
  if (topology.kind == TopologyKind::kClos2 &&
      (topology.hostCount() < 2 || topology.hostCount() > fabric::kMaxHosts)) {
    problems.add(node,
                 "leaves × hosts_per_leaf gives " + std::to_string(topology.hostCount()) + " hosts",
                 "2 to " + std::to_string(fabric::kMaxHosts));
  }
}

void readSwitch(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "switch", problems);
  if (!map) return;
  if (const YamlNode* value = map->optional("buffer")) {
    if (const auto size = readBytes(*value, Bytes(64), Bytes(std::int64_t{1} << 40),
                                    "64B to 1024GiB", problems)) {
      scenario.switches.buffer_per_port = *size;
    }
  }
  if (const YamlNode* value = map->optional("latency")) {
    if (const auto latency = readDuration(*value, kMinDelay, kMaxDelay, kDelayRange, problems)) {
      scenario.switches.latency = *latency;
    }
  }
  if (const YamlNode* value = map->optional("forwarding")) {
    const std::vector<std::string> words{"store-and-forward", "cut-through"};
    if (const auto word = readWord(*value, words, problems)) {
      scenario.switches.forwarding =
          *word == 0 ? Forwarding::kStoreAndForward : Forwarding::kCutThrough;
    }
  }
  map->finish();
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
    for (const auto& earlier : scenario.identification) {
      if (earlier.first == *name) {
        problems.add(key, "the key \"" + *name + "\" is here twice", "each key once");
      }
    }
    scenario.identification.emplace_back(*name, *text);
  }
}

}  // namespace

void readDut(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "dut", problems);
  if (!map) return;
  if (const YamlNode* topology = map->required("topology")) {
    readTopology(*topology, scenario, problems);
  }
  if (const YamlNode* value = map->optional("switch")) {
    if (scenario.topology.kind == TopologyKind::kLink) {
      problems.add(*value, "a topology of kind link has no switch", "leave \"switch\" out");
    } else {
      readSwitch(*value, scenario, problems);
    }
  }
  if (const YamlNode* value = map->optional("identification")) {
    readIdentification(*value, scenario, problems);
  }
  map->finish();
}

}  // namespace plumbline::scenario
