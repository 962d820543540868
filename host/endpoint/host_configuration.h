// What a report must say of the host that a bench runs on, and what its NIC counts: read from /proc
// and /sys.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/trial.h"

namespace plumbline::endpoint {

using Configuration = std::vector<std::pair<std::string, std::string>>;

// Kernel, processor, frequency governor, NUMA nodes, limit of locked memory. What cannot be read is
// said to be unknown. `root` stands for "/".
Configuration hostConfiguration(const std::string& root = "/");

// Driver, firmware, NUMA node and PCIe link of the RDMA device `device`.
Configuration deviceConfiguration(const std::string& device, const std::string& root = "/");

// All counters of a port of an RDMA device, those of the port and those of its hardware, sorted by
// name; empty when the device has none. A file that is no number is left out.
std::vector<bench::HostCounter> deviceCounters(const std::string& device, unsigned port,
                                               const std::string& root = "/");

// `after` less `before`, counter by counter. One that has gone backwards was reset and is left out.
std::vector<bench::HostCounter> counterDifference(const std::vector<bench::HostCounter>& before,
                                                  const std::vector<bench::HostCounter>& after);

}  // namespace plumbline::endpoint
