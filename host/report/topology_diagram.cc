#include "report/topology_diagram.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "report/number.h"
#include "report/svg.h"

namespace plumbline::report {
namespace {

using fabric::TopologyKind;
using fabric::TopologySpec;

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

class Drawing {
 public:
  Drawing(double height, const std::string& label) : svg_(kWidth, height, label) {}

  void cable(double x1, double y1, double x2, double y2) { svg_.line({x1, y1}, {x2, y2}, "cable"); }

  void box(const Box& box, double y, double width, double height, const char* style,
           const std::string& name) {
    if (box.number == kGap) {
      svg_.text({box.center, y + height / 2 + 4}, Anchor::kMiddle, "label", "· · ·");
      return;
    }
    svg_.rect({box.center - width / 2, y}, width, height, style);
    svg_.text({box.center, y + height / 2 + 4}, Anchor::kMiddle, "small", name);
  }

  // What runs between two tiers, at the right.
  void links(double y, const TopologySpec& topology, Picoseconds delay) {
    const double x = kWidth - kTextColumn + 16;
    svg_.text({x, y - 2}, Anchor::kStart, "small",
              readableNumber(topology.link_rate.toGigabitsPerSecond()) + " Gb/s");
    svg_.text({x, y + 13}, Anchor::kStart, "small", readableNumber(delay.toNanoseconds()) + " ns");
  }

  [[nodiscard]] std::string finish() const { return svg_.finish(); }

 private:
  Svg svg_;
};

constexpr double kHostHeight = 24;
constexpr double kSwitchHeight = 32;
constexpr double kRight = kWidth - kTextColumn;

std::string drawLink(const TopologySpec& topology) {
  constexpr double kHeight = 80;
  Drawing drawing(kHeight, topologyText(topology));
  const std::vector<Box> hosts = place({0, 1}, kMargin, kRight);
  const double y = kHeight / 2;
  drawing.cable(hosts[0].center, y, hosts[1].center, y);
  for (const Box& host : hosts) {
    drawing.box(host, y - kHostHeight / 2, 64, kHostHeight, "host",
                fmt::format("host {}", host.number));
  }
  drawing.links(y, topology, topology.host_link_delay);
  return drawing.finish();
}

std::string drawSwitch(const TopologySpec& topology) {
  constexpr double kSwitchY = 20;
  constexpr double kHostY = 140;
  Drawing drawing(kHostY + kHostHeight + 16, topologyText(topology));
  const Box node{(kMargin + kRight) / 2, 0};
  const std::vector<Box> hosts = place(shown(topology.hosts, 9), kMargin, kRight);
  for (const Box& host : hosts) {
    if (host.number != kGap) {
      drawing.cable(node.center, kSwitchY + kSwitchHeight, host.center, kHostY);
    }
  }
  drawing.box(node, kSwitchY, 120, kSwitchHeight, "switch", "switch 0");
  for (const Box& host : hosts) {
    drawing.box(host, kHostY, 56, kHostHeight, "host", fmt::format("host {}", host.number));
  }
  drawing.links((kSwitchY + kSwitchHeight + kHostY) / 2, topology, topology.host_link_delay);
  return drawing.finish();
}

std::string drawClos(const TopologySpec& topology) {
  constexpr double kSpineY = 20;
  constexpr double kLeafY = 150;
  constexpr double kHostY = 250;
  Drawing drawing(kHostY + kHostHeight + 16, topologyText(topology));
  const std::vector<Box> spines = place(shown(topology.spines, 6), kMargin, kRight);
  const std::vector<Box> leaves = place(shown(topology.leaves, 4), kMargin, kRight);
  const double step = (kRight - kMargin) / static_cast<double>(leaves.size());

  for (const Box& leaf : leaves) {
    for (const Box& spine : spines) {
      if (leaf.number == kGap || spine.number == kGap) continue;
      drawing.cable(spine.center, kSpineY + kSwitchHeight, leaf.center, kLeafY);
    }
  }
  const auto members = shown(topology.hosts_per_leaf, leaves.size() > 2 ? 3 : 5);
  for (const Box& leaf : leaves) {
    if (leaf.number == kGap) continue;
    const double half = step / 2 - 6;
    for (const Box& host : place(members, leaf.center - half, leaf.center + half)) {
      const std::int64_t number = leaf.number * topology.hosts_per_leaf + host.number;
      if (host.number != kGap) {
        drawing.cable(leaf.center, kLeafY + kSwitchHeight, host.center, kHostY);
      }
      drawing.box(host, kHostY, 36, kHostHeight, "host", fmt::format("h{}", number));
    }
  }
  for (const Box& spine : spines) {
    drawing.box(spine, kSpineY, 72, kSwitchHeight, "switch", fmt::format("spine {}", spine.number));
  }
  for (const Box& leaf : leaves) {
    drawing.box(leaf, kLeafY, 84, kSwitchHeight, "switch", fmt::format("leaf {}", leaf.number));
  }
  drawing.links((kSpineY + kSwitchHeight + kLeafY) / 2, topology, topology.fabric_link_delay);
  drawing.links((kLeafY + kSwitchHeight + kHostY) / 2, topology, topology.host_link_delay);
  return drawing.finish();
}

}  // namespace

std::string renderTopology(const TopologySpec& topology) {
  switch (topology.kind) {
    case TopologyKind::kLink:
      return drawLink(topology);
    case TopologyKind::kSingleSwitch:
      return drawSwitch(topology);
    case TopologyKind::kClos2:
      break;
  }
  return drawClos(topology);
}

std::string topologyText(const TopologySpec& topology) {
  switch (topology.kind) {
    case TopologyKind::kLink:
      return "Bare link between two host ports";
    case TopologyKind::kSingleSwitch:
      return fmt::format("Single switch with {} host ports", topology.hosts);
    case TopologyKind::kClos2:
      break;
  }
  return fmt::format("Leaf–spine, {} leaves × {} spines, {} hosts on each leaf ({} host ports)",
                     topology.leaves, topology.spines, topology.hosts_per_leaf,
                     topology.hostCount());
}

}  // namespace plumbline::report
