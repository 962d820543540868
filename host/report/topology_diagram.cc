#include "report/topology_diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fabric/spec/describe.h"
#include "fabric/topology/topology.h"
#include "report/graph_layout.h"
#include "report/picture.h"
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

std::vector<std::int64_t> shown(std::int64_t count, std::int64_t max) {
  std::vector<std::int64_t> members;
  if (count <= max) {
    for (std::int64_t i = 0; i < count; ++i) members.push_back(i);
    return members;
  }
  for (std::int64_t i = 0; i < max - 2; ++i) members.push_back(i);
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

// Failed elements, by the names of nodes.
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

  // Within a row, around the switches between: `height` above the tops of its ends.
  void arc(double x1, double x2, double top, double height, bool failed) {
    svg_.curve({x1, top}, {(x1 + x2) / 2, top - 2 * height}, {x2, top},
               failed ? "cable failed" : "cable");
  }

  // Labels of the links between two tiers, at the right.
  void links(double y, BitRate rate, Picoseconds delay) {
    lines(y, {results::readableNumber(rate.toGigabitsPerSecond()) + " Gb/s",
              results::readableNumber(delay.toNanoseconds()) + " ns"});
  }
  void lines(double y, const std::vector<std::string>& texts) {
    const double x = kWidth - kTextColumn + 16;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      svg_.text({x, y - 2 + 15 * static_cast<double>(i)}, Anchor::kStart, "small", texts[i]);
    }
  }

  [[nodiscard]] std::string finish() const { return svg_.finish(); }

 private:
  Svg svg_;
};

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
  drawing.links(y, topology.link_rate, topology.host_link_delay);
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
  drawing.links((kSwitchY + kSwitchHeight + kHostY) / 2, topology.link_rate,
                topology.host_link_delay);
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
  drawing.links((kSpineY + kSwitchHeight + kLeafY) / 2, topology.fabricRate(),
                topology.fabric_link_delay);
  drawing.links((kLeafY + kSwitchHeight + kHostY) / 2, topology.link_rate,
                topology.host_link_delay);
  return drawing.finish();
}

// "250 ns", or "50 to 5,000 ns" of several.
std::string rangeText(const std::set<double>& values, const char* unit) {
  std::string text = results::readableNumber(*values.begin());
  if (values.size() > 1) text += " to " + results::readableNumber(*values.rbegin());
  return text + " " + unit;
}

// Rates and delays that the cables at one height of the drawing have.
struct CableKinds {
  std::set<double> gbps;
  std::set<double> ns;

  void add(const fabric::Link& link) {
    gbps.insert(link.rate.toGigabitsPerSecond());
    ns.insert(link.delay.toNanoseconds());
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    if (gbps.empty()) return {};
    return {rangeText(gbps, "Gb/s"), rangeText(ns, "ns")};
  }
};

// Any graph, by distance from the hosts: switches with hosts are the lowest row, with the number of
// their hosts beneath, and so on upwards.
class RowDrawing {
 public:
  RowDrawing(const TopologySpec& topology, const Failed& failed)
      : graph_(fabric::buildTopology(topology)),
        // Regular fabrics read best in order of number.
        rows_(topology.kind == TopologyKind::kGraph ? orderedRows(graph_) : switchRows(graph_)),
        failed_(failed) {
    place();
    top_ = kTop + tallestArc();
    const double height = top_ + static_cast<double>(rows_.size()) * kRowHeight + kHostHeight + 16;
    drawing_.emplace(height, topologyText(topology));
    for (auto& [node, spot] : at_) spot.y = yOf(spot.row);
  }

  std::string draw() {
    cables();
    for (const auto& [node, spot] : at_) hostsOn(node, spot);
    for (const auto& [node, spot] : at_) {
      drawing_->box({spot.x, 0}, spot.y, spot.width, kSwitchHeight, "switch",
                    wrapped(graph_.nodes()[node].name, spot.width - 4, 12, 1).front(),
                    failed_.node(graph_.nodes()[node].name));
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_[row].size() > kMax) {
        drawing_->box({gaps_.at(row), kGap}, yOf(row), 60, kSwitchHeight, "switch", "");
      }
      drawing_->lines(yOf(row) + kSwitchHeight + (kRowHeight - kSwitchHeight) / 2,
                      below_[row].texts());
      drawing_->lines(yOf(row) + kSwitchHeight / 2, within_[row].texts());
    }
    return drawing_->finish();
  }

 private:
  struct Spot {
    std::size_t row = 0;
    std::size_t place = 0;  // in the row
    double x = 0;           // of the centre
    double y = 0;           // of the top
    double width = 60;
  };

  static constexpr double kRowHeight = 110;
  static constexpr double kTop = 20;
  static constexpr std::size_t kMax = 9;

  [[nodiscard]] double yOf(std::size_t row) const {
    return top_ + static_cast<double>(rows_.size() - 1 - row) * kRowHeight;
  }

  void place() {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      std::size_t place_in_row = 0;
      const auto members = shown(static_cast<std::int64_t>(rows_[row].size()), kMax);
      const double step = (kDrawingRight - kMargin) / static_cast<double>(members.size());
      for (const Box& box : report::place(members, kMargin, kDrawingRight)) {
        if (box.number == kGap) {
          gaps_[row] = box.center;
        } else {
          at_[rows_[row][static_cast<std::size_t>(box.number)]] = {
              row, place_in_row, box.center, 0, std::clamp(0.64 * step, 40.0, 84.0)};
        }
        ++place_in_row;
      }
    }
    below_.resize(rows_.size());
    within_.resize(rows_.size());
  }

  static double arcHeight(const Spot& a, const Spot& b) {
    const auto between =
        static_cast<double>(std::max(a.place, b.place) - std::min(a.place, b.place)) - 1;
    return std::min(12 + 7 * between, 56.0);
  }

  // Room that cables within the highest row need above it.
  [[nodiscard]] double tallestArc() const {
    double tallest = 0;
    for (const fabric::Link& link : graph_.links()) {
      const auto from = at_.find(link.from);
      const auto to = at_.find(link.to);
      if (from == at_.end() || to == at_.end() || from->second.row != to->second.row) continue;
      if (from->second.row + 1 == rows_.size() && !neighbours(from->second, to->second)) {
        tallest = std::max(tallest, arcHeight(from->second, to->second));
      }
    }
    return tallest;
  }

  static bool neighbours(const Spot& a, const Spot& b) {
    return std::max(a.place, b.place) - std::min(a.place, b.place) == 1;
  }

  void cables() {
    for (const fabric::Link& link : graph_.links()) {
      const auto from = at_.find(link.from);
      const auto to = at_.find(link.to);
      if (from == at_.end() || to == at_.end() || link.from > link.to) continue;
      cable(link, from->second, to->second);
    }
  }

  void cable(const fabric::Link& link, const Spot& from, const Spot& to) {
    const bool failed = failed_.cable(graph_.nodes()[link.from].name, graph_.nodes()[link.to].name);
    if (from.row != to.row) {
      const Spot& low = from.row < to.row ? from : to;
      const Spot& high = from.row < to.row ? to : from;
      below_[high.row].add(link);
      drawing_->cable(high.x, high.y + kSwitchHeight, low.x, low.y, failed);
      return;
    }
    within_[from.row].add(link);
    if (neighbours(from, to)) {
      const double y = from.y + kSwitchHeight / 2;
      drawing_->cable(from.x, y, to.x, y, failed);
    } else {
      drawing_->arc(from.x, to.x, from.y, arcHeight(from, to), failed);
    }
  }

  void hostsOn(fabric::NodeId node, const Spot& spot) {
    const std::size_t hosts = hostsOf(graph_, node);
    if (hosts == 0) return;
    for (const fabric::LinkId link : graph_.nodes()[node].out_links) {
      if (graph_.nodes()[graph_.links()[link].to].kind == fabric::NodeKind::kHost) {
        below_[spot.row].add(graph_.links()[link]);
      }
    }
    const double host_y = spot.y + kRowHeight;
    drawing_->cable(spot.x, spot.y + kSwitchHeight, spot.x, host_y);
    drawing_->box({spot.x, 0}, host_y, std::min(spot.width, 60.0), kHostHeight, "host",
                  fmt::format("{} host{}", hosts, hosts == 1 ? "" : "s"));
  }

  fabric::Topology graph_;
  std::vector<std::vector<fabric::NodeId>> rows_;
  const Failed& failed_;
  std::map<fabric::NodeId, Spot> at_;
  std::map<std::size_t, double> gaps_;  // centre of the ellipsis of a row
  std::vector<CableKinds> below_;       // each row: cables between it and the row below
  std::vector<CableKinds> within_;
  double top_ = kTop;
  std::optional<Drawing> drawing_;
};

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
  return RowDrawing(topology, failed).draw();
}

}  // namespace plumbline::report
