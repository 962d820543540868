#include "endpoint/host_configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "endpoint/fault.h"
#include "endpoint/sys_file.h"

namespace plumbline::endpoint {
namespace {

namespace fs = std::filesystem;

// The text after the name and its colon in a file of such lines.
std::optional<std::string> fieldOf(const fs::path& file, const std::string& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t text = line.find_first_not_of(" \t", colon + 1);
    if (colon != std::string::npos && text != std::string::npos) return line.substr(text);
  }
  return std::nullopt;
}

std::string processorText(const fs::path& root) {
  const auto model = fieldOf(root / "proc/cpuinfo", "model name");
  return fmt::format("{}, {} usable",
                     model ? *model : "model unknown (/proc/cpuinfo does not name it)",
                     std::thread::hardware_concurrency());
}

// "performance", or how many processors have which where they differ.
std::string governorText(const fs::path& root) {
  const fs::path processors = root / "sys/devices/system/cpu";
  std::map<std::string, int> governors;
  for (const std::string& name : numberedIn(processors, "cpu")) {
    if (const auto governor = firstLine(processors / name / "cpufreq/scaling_governor")) {
      ++governors[*governor];
    }
  }
  if (governors.empty()) {
    return unknown(
        "no driver of this kernel sets the processors' frequency (no cpufreq in "
        "/sys/devices/system/cpu/cpu0)");
  }
  if (governors.size() == 1) return governors.begin()->first;
  std::vector<std::string> parts;
  parts.reserve(governors.size());
  for (const auto& [governor, count] : governors) {
    parts.push_back(fmt::format("{} of {} processors", governor, count));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string nodesText(const fs::path& root) {
  const std::size_t nodes = numberedIn(root / "sys/devices/system/node", "node").size();
  return nodes > 0 ? std::to_string(nodes) : unknown("there is no /sys/devices/system/node");
}

std::string iommuText(const fs::path& root) {
  const std::vector<std::string> units = namesIn(root / "sys/class/iommu");
  return units.empty() ? "none in use (/sys/class/iommu has none)"
                       : fmt::format("{}", fmt::join(units, ", "));
}

// "3 of 8 free of 2048kB; 0 of 0 free of 1048576kB; transparent ones madvise"
std::string hugePagesText(const fs::path& root) {
  const fs::path memory = root / "sys/kernel/mm";
  std::vector<std::string> parts;
  for (const std::string& pool : namesIn(memory / "hugepages")) {
    const auto all = firstLine(memory / "hugepages" / pool / "nr_hugepages");
    const auto free = firstLine(memory / "hugepages" / pool / "free_hugepages");
    const std::string size = pool.substr(pool.find('-') + 1);
    if (all && free) parts.push_back(fmt::format("{} of {} free of {}", *free, *all, size));
  }
  if (parts.empty()) parts.push_back(unknown("there is no /sys/kernel/mm/hugepages"));
  // "always [madvise] never": the bracketed one is active.
  const auto transparent = firstLine(memory / "transparent_hugepage/enabled").value_or("");
  const std::size_t open = transparent.find('[');
  const std::size_t close = transparent.find(']', open);
  parts.push_back("transparent ones " + (close == std::string::npos
                                             ? unknown("the kernel has none")
                                             : transparent.substr(open + 1, close - open - 1)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

Configuration hostConfiguration(const std::string& root) {
  const fs::path top(root);
  utsname system{};
  uname(&system);
  const auto allowed = fieldOf(top / "proc/self/status", "Cpus_allowed_list");
  return {{"Kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"Processor", processorText(top)},
          {"Processors for the bench", allowed ? *allowed : unknown("/proc/self/status has none")},
          {"Frequency governor", governorText(top)},
          {"NUMA nodes", nodesText(top)},
          {"IOMMU", iommuText(top)},
          {"Huge pages", hugePagesText(top)},
          {"Limit of locked memory", lockedMemoryLimit()}};
}

}  // namespace plumbline::endpoint
