// Properties of an RDMA device and its port for the report: read from /sys.
#pragma once

#include <string>

#include "endpoint/host_configuration.h"

namespace plumbline::endpoint {

// A port of an RDMA device, and the GID of it that queue pairs use.
struct DevicePort {
  std::string device;
  unsigned port = 1;
  unsigned gid_index = 1;
};

// Driver of the device as /sys names it ("mlx5_core"), "rdma_rxe" for soft-RoCE; empty if unknown.
std::string driverOf(const std::string& device, const std::string& root = "/");

// Driver, firmware, board, NUMA node, PCIe link and IOMMU group of the device; state, speed and
// width of its port, kind of its GID, the network interface behind that one, and the driver's ECN
// and PFC settings. An unreadable value is "unknown", with the reason. `root` replaces "/".
Configuration deviceConfiguration(const DevicePort& port, const std::string& root = "/");

}  // namespace plumbline::endpoint
