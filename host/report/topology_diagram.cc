#include "report/topology_diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fabric/describe.h"
#include "fabric/topology.h"
#include "report/svg.h"
#include "results/number_text.h"

namespace plumbline::report {
namespace {

using fabric::TopologyKind;
using fabric::TopologySpec;
using fabric::topologyText;

constexpr double kWidth = 760;
constexpr double kMargin = 20;
constexpr double kTextColumn = 150;  // right of the drawing, for rates and delays

// Numbers of the members of a tier that are drawn; kGap stands for those left out.
constexpr std::int64_t kGap = -1;

std::vector<std::int64_t> shown(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> members;
  if (count <= most) {
    for (std::int64_t i = 0; i < count; ++i) members.push_back(i);
    return members;
  }
  for (std::int64_t i = 0; i < most - 2; ++i) members.push_back(i);
  members.push_back(kGap);
  members.push_back(count - 1);
  return members;
}

struct Box {
  double center = 0;
  std::int64_t number = 0;
};

// Places the members of a tier side by side over [left, right].
std::vector<Box> place(const std::vector<std::int64_t>& members, double left, double right) {
  std::vector<Box> boxes;
  const double step = (right - left) / static_cast<double>(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    boxes.push_back({left + step * (static_cast<double>(i) + 0.5), members[i]});
  }
  return boxes;
}

// What fails, by the names of nodes.
class Failed {
 public:
  explicit Failed(const std::vector<fabric::FailureSpec>& failures) {
    for (const fabric::FailureSpec& failure : failures) {
      const std::string& name = failure.element;
      const std::size_t dash = name.find('-');
      if (dash == std::string::npos) {
        nodes_.insert(name);
        continue;
      }
      // Of parallel cables, drawn as one, any.
      const std::string from = name.substr(0, dash);
      const std::string to = name.substr(dash + 1, name.find('#') - dash - 1);
      cables_.emplace(from, to);
      cables_.emplace(to, from);
    }
  }

  [[nodiscard]] bool node(const std::string& name) const { return nodes_.contains(name); }
  [[nodiscard]] bool cable(const std::string& a, const std::string& b) const {
    return cables_.contains({a, b}) || node(a) || node(b);
  }

 private:
  std::set<std::string> nodes_;
  std::set<std::pair<std::string, std::string>> cables_;
};

class Drawing {
 public:
  Drawing(double height, const std::string& label) : svg_(kWidth, height, label) {}

  void cable(double x1, double y1, double x2, double y2, bool failed = false) {
    svg_.line({x1, y1}, {x2, y2}, failed ? "cable failed" : "cable");
  }

  void box(const Box& box, double y, double width, double height, const std::string& style,
           const std::string& name, bool failed = false) {
    if (box.number == kGap) {
      svg_.text({box.center, y + height / 2 + 4}, Anchor::kMiddle, "label", "· · ·");
      return;
    }
    svg_.rect({box.center - width / 2, y}, width, height, failed ? style + " failed" : style);
    svg_.text({box.center, y + height / 2 + 4}, Anchor::kMiddle, "small", name);
  }

  // What runs between two tiers, at the right.
  void links(double y, const TopologySpec& topology, Picoseconds delay) {
    const double x = kWidth - kTextColumn + 16;
    svg_.text({x, y - 2}, Anchor::kStart, "small",
              results::readableNumber(topology.link_rate.toGigabitsPerSecond()) + " Gb/s");
    svg_.text({x, y + 13}, Anchor::kStart, "small",
              results::readableNumber(delay.toNanoseconds()) + " ns");
  }

  [[nodiscard]] std::string finish() const { return svg_.finish(); }

 private:
  Svg svg_;
};

// Switches by their distance from the nearest host, the nearest first; each in order of number.
std::vector<std::vector<fabric::NodeId>> tiersOf(const fabric::Topology& graph) {
  std::vector<std::vector<fabric::NodeId>> tiers;
  std::vector<bool> seen(graph.nodes().size(), false);
  std::vector<fabric::NodeId> frontier = graph.hosts();
  for (;;) {
    std::set<fabric::NodeId> next;
    for (const fabric::NodeId node : frontier) {
      for (const fabric::LinkId link : graph.nodes()[node].out_links) {
        const fabric::NodeId to = graph.links()[link].to;
        if (graph.nodes()[to].kind == fabric::NodeKind::kSwitch && !seen[to]) next.insert(to);
      }
    }
    if (next.empty()) return tiers;
    for (const fabric::NodeId node : next) seen[node] = true;
    frontier.assign(next.begin(), next.end());
    tiers.push_back(frontier);
  }
}

// Hosts that hang on a switch.
std::size_t hostsOf(const fabric::Topology& graph, fabric::NodeId node) {
  const std::vector<fabric::LinkId>& links = graph.nodes()[node].out_links;
  return static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(), [&](fabric::LinkId link) {
        return graph.nodes()[graph.links()[link].to].kind == fabric::NodeKind::kHost;
      }));
}

constexpr double kHostHeight = 24;
constexpr double kSwitchHeight = 32;
constexpr double kDrawingRight = kWidth - kTextColumn;

std::string drawLink(const TopologySpec& topology, const Failed& failed) {
  constexpr double kHeight = 80;
  Drawing drawing(kHeight, topologyText(topology));
  const std::vector<Box> hosts = place({0, 1}, kMargin, kDrawingRight);
  const double y = kHeight / 2;
  drawing.cable(hosts[0].center, y, hosts[1].center, y, failed.cable("host0", "host1"));
  for (const Box& host : hosts) {
    drawing.box(host, y - kHostHeight / 2, 64, kHostHeight, "host",
                fmt::format("host {}", host.number));
  }
  drawing.links(y, topology, topology.host_link_delay);
  return drawing.finish();
}

std::string drawSwitch(const TopologySpec& topology, const Failed& failed) {
  constexpr double kSwitchY = 20;
  constexpr double kHostY = 140;
  Drawing drawing(kHostY + kHostHeight + 16, topologyText(topology));
  const Box node{(kMargin + kDrawingRight) / 2, 0};
  const std::vector<Box> hosts = place(shown(topology.hosts, 9), kMargin, kDrawingRight);
  for (const Box& host : hosts) {
    if (host.number != kGap) {
      drawing.cable(node.center, kSwitchY + kSwitchHeight, host.center, kHostY,
                    failed.cable("switch0", fmt::format("host{}", host.number)));
    }
  }
  drawing.box(node, kSwitchY, 120, kSwitchHeight, "switch", "switch 0", failed.node("switch0"));
  for (const Box& host : hosts) {
    drawing.box(host, kHostY, 56, kHostHeight, "host", fmt::format("host {}", host.number));
  }
  drawing.links((kSwitchY + kSwitchHeight + kHostY) / 2, topology, topology.host_link_delay);
  return drawing.finish();
}

std::string drawClos(const TopologySpec& topology, const Failed& failed) {
  const auto leafName = [](const Box& box) { return fmt::format("leaf{}", box.number); };
  const auto spineName = [](const Box& box) { return fmt::format("spine{}", box.number); };
  constexpr double kSpineY = 20;
  constexpr double kLeafY = 150;
  constexpr double kHostY = 250;
  Drawing drawing(kHostY + kHostHeight + 16, topologyText(topology));
  const std::vector<Box> spines = place(shown(topology.spines, 6), kMargin, kDrawingRight);
  const std::vector<Box> leaves = place(shown(topology.leaves, 4), kMargin, kDrawingRight);
  const double step = (kDrawingRight - kMargin) / static_cast<double>(leaves.size());

  for (const Box& leaf : leaves) {
    for (const Box& spine : spines) {
      if (leaf.number == kGap || spine.number == kGap) continue;
      drawing.cable(spine.center, kSpineY + kSwitchHeight, leaf.center, kLeafY,
                    failed.cable(leafName(leaf), spineName(spine)));
    }
  }
  const auto members = shown(topology.hosts_per_leaf, leaves.size() > 2 ? 3 : 5);
  for (const Box& leaf : leaves) {
    if (leaf.number == kGap) continue;
    const double half = step / 2 - 6;
    for (const Box& host : place(members, leaf.center - half, leaf.center + half)) {
      const std::int64_t number = leaf.number * topology.hosts_per_leaf + host.number;
      if (host.number != kGap) {
        drawing.cable(leaf.center, kLeafY + kSwitchHeight, host.center, kHostY,
                      failed.cable(leafName(leaf), fmt::format("host{}", number)));
      }
      drawing.box(host, kHostY, 36, kHostHeight, "host", fmt::format("h{}", number));
    }
  }
  for (const Box& spine : spines) {
    drawing.box(spine, kSpineY, 72, kSwitchHeight, "switch", fmt::format("spine {}", spine.number),
                failed.node(spineName(spine)));
  }
  for (const Box& leaf : leaves) {
    drawing.box(leaf, kLeafY, 84, kSwitchHeight, "switch", fmt::format("leaf {}", leaf.number),
                failed.node(leafName(leaf)));
  }
  drawing.links((kSpineY + kSwitchHeight + kLeafY) / 2, topology, topology.fabric_link_delay);
  drawing.links((kLeafY + kSwitchHeight + kHostY) / 2, topology, topology.host_link_delay);
  return drawing.finish();
}

// Any graph, by its distance from the hosts: switches with hosts are the lowest tier, with the
// number of their hosts beneath, and so on upwards.
std::string drawTiers(const TopologySpec& topology, const Failed& failed) {
  constexpr double kTierHeight = 110;
  constexpr double kTop = 20;
  constexpr std::size_t kMost = 9;
  const fabric::Topology graph = fabric::buildTopology(topology);
  const auto tiers = tiersOf(graph);
  const auto rows = static_cast<double>(tiers.size());
  Drawing drawing(kTop + rows * kTierHeight + kHostHeight + 16, topologyText(topology));

  std::map<fabric::NodeId, std::pair<double, double>> at;  // centre and top of what is drawn
  double y = kTop + (rows - 1) * kTierHeight;
  for (const std::vector<fabric::NodeId>& tier : tiers) {
    for (const Box& box :
         place(shown(static_cast<std::int64_t>(tier.size()), kMost), kMargin, kDrawingRight)) {
      if (box.number != kGap) at[tier[static_cast<std::size_t>(box.number)]] = {box.center, y};
    }
    y -= kTierHeight;
  }
  for (const fabric::Link& link : graph.links()) {
    const auto from = at.find(link.from);
    const auto to = at.find(link.to);
    if (from == at.end() || to == at.end() || link.from > link.to) continue;
    const auto& low = from->second.second > to->second.second ? from->second : to->second;
    const auto& high = from->second.second > to->second.second ? to->second : from->second;
    drawing.cable(high.first, high.second + kSwitchHeight, low.first, low.second,
                  failed.cable(graph.nodes()[link.from].name, graph.nodes()[link.to].name));
  }
  for (const auto& [node, place] : at) {
    const std::size_t hosts = hostsOf(graph, node);
    if (hosts > 0) {
      const double host_y = place.second + kTierHeight;
      drawing.cable(place.first, place.second + kSwitchHeight, place.first, host_y);
      drawing.box({place.first, 0}, host_y, 56, kHostHeight, "host",
                  fmt::format("{} host{}", hosts, hosts == 1 ? "" : "s"));
    }
    drawing.box({place.first, 0}, place.second, 60, kSwitchHeight, "switch",
                graph.nodes()[node].name, failed.node(graph.nodes()[node].name));
  }
  for (std::size_t row = 0; row < tiers.size(); ++row) {
    if (tiers[row].size() <= kMost) continue;
    const double row_y = kTop + (rows - 1 - static_cast<double>(row)) * kTierHeight;
    for (const Box& box : place(shown(static_cast<std::int64_t>(tiers[row].size()), kMost), kMargin,
                                kDrawingRight)) {
      if (box.number == kGap) drawing.box(box, row_y, 60, kSwitchHeight, "switch", "");
    }
  }
  return drawing.finish();
}

}  // namespace

std::string renderTopology(const TopologySpec& topology,
                           const std::vector<fabric::FailureSpec>& failures) {
  const Failed failed(failures);
  switch (topology.kind) {
    case TopologyKind::kLink:
      return drawLink(topology, failed);
    case TopologyKind::kSingleSwitch:
      return drawSwitch(topology, failed);
    case TopologyKind::kClos2:
      return drawClos(topology, failed);
    case TopologyKind::kClos3:
    case TopologyKind::kRail:
    case TopologyKind::kPools:
    case TopologyKind::kGraph:
      break;
  }
  return drawTiers(topology, failed);
}

}  // namespace plumbline::report
