#include "report/cabling.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>
#include <vector>

#include "fabric/topology/topology.h"
#include "results/number_text.h"

namespace plumbline::report {
namespace {

using fabric::Link;
using fabric::LinkId;
using fabric::Topology;

// Cables of one row of the table.
struct Kind {
  std::string from;
  std::string to;
  BitRate rate;
  Picoseconds delay;
  std::size_t cables = 0;
  LinkId first = 0;
  LinkId last = 0;
};

// Nodes of a regular fabric are named by their kind; those of a graph have their own names, and
// only the hosts of a switch are combined.
std::string endOf(const fabric::Node& node, bool graph) {
  if (!graph) return fabric::nodeKind(node.name);
  return node.kind == fabric::NodeKind::kHost ? std::string() : node.name;
}

// Hosts taken together: "gpu0 to gpu7".
std::string endText(const Topology& graph, const std::string& end, const Kind& kind) {
  if (!end.empty()) return end;
  const auto host = [&](LinkId id) {
    const Link& link = graph.links()[id];
    const fabric::Node& from = graph.nodes()[link.from];
    return from.kind == fabric::NodeKind::kHost ? from.name : graph.nodes()[link.to].name;
  };
  return kind.cables == 1 ? host(kind.first) : host(kind.first) + " to " + host(kind.last);
}

}  // namespace

results::Table cablingTable(const fabric::TopologySpec& topology) {
  const Topology graph = fabric::buildTopology(topology);
  const bool named = topology.kind == fabric::TopologyKind::kGraph;
  std::vector<Kind> kinds;
  for (LinkId id = 0; id < graph.links().size(); id += 2) {  // of each cable its first direction
    const Link& link = graph.links()[id];
    Kind kind{endOf(graph.nodes()[link.from], named),
              endOf(graph.nodes()[link.to], named),
              link.rate,
              link.delay,
              0,
              id,
              id};
    auto same = kinds.begin();
    while (same != kinds.end() && std::tie(same->from, same->to, same->rate, same->delay) !=
                                      std::tie(kind.from, kind.to, kind.rate, kind.delay)) {
      ++same;
    }
    if (same == kinds.end()) same = kinds.insert(same, std::move(kind));
    ++same->cables;
    same->last = id;
  }
  results::Table table{"cabling",
                       "Cabling",
                       {},
                       {"From", "To", "Cables", "Rate", "Propagation", "First", "Last"},
                       {}};
  for (const Kind& kind : kinds) {
    table.rows.push_back({endText(graph, kind.from, kind), endText(graph, kind.to, kind),
                          std::to_string(kind.cables),
                          results::readableNumber(kind.rate.toGigabitsPerSecond()) + " Gb/s",
                          results::readableNumber(kind.delay.toNanoseconds()) + " ns",
                          graph.linkName(kind.first), graph.linkName(kind.last)});
  }
  return table;
}

std::string cablingCsv(const fabric::TopologySpec& topology) {
  const Topology graph = fabric::buildTopology(topology);
  std::string csv = "cable,from,from_port,to,to_port,rate_gbps,delay_ns\n";
  for (LinkId id = 0; id < graph.links().size(); id += 2) {
    const Link& link = graph.links()[id];
    const Link& back = graph.links()[fabric::reverse(id)];
    // Names of nodes have neither commas nor quotes.
    csv += fmt::format("{},{},{},{},{},{},{}\n", graph.linkName(id), graph.nodes()[link.from].name,
                       link.from_port, graph.nodes()[link.to].name, back.from_port,
                       results::exactNumber(link.rate.toGigabitsPerSecond()),
                       results::exactNumber(link.delay.toNanoseconds()));
  }
  return csv;
}

}  // namespace plumbline::report
