// `dut: topology:`
#include <algorithm>
#include <set>
#include <string>

#include "scenario/dut_sections.h"

namespace plumbline::scenario {
namespace {

using fabric::TopologyKind;
using fabric::TopologySpec;

constexpr std::pair<const char*, TopologyKind> kKinds[] = {
    {"link", TopologyKind::kLink},   {"switch", TopologyKind::kSingleSwitch},
    {"clos2", TopologyKind::kClos2}, {"clos3", TopologyKind::kClos3},
    {"rail", TopologyKind::kRail},   {"pools", TopologyKind::kPools},
    {"graph", TopologyKind::kGraph},
};

constexpr unsigned bit(TopologyKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kLeafy = bit(TopologyKind::kClos2) | bit(TopologyKind::kClos3) |
                            bit(TopologyKind::kRail) | bit(TopologyKind::kPools);

// A number that only some kinds of topology have.
struct Sized {
  const char* key;  // and name of the field
  unsigned kinds;
  std::uint32_t TopologySpec::*member;
};

constexpr Sized kSizes[] = {
    {"hosts", bit(TopologyKind::kSingleSwitch), &TopologySpec::hosts},
    {"leaves", bit(TopologyKind::kClos2) | bit(TopologyKind::kClos3), &TopologySpec::leaves},
    {"spines", kLeafy, &TopologySpec::spines},
    {"hosts_per_leaf",
     bit(TopologyKind::kClos2) | bit(TopologyKind::kClos3) | bit(TopologyKind::kPools),
     &TopologySpec::hosts_per_leaf},
    {"pods", bit(TopologyKind::kClos3), &TopologySpec::pods},
    {"superspines", bit(TopologyKind::kClos3), &TopologySpec::superspines},
    {"servers", bit(TopologyKind::kRail), &TopologySpec::servers},
    {"rails", bit(TopologyKind::kRail), &TopologySpec::rails},
    {"servers_per_leaf", bit(TopologyKind::kRail), &TopologySpec::servers_per_leaf},
    {"prefill_leaves", bit(TopologyKind::kPools), &TopologySpec::prefill_leaves},
    {"decode_leaves", bit(TopologyKind::kPools), &TopologySpec::decode_leaves},
    {"uplinks", kLeafy, &TopologySpec::uplinks},
};

// Reads a topology of a kind; without a right `kind`, every key may be there.
class TopologyReader {
 public:
  TopologyReader(SpecReader map, TopologySpec& topology, FieldPlaces& places, Problems& problems)
      : map_(std::move(map)), topology_(topology), places_(places), problems_(problems) {}

  void read() {
    const std::size_t before = problems_.count();
    if (map_.required("kind") != nullptr) {
      map_.readWordOf<TopologyKind>("kind", "kind", kKinds, topology_.kind);
      kind_known_ = problems_.count() == before;
    }
    const bool graph = kind_known_ && topology_.kind == TopologyKind::kGraph;
    const YamlNode* hosts = map_.optional("hosts");
    const bool names =
        graph || (!kind_known_ && hosts != nullptr && hosts->kind == YamlNode::Kind::kSequence);
    for (const Sized& size : kSizes) {
      if (names && size.key == std::string_view("hosts")) continue;
      if (exists(size.key, size.kinds)) map_.read(size.key, size.key, topology_.*size.member);
    }
    map_.read("link", "link_rate", topology_.link_rate);
    if (exists("fabric_link", kLeafy)) {
      map_.read("fabric_link", "fabric_rate", topology_.fabric_rate);
    }
    map_.read("host_delay", "host_link_delay", topology_.host_link_delay);
    if (exists("fabric_delay", kLeafy | bit(TopologyKind::kGraph))) {
      map_.read("fabric_delay", "fabric_link_delay", topology_.fabric_link_delay);
    }
    for (const char* key : {"switches", "cables"}) {
      if (exists(key, bit(TopologyKind::kGraph))) map_.optional(key);
    }
    if (graph) readGraph();
    map_.finish();
  }

 private:
  // Whether the key, when it is there, belongs to the kind of topology; reports it when not.
  bool exists(const char* key, unsigned kinds) {
    if (!kind_known_ || (kinds & bit(topology_.kind)) != 0) return true;
    if (const YamlNode* value = map_.optional(key)) {
      const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                      [&](const auto& k) { return k.second == topology_.kind; });
      problems_.add(*value, "\"" + std::string(key) + "\" does not exist in a topology of kind " +
                                kind->first);
    }
    return false;
  }

  void readNames(const char* key, std::vector<std::string>& names) {
    const std::string field = "topology.graph." + std::string(key);
    const YamlNode* node = map_.required(key);
    if (node == nullptr || node->kind != YamlNode::Kind::kSequence) {
      if (node != nullptr) {
        problems_.add(*node, "\"" + std::string(key) + "\" must be a list of names",
                      "[name, name, …]");
      }
      places_.addGiven(field, map_.node(), {});  // so that it is not found empty as well
      return;
    }
    std::vector<const YamlNode*> items;
    for (const YamlNode& item : node->items) {
      const auto name = readValue<std::string>(item, problems_);
      if (!name) continue;
      names.push_back(*name);
      items.push_back(&item);
    }
    places_.addBlock(field, *node);
    places_.addList(
        field, std::move(items),
        [&names](std::size_t i) { names.erase(names.begin() + static_cast<std::ptrdiff_t>(i)); },
        true);
  }

  void readGraph() {
    fabric::GraphSpec& graph = topology_.graph;
    readNames("hosts", graph.hosts);
    readNames("switches", graph.switches);
    const YamlNode* node = map_.required("cables");
    if (node == nullptr) {
      places_.addGiven("topology.graph.cables", map_.node(), {});
      return;
    }
    const std::set<std::string> hosts(graph.hosts.begin(), graph.hosts.end());
    places_.addBlock("topology.graph.cables", *node);
    readItems("cables", *node, "topology.graph.cables", graph.cables, places_, problems_, true,
              [&](SpecReader& item, fabric::GraphSpec::Cable& cable) {
                if (item.required("a") != nullptr) item.read("a", "a", cable.a);
                if (item.required("b") != nullptr) item.read("b", "b", cable.b);
                const auto is_host = [&](const std::string& name) { return hosts.contains(name); };
                cable.rate = topology_.link_rate;
                cable.delay = is_host(cable.a) || is_host(cable.b) ? topology_.host_link_delay
                                                                   : topology_.fabric_link_delay;
                item.read("rate", "rate", cable.rate);
                item.read("delay", "delay", cable.delay);
              });
  }

  SpecReader map_;
  TopologySpec& topology_;
  FieldPlaces& places_;
  Problems& problems_;
  bool kind_known_ = false;
};

}  // namespace

void readTopology(const YamlNode& node, fabric::TopologySpec& topology, FieldPlaces& places,
                  Problems& problems) {
  auto map = readMap(node, "topology", problems);
  if (!map) return;
  places.addBlock("topology", node);
  TopologyReader({std::move(*map), "topology", &places, problems}, topology, places, problems)
      .read();
}

}  // namespace plumbline::scenario
