// Shortest paths between hosts of a fabric, and the resources that paths share.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fabric/spec/fabric_plan.h"

namespace plumbline::suite {

class PathLengths {
 public:
  // Throws Error(kUsage) for an invalid fabric.
  explicit PathLengths(const fabric::FabricSpec& dut) : fabric_(dut) {}

  [[nodiscard]] std::uint32_t hostCount() const { return fabric_.hostCount(); }

  // Links from host to host.
  double links(fabric::HostId from, fabric::HostId to);
  // Of the host's link [bit/s].
  [[nodiscard]] double rate(fabric::HostId host) const;
  // Latency of a full frame on the empty path.
  [[nodiscard]] double seconds(fabric::HostId from, fabric::HostId to) const {
    return fabric_.unloadedLatency(from, to, Bytes(4096)).toSeconds();
  }

  // A shared resource: the links out of a node, or those into it. For a switch only those from and
  // to other switches.
  struct Resource {
    fabric::NodeId node = 0;
    bool out = true;
    auto operator<=>(const Resource&) const = default;
  };
  // On the path from host to host: at both hosts, and at their switches if these differ.
  [[nodiscard]] std::vector<Resource> resources(fabric::HostId from, fabric::HostId to) const;
  // [bit/s]
  [[nodiscard]] double capacity(const Resource& resource) const;

 private:
  [[nodiscard]] const fabric::Link& linkOf(fabric::HostId host) const;
  const std::vector<std::uint32_t>& distancesFrom(fabric::NodeId node);

  fabric::FabricPlan fabric_;
  std::unordered_map<fabric::NodeId, std::vector<std::uint32_t>> distances_;
};

}  // namespace plumbline::suite
