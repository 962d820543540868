// Sizes and checks of a TopologySpec.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "fabric/spec/names.h"
#include "fabric/spec/spec_checks.h"
#include "fabric/spec/spec_fields.h"
#include "spec/check.h"

namespace plumbline::fabric {
namespace {

// Between switches, all together: bounds the memory of a topology.
constexpr std::int64_t kMaxCables = std::int64_t{1} << 21;
constexpr std::size_t kMaxGraphSwitches = std::size_t{3} * kMaxSwitchesPerTier;
constexpr std::size_t kMaxName = 64;
// Where hostCount() stops counting.
constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();

void checkTier(std::uint64_t switches, const std::string& field) {
  checkCount(static_cast<std::int64_t>(switches), 1, kMaxSwitchesPerTier, field);
}

// What is common to all kinds with links between switches, given how many pairs of switches are
// joined.
void checkFabricLinks(const TopologySpec& topology, std::int64_t pairs) {
  if (pairs * topology.uplinks > kMaxCables) {
    refuse(fmt::format("{} cables between switches are too many", pairs * topology.uplinks),
           "topology.uplinks", fmt::format("at most {} cables between switches", kMaxCables));
  }
}

void checkClos2(const TopologySpec& topology) {
  checkCount(topology.hostCount(), 2, kMaxHosts, "topology.leaves * topology.hosts_per_leaf");
  checkFabricLinks(topology, std::int64_t{topology.leaves} * topology.spines);
}

void checkClos3(const TopologySpec& topology) {
  checkTier(std::uint64_t{topology.pods} * topology.leaves, "topology.pods * topology.leaves");
  checkTier(std::uint64_t{topology.pods} * topology.spines, "topology.pods * topology.spines");
  if (topology.superspines % topology.spines != 0) {
    refuse(fmt::format("{} superspines cannot be shared out to {} spines", topology.superspines,
                       topology.spines),
           "topology.superspines", "a multiple of topology.spines");
  }
  checkCount(topology.hostCount(), 2, kMaxHosts,
             "topology.pods * topology.leaves * topology.hosts_per_leaf");
  checkFabricLinks(topology,
                   std::int64_t{topology.pods} *
                       (std::int64_t{topology.leaves} * topology.spines + topology.superspines));
}

void checkRail(const TopologySpec& topology) {
  checkCount(topology.hostCount(), 2, kMaxHosts, "topology.servers * topology.rails");
  const std::uint64_t leaves =
      std::uint64_t{topology.rails} *
      ((topology.servers + topology.servers_per_leaf - 1) / topology.servers_per_leaf);
  checkTier(leaves, "topology.rails * ceil(topology.servers / topology.servers_per_leaf)");
  checkFabricLinks(topology, static_cast<std::int64_t>(leaves) * topology.spines);
}

void checkPools(const TopologySpec& topology) {
  const std::uint64_t leaves = std::uint64_t{topology.prefill_leaves} + topology.decode_leaves;
  checkTier(leaves, "topology.prefill_leaves + topology.decode_leaves");
  checkCount(topology.hostCount(), 2, kMaxHosts,
             "(topology.prefill_leaves + topology.decode_leaves) * topology.hosts_per_leaf");
  checkFabricLinks(topology, static_cast<std::int64_t>(leaves) * topology.spines);
}

// The nodes of a graph by name, numbered hosts first, and what is joined to each.
class GraphCheck {
 public:
  explicit GraphCheck(const GraphSpec& graph) : graph_(graph) {
    checkCount(static_cast<std::int64_t>(graph.hosts.size()), 2, kMaxHosts, "topology.graph.hosts");
    checkCount(static_cast<std::int64_t>(graph.switches.size()), 1, kMaxGraphSwitches,
               "topology.graph.switches");
    checkCount(static_cast<std::int64_t>(graph.cables.size()), 1, kMaxCables,
               "topology.graph.cables");
    addNodes(graph.hosts, "topology.graph.hosts");
    addNodes(graph.switches, "topology.graph.switches");
    neighbours_.resize(names_.size());
  }

  void check() {
    for (std::size_t i = 0; i < graph_.cables.size(); ++i) {
      addCable(graph_.cables[i], fmt::format("topology.graph.cables[{}]", i));
    }
    for (std::size_t host = 0; host < graph_.hosts.size(); ++host) {
      if (neighbours_[host].size() == 1) continue;
      refuse(fmt::format("host {} has {} cables", names_[host], neighbours_[host].size()),
             "topology.graph.cables", "exactly one cable for each host");
    }
    requireConnected();
  }

 private:
  void addNodes(const std::vector<std::string>& names, const std::string& field) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string where = fmt::format("{}[{}]", field, i);
      checkName(names[i], where);
      if (!by_name_.emplace(names[i], names_.size()).second) {
        refuse(fmt::format("there are two nodes \"{}\"", names[i]), where,
               "a name of its own for each node");
      }
      names_.push_back(names[i]);
    }
  }

  static void checkName(const std::string& name, const std::string& where) {
    const auto allowed = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '_';
    };
    if (!name.empty() && name.size() <= kMaxName && std::all_of(name.begin(), name.end(), allowed))
      return;
    refuse(fmt::format("\"{}\" cannot name a node", name), where,
           fmt::format("1 to {} letters, digits, dots and underscores", kMaxName));
  }

  std::size_t nodeOf(const std::string& name, const std::string& where) const {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    const std::string near = similarNames(name, names_);
    refuse(fmt::format("the graph has no node \"{}\"", name), where,
           near.empty() ? "names of hosts and switches" : "names of nodes; near: " + near);
  }

  void addCable(const GraphSpec::Cable& cable, const std::string& where) {
    const std::size_t a = nodeOf(cable.a, where + ".a");
    const std::size_t b = nodeOf(cable.b, where + ".b");
    if (a == b)
      refuse(fmt::format("{} is joined to itself", cable.a), where + ".b", "another node");
    if (a < graph_.hosts.size() && b < graph_.hosts.size()) {
      refuse(fmt::format("hosts {} and {} are joined without a switch", cable.a, cable.b),
             where + ".b", "a switch; a bare link is a topology kind of its own");
    }
    spec::check(cable, where);
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  void requireConnected() const {
    std::vector<bool> seen(names_.size(), false);
    std::vector<std::size_t> frontier{0};
    seen[0] = true;
    for (std::size_t next = 0; next < frontier.size(); ++next) {
      for (const std::size_t node : neighbours_[frontier[next]]) {
        if (seen[node]) continue;
        seen[node] = true;
        frontier.push_back(node);
      }
    }
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing == seen.end()) return;
    refuse(fmt::format("no path from {} to {}", names_.front(),
                       names_[static_cast<std::size_t>(missing - seen.begin())]),
           "topology.graph.cables", "cables that join all hosts and switches");
  }

  const GraphSpec& graph_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> by_name_;
  std::vector<std::vector<std::size_t>> neighbours_;
};

}  // namespace

std::uint32_t TopologySpec::hostCount() const {
  const auto times = [](std::uint64_t a, std::uint64_t b) { return std::min(a * b, kMax); };
  std::uint64_t count = 2;
  switch (kind) {
    case TopologyKind::kLink:
      break;
    case TopologyKind::kSingleSwitch:
      count = hosts;
      break;
    case TopologyKind::kClos2:
      count = times(leaves, hosts_per_leaf);
      break;
    case TopologyKind::kClos3:
      count = times(times(pods, leaves), hosts_per_leaf);
      break;
    case TopologyKind::kRail:
      count = times(servers, rails);
      break;
    case TopologyKind::kPools:
      count = times(std::min(std::uint64_t{prefill_leaves} + decode_leaves, kMax), hosts_per_leaf);
      break;
    case TopologyKind::kGraph:
      count = std::min<std::uint64_t>(graph.hosts.size(), kMax);
      break;
  }
  return static_cast<std::uint32_t>(count);
}

BitRate TopologySpec::fabricRate() const {
  return fabric_rate == BitRate(0) ? link_rate : fabric_rate;
}

// The ranges of its fields have been checked.
void checkTopology(const TopologySpec& topology) {
  switch (topology.kind) {
    case TopologyKind::kLink:
    case TopologyKind::kSingleSwitch:
      return;
    case TopologyKind::kClos2:
      return checkClos2(topology);
    case TopologyKind::kClos3:
      return checkClos3(topology);
    case TopologyKind::kRail:
      return checkRail(topology);
    case TopologyKind::kPools:
      return checkPools(topology);
    case TopologyKind::kGraph:
      return GraphCheck(topology.graph).check();
  }
}

}  // namespace plumbline::fabric
