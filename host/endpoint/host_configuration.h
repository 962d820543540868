// Properties of the bench's host for the report: read from /proc and /sys.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plumbline::endpoint {

using Configuration = std::vector<std::pair<std::string, std::string>>;

// Kernel, processor, processors that this program may use, frequency governor, NUMA nodes, IOMMU,
// huge pages, limit of locked memory. An unreadable value is "unknown", with the reason. `root`
// replaces "/".
Configuration hostConfiguration(const std::string& root = "/");

}  // namespace plumbline::endpoint
