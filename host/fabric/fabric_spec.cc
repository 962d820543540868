#include "fabric/fabric_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::fabric {
namespace {

// Bounds that keep every time far from the end of its type; no real fabric is near them.
constexpr BitRate kMinRate{1'000'000};
constexpr BitRate kMaxRate{8'000'000'000'000};
constexpr Picoseconds kMaxDelay = seconds(1);
constexpr Bytes kMinBuffer{64};
constexpr Bytes kMaxBuffer{std::int64_t{1} << 40};

void checkCount(std::uint64_t value, std::uint64_t low, std::uint64_t high, const char* field) {
  if (value >= low && value <= high) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} is out of range", value), field,
              fmt::format("allowed: {} to {}", low, high));
}

void checkDelay(Picoseconds value, const std::string& field) {
  if (value > Picoseconds(0) && value <= kMaxDelay) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} ps is out of range", value.count()), field,
              "allowed: 1 ps to 1 s");
}

void checkTopology(const TopologySpec& topology) {
  switch (topology.kind) {
    case TopologyKind::kLink:
      break;
    case TopologyKind::kSingleSwitch:
      checkCount(topology.hosts, 2, kMaxHosts, "topology.hosts");
      break;
    case TopologyKind::kClos2:
      checkCount(topology.leaves, 1, kMaxSwitchesPerTier, "topology.leaves");
      checkCount(topology.spines, 1, kMaxSwitchesPerTier, "topology.spines");
      checkCount(topology.hosts_per_leaf, 1, kMaxHosts, "topology.hosts_per_leaf");
      checkCount(topology.hostCount(), 2, kMaxHosts, "topology.leaves * topology.hosts_per_leaf");
      checkDelay(topology.fabric_link_delay, "topology.fabric_link_delay");
      break;
    default:
      throw Error(ErrorKind::kUsage, "unknown topology", "topology.kind",
                  "allowed: link, single switch, clos2");
  }
  if (topology.link_rate < kMinRate || topology.link_rate > kMaxRate) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} bit/s is out of range", topology.link_rate.bitsPerSecond()),
                "topology.link_rate", "allowed: 1 Mb/s to 8 Tb/s");
  }
  checkDelay(topology.host_link_delay, "topology.host_link_delay");
}

void checkSwitches(const SwitchSpec& switches) {
  if (switches.buffer_per_port < kMinBuffer || switches.buffer_per_port > kMaxBuffer) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} bytes is out of range", switches.buffer_per_port.count()),
                "switches.buffer_per_port",
                fmt::format("allowed: {} to {} bytes", kMinBuffer.count(), kMaxBuffer.count()));
  }
  checkDelay(switches.latency, "switches.latency");
  if (switches.forwarding != Forwarding::kStoreAndForward &&
      switches.forwarding != Forwarding::kCutThrough) {
    throw Error(ErrorKind::kUsage, "unknown forwarding mode", "switches.forwarding",
                "allowed: store-and-forward, cut-through");
  }
}

void checkImpairments(const std::vector<Impairment>& impairments, std::uint32_t hosts) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  for (std::size_t i = 0; i < impairments.size(); ++i) {
    const Impairment& one = impairments[i];
    const std::string field = fmt::format("impairments[{}]", i);
    checkCount(one.host, 0, hosts - 1, (field + ".host").c_str());
    switch (one.kind) {
      case ImpairmentKind::kDrop:
      case ImpairmentKind::kDuplicate:
        break;
      case ImpairmentKind::kDelay:
        checkDelay(one.delay, field + ".delay");
        break;
      default:
        throw Error(ErrorKind::kUsage, "unknown impairment", field + ".kind",
                    "allowed: drop, duplicate, delay");
    }
    if (!seen.emplace(one.host, one.frame).second) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("frame {} of host {} is impaired twice", one.frame, one.host),
                  field + ".frame", "allowed: one impairment per frame");
    }
  }
}

}  // namespace

std::uint32_t TopologySpec::hostCount() const {
  switch (kind) {
    case TopologyKind::kSingleSwitch:
      return hosts;
    case TopologyKind::kClos2: {
      constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
      return static_cast<std::uint32_t>(std::min(std::uint64_t{leaves} * hosts_per_leaf, kMost));
    }
    case TopologyKind::kLink:
      break;
  }
  return 2;
}

std::uint32_t FabricSpec::hostCount() const { return topology.hostCount(); }

void validate(const FabricSpec& spec) {
  checkTopology(spec.topology);
  checkSwitches(spec.switches);
  checkImpairments(spec.impairments, spec.hostCount());
}

}  // namespace plumbline::fabric
