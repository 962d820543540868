// What a report must say of the host that a bench runs on: read from /proc and /sys.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plumbline::endpoint {

using Configuration = std::vector<std::pair<std::string, std::string>>;

// Kernel, processor, processors that this program may use, frequency governor, NUMA nodes, IOMMU,
// huge pages, limit of locked memory. What cannot be read is "unknown", with the reason. `root`
// stands for "/".
Configuration hostConfiguration(const std::string& root = "/");

}  // namespace plumbline::endpoint
