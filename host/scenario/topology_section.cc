// `dut: topology:`
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "fabric/spec/spec_fields.h"
#include "scenario/dut_sections.h"
#include "scenario/field_reader.h"

namespace plumbline::scenario {
namespace {

using fabric::TopologySpec;

// Reads a topology of a kind; without a right `kind`, every key may be there.
class TopologyReader {
 public:
  TopologyReader(SpecReader map, TopologySpec& topology, FieldPlaces& places, Problems& problems)
      : map_(std::move(map)), topology_(topology), places_(places), problems_(problems) {}

  void read() {
    const YamlNode* kind = map_.optional("kind");
    const YamlNode* hosts = map_.optional("hosts");
    const bool graph = kind != nullptr && kind->text == "graph";
    // The names of a graph's hosts are read with it. Of an unknown kind, the list may be right.
    const bool names =
        graph || (!isKnown(kind) && hosts != nullptr && hosts->kind == YamlNode::Kind::kSequence);
    readFields(map_, spec::fieldsOf<TopologySpec>(), &topology_, names ? "hosts" : "");
    if (graph) readGraph();
    map_.finish();
  }

 private:
  static bool isKnown(const YamlNode* kind) {
    if (kind == nullptr) return false;
    const spec::Field& field = spec::fieldsOf<TopologySpec>().front();
    return std::any_of(field.words.begin(), field.words.end(),
                       [&](const spec::Word& word) { return word.name == kind->text; });
  }

  void readNames(const char* key, std::vector<std::string>& names) {
    const std::string field = "topology.graph." + std::string(key);
    const YamlNode* node = map_.required(key);
    if (node == nullptr || node->kind != YamlNode::Kind::kSequence) {
      if (node != nullptr) {
        problems_.add(*node, "\"" + std::string(key) + "\" must be a list of names",
                      "[name, name, …]");
      }
      places_.addPresent(field, map_.node(), {});  // so that it is not found empty as well
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
      places_.addPresent("topology.graph.cables", map_.node(), {});
      return;
    }
    const spec::Fields& fields = spec::fieldsOf<fabric::GraphSpec::Cable>();
    const std::set<std::string> hosts(graph.hosts.begin(), graph.hosts.end());
    const auto of_host = [&](const fabric::GraphSpec::Cable& cable) {
      return hosts.contains(cable.a) || hosts.contains(cable.b);
    };
    std::map<std::size_t, bool> has_rate;  // by number of the cable
    places_.addBlock("topology.graph.cables", *node);
    readItems("cables", *node, "topology.graph.cables", graph.cables, places_, problems_, true,
              [&](SpecReader& item, fabric::GraphSpec::Cable& cable) {
                readField(item, fields, "a", &cable);
                readField(item, fields, "b", &cable);
                cable.delay =
                    of_host(cable) ? topology_.host_link_delay : topology_.fabric_link_delay;
                has_rate[graph.cables.size()] = item.optional("rate") != nullptr;
                readField(item, fields, "rate", &cable);
                readField(item, fields, "delay", &cable);
              });
    // Without `link`, the rate of hosts' links is what their cables say.
    bool known = map_.optional("link") != nullptr;
    for (std::size_t i = 0; i < graph.cables.size() && !known; ++i) {
      known = has_rate[i] && of_host(graph.cables[i]);
      if (known) topology_.link_rate = graph.cables[i].rate;
    }
    for (std::size_t i = 0; i < graph.cables.size(); ++i) {
      if (!has_rate[i]) graph.cables[i].rate = topology_.link_rate;
    }
  }

  SpecReader map_;
  TopologySpec& topology_;
  FieldPlaces& places_;
  Problems& problems_;
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
