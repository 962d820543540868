#include "fabric/engine/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/error.h"

namespace plumbline::fabric {
namespace {

constexpr Picoseconds kBeginning{std::numeric_limits<std::int64_t>::min()};

void addCable(std::vector<std::vector<Outage>>& outages, LinkId link, const Outage& outage) {
  outages[link].push_back(outage);
  outages[reverse(link)].push_back(outage);
}

// Sorts, and joins what overlaps or touches.
void join(std::vector<Outage>& outages) {
  std::sort(outages.begin(), outages.end(),
            [](const Outage& a, const Outage& b) { return a.down < b.down; });
  std::vector<Outage> joined;
  for (const Outage& outage : outages) {
    if (!joined.empty() && outage.down <= joined.back().up) {
      joined.back().up = std::max(joined.back().up, outage.up);
      joined.back().bridged = joined.back().bridged && outage.bridged;
    } else {
      joined.push_back(outage);
    }
  }
  outages = std::move(joined);
}

}  // namespace

std::vector<std::vector<Outage>> outagesOf(const Topology& topology,
                                           const std::vector<FailureSpec>& failures,
                                           Picoseconds pcs_lost) {
  std::vector<std::vector<Outage>> outages(topology.links().size());
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const FailureSpec& failure = failures[i];
    const FailedElement element =
        failedElement(topology, failure.element, fmt::format("failures[{}].element", i));
    // How long it is, is known when all are joined.
    const Outage outage{failure.down, failure.up.value_or(kNever), !element.is_switch};
    if (element.is_switch) {
      for (const LinkId link : topology.nodes()[element.id].out_links) {
        addCable(outages, link, outage);
      }
    } else {
      addCable(outages, element.id, outage);
    }
  }
  for (std::vector<Outage>& link : outages) {
    join(link);
    for (Outage& one : link) {
      one.bridged = one.bridged && one.up != kNever && one.up - one.down <= pcs_lost;
    }
  }
  return outages;
}

bool isBridged(const FailureSpec& failure, const Topology& topology,
               const std::vector<std::vector<Outage>>& outages) {
  const FailedElement element = failedElement(topology, failure.element, "failures");
  if (element.is_switch) return false;
  const std::vector<Outage>& link = outages[element.id];
  return std::any_of(link.begin(), link.end(), [&](const Outage& one) {
    return one.bridged && one.down <= failure.down && failure.down < one.up;
  });
}

FailedElement failedElement(const Topology& topology, const std::string& name,
                            const std::string& where) {
  if (name.find('-') != std::string::npos) {
    const LinkId link = topology.requireLink(name, where);
    return {false, std::min(link, reverse(link))};
  }
  const NodeId id = topology.requireNode(name, where);
  const Node& node = topology.nodes()[id];
  if (node.kind == NodeKind::kSwitch) return {true, id};
  throw Error(ErrorKind::kUsage, fmt::format("{} is a host", name), where,
              fmt::format("allowed: switches and links, here \"{}\"",
                          topology.linkName(node.out_links.front())));
}

RoutingSchedule::RoutingSchedule(const Topology& topology,
                                 const std::vector<std::vector<Outage>>& outages,
                                 Picoseconds convergence, std::uint64_t seed) {
  // Links whose state turns over, by time.
  std::map<Picoseconds, std::vector<LinkId>> changes;
  for (LinkId link = 0; link < outages.size(); ++link) {
    for (const Outage& outage : outages[link]) {
      if (outage.bridged) continue;
      changes[outage.down].push_back(link);
      if (outage.up != kNever) changes[outage.up].push_back(link);
    }
  }
  std::map<std::vector<bool>, std::shared_ptr<const Routing>> tables;
  std::vector<bool> down(topology.links().size(), false);
  auto intact = std::make_shared<const Routing>(topology, seed);
  tables.emplace(down, intact);
  epochs_.push_back({kBeginning, std::move(intact)});
  for (const auto& [time, links] : changes) {
    for (const LinkId link : links) down[link] = !down[link];
    std::shared_ptr<const Routing>& table = tables[down];
    if (!table) table = std::make_shared<const Routing>(topology, seed, down);
    epochs_.push_back({time + convergence, table});
  }
}

}  // namespace plumbline::fabric
