#include "fabric/topology/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "base/whole_number.h"
#include "fabric/spec/names.h"
#include "fabric/spec/spec_checks.h"

namespace plumbline::fabric {
namespace {

// "a-b#n" taken apart.
struct LinkName {
  std::string_view a;
  std::string_view b;
  std::uint32_t parallel = 0;
};

std::optional<LinkName> parseLinkName(std::string_view name) {
  LinkName parts;
  const std::size_t hash = name.find('#');
  if (hash != std::string_view::npos) {
    const auto parallel = wholeNumberUpTo(name.substr(hash + 1), UINT32_MAX);
    if (!parallel) return std::nullopt;
    parts.parallel = static_cast<std::uint32_t>(*parallel);
    name = name.substr(0, hash);
  }
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  parts.a = name.substr(0, dash);
  parts.b = name.substr(dash + 1);
  return parts;
}

}  // namespace

NodeId Topology::addHost(std::string name) {
  const auto index = static_cast<std::uint32_t>(hosts_.size());
  if (name.empty()) name = fmt::format("host{}", index);
  const NodeId id = addNode(NodeKind::kHost, index, std::move(name));
  hosts_.push_back(id);
  return id;
}

NodeId Topology::addSwitch(std::string name) {
  const auto index = static_cast<std::uint32_t>(switches_.size());
  const NodeId id = addNode(NodeKind::kSwitch, index, std::move(name));
  switches_.push_back(id);
  return id;
}

void Topology::connect(NodeId a, NodeId b, BitRate rate, Picoseconds delay) {
  addLink(a, b, rate, delay);
  addLink(b, a, rate, delay);
}

NodeId Topology::addNode(NodeKind kind, std::uint32_t index, std::string name) {
  const auto id = static_cast<NodeId>(nodes_.size());
  by_name_.try_emplace(name, id);
  nodes_.push_back({kind, index, std::move(name), {}});
  return id;
}

void Topology::addLink(NodeId from, NodeId to, BitRate rate, Picoseconds delay) {
  std::vector<LinkId>& ports = nodes_[from].out_links;
  links_.push_back({from, static_cast<std::uint32_t>(ports.size()), to, rate, delay});
  ports.push_back(static_cast<LinkId>(links_.size() - 1));
}

std::uint32_t Topology::minPorts() const {
  if (switches_.empty()) return 0;
  std::size_t min = SIZE_MAX;
  for (const NodeId id : switches_) min = std::min(min, nodes_[id].out_links.size());
  return static_cast<std::uint32_t>(min);
}

std::uint32_t Topology::maxPorts() const {
  std::size_t max = 0;
  for (const NodeId id : switches_) max = std::max(max, nodes_[id].out_links.size());
  return static_cast<std::uint32_t>(max);
}

std::size_t Topology::placeAmongParallel(LinkId link) const {
  const std::vector<LinkId>& ports = nodes_[links_[link].from].out_links;
  return static_cast<std::size_t>(
      std::count_if(ports.begin(), ports.begin() + links_[link].from_port,
                    [&](LinkId other) { return links_[other].to == links_[link].to; }));
}

std::vector<LinkId> Topology::parallelLinks(NodeId a, NodeId b) const {
  std::vector<LinkId> parallel;
  for (const LinkId id : nodes_[a].out_links) {
    if (links_[id].to == b) parallel.push_back(id);
  }
  return parallel;
}

std::string Topology::linkName(LinkId link) const {
  const Link& one = links_.at(link);
  const std::string ends = nodes_[one.from].name + "-" + nodes_[one.to].name;
  const std::size_t place = placeAmongParallel(link);
  return place == 0 ? ends : fmt::format("{}#{}", ends, place);
}

std::optional<NodeId> Topology::findNode(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<LinkId> Topology::findLink(std::string_view name) const {
  const auto parts = parseLinkName(name);
  if (!parts) return std::nullopt;
  const auto a = findNode(parts->a);
  const auto b = findNode(parts->b);
  if (!a || !b) return std::nullopt;
  const std::vector<LinkId> parallel = parallelLinks(*a, *b);
  if (parts->parallel >= parallel.size()) return std::nullopt;
  return parallel[parts->parallel];
}

NodeId Topology::requireNode(std::string_view name, const std::string& where) const {
  if (const auto node = findNode(name)) return *node;
  std::vector<std::string> known;
  known.reserve(nodes_.size());
  for (const Node& node : nodes_) known.push_back(node.name);
  const std::string near = similarNames(name, known);
  refuse(fmt::format("the topology has no \"{}\"", name), where,
         near.empty()
             ? fmt::format("names of the topology, \"{}\" to \"{}\"", known.front(), known.back())
             : "names of the topology; near: " + near);
}

LinkId Topology::requireLink(std::string_view name, const std::string& where) const {
  if (const auto link = findLink(name)) return *link;
  const auto parts = parseLinkName(name);
  if (!parts) {
    refuse(fmt::format("\"{}\" is not the name of a link", name), where,
           fmt::format("two joined nodes, as in \"{}\"", linkName(0)));
  }
  const NodeId a = requireNode(parts->a, where);
  const NodeId b = requireNode(parts->b, where);
  if (const auto cables = parallelLinks(a, b); !cables.empty()) {
    refuse(fmt::format("no cable number {} between {} and {}", parts->parallel, parts->a, parts->b),
           where, fmt::format("#0 to #{}", cables.size() - 1));
  }
  std::vector<std::string> neighbours;
  for (const LinkId id : nodes_[a].out_links) neighbours.push_back(nodes_[links_[id].to].name);
  const std::string near = similarNames(parts->b, neighbours);
  refuse(fmt::format("no cable between {} and {}", parts->a, parts->b), where,
         near.empty() ? fmt::format("{} is joined to {} to {}", parts->a, neighbours.front(),
                                    neighbours.back())
                      : fmt::format("nodes that {} is joined to; near: {}", parts->a, near));
}

bool Topology::joinsSwitches(LinkId link) const {
  return nodes_[links_[link].from].kind == NodeKind::kSwitch &&
         nodes_[links_[link].to].kind == NodeKind::kSwitch;
}

std::size_t Topology::fabricLinks() const {
  std::size_t count = 0;
  for (LinkId id = 0; id < links_.size(); ++id) count += joinsSwitches(id) ? 1 : 0;
  return count;
}

std::vector<LinkId> Topology::selectLinks(std::string_view selector,
                                          const std::string& where) const {
  const bool all = selector == "*";
  const bool fabric = selector == "fabric";
  if (!all && !fabric && selector != "hosts") return {requireLink(selector, where)};
  std::vector<LinkId> selected;
  for (LinkId id = 0; id < links_.size(); ++id) {
    if (all || joinsSwitches(id) == fabric) selected.push_back(id);
  }
  return selected;
}

std::string nodeKind(const std::string& name) {
  std::string kind = name.substr(name.rfind('.') + 1);
  while (!kind.empty() && std::isdigit(static_cast<unsigned char>(kind.back())) != 0) {
    kind.pop_back();
  }
  return kind.empty() ? name : kind;
}

std::optional<Ratio> oversubscription(const Topology& topology) {
  std::optional<Ratio> worst;
  for (const NodeId id : topology.switches()) {
    Ratio ratio{0, 0};
    for (const LinkId out : topology.nodes()[id].out_links) {
      const Link& link = topology.links()[out];
      const auto rate = static_cast<std::uint64_t>(link.rate.bitsPerSecond());
      (topology.nodes()[link.to].kind == NodeKind::kHost ? ratio.a : ratio.b) += rate;
    }
    if (ratio.a == 0 || ratio.b == 0) continue;
    const std::uint64_t divisor = std::gcd(ratio.a, ratio.b);
    ratio = {ratio.a / divisor, ratio.b / divisor};
    if (!worst || static_cast<Int128>(ratio.a) * worst->b > static_cast<Int128>(worst->a) * ratio.b)
      worst = ratio;
  }
  return worst;
}

}  // namespace plumbline::fabric
