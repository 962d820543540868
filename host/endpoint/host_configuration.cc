#include "endpoint/host_configuration.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "endpoint/fault.h"

namespace plumbline::endpoint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnknown = "unknown";

// The first line of a file, without blanks at its end; nothing when it cannot be read or is empty.
std::optional<std::string> firstLine(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line.empty() ? std::nullopt : std::optional(line);
}

std::string lineOrUnknown(const fs::path& file) { return firstLine(file).value_or(kUnknown); }

std::string processorModel(const fs::path& root) {
  std::ifstream stream(root / "proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return kUnknown;
}

// Entries of a directory that are called `prefix` and a number.
std::size_t countNumbered(const fs::path& directory, const std::string& prefix) {
  std::error_code error;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    const bool numbered = name.size() > prefix.size() && name.starts_with(prefix) &&
                          name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (numbered) ++count;
  }
  return count;
}

void addCounters(const fs::path& directory, const std::string& prefix,
                 std::vector<bench::HostCounter>& counters) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const auto line = firstLine(entry.path());
    if (!line) continue;
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(line->data(), line->data() + line->size(), value);
    if (fault != std::errc{} || end != line->data() + line->size()) continue;
    const std::string name = entry.path().filename();
    if (name == "lifespan") continue;  // how often the driver reads the others
    counters.push_back({prefix + name, value});
  }
}

}  // namespace

Configuration hostConfiguration(const std::string& root) {
  const fs::path top(root);
  utsname system{};
  uname(&system);
  const std::size_t nodes = countNumbered(top / "sys/devices/system/node", "node");
  return {{"Kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"Processor",
           fmt::format("{}, {} usable", processorModel(top), std::thread::hardware_concurrency())},
          {"Frequency governor",
           lineOrUnknown(top / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"NUMA nodes", nodes > 0 ? std::to_string(nodes) : kUnknown},
          {"Limit of locked memory", lockedMemoryLimit()}};
}

Configuration deviceConfiguration(const std::string& device, const std::string& root) {
  const fs::path top(root);
  const fs::path ib = top / "sys/class/infiniband" / device;
  // A soft-RoCE device names the network interface that it uses; the hardware is that one's.
  const auto parent = firstLine(ib / "parent");
  const fs::path pci = parent ? top / "sys/class/net" / *parent / "device" : ib / "device";
  std::error_code error;
  const fs::path link = fs::read_symlink(pci / "driver", error);
  std::string driver = error ? kUnknown : link.filename().string();
  if (parent) driver = fmt::format("soft-RoCE in the kernel, on {} ({})", *parent, driver);
  Configuration configuration{
      {"RDMA device", device},
      {"Driver", driver},
      {"Firmware", lineOrUnknown(ib / "fw_ver")},
      {"Board", lineOrUnknown(ib / "board_id")},
      {"NUMA node of the device", lineOrUnknown(pci / "numa_node")},
  };
  const auto speed = firstLine(pci / "current_link_speed");
  const auto width = firstLine(pci / "current_link_width");
  configuration.emplace_back("PCIe link",
                             speed && width ? fmt::format("{}, x{}", *speed, *width) : kUnknown);
  return configuration;
}

std::vector<bench::HostCounter> deviceCounters(const std::string& device, unsigned port,
                                               const std::string& root) {
  const fs::path directory =
      fs::path(root) / "sys/class/infiniband" / device / "ports" / std::to_string(port);
  const std::string prefix = fmt::format("{} port {} ", device, port);
  std::vector<bench::HostCounter> counters;
  addCounters(directory / "counters", prefix, counters);
  addCounters(directory / "hw_counters", prefix, counters);
  std::sort(counters.begin(), counters.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return counters;
}

std::vector<bench::HostCounter> counterDifference(const std::vector<bench::HostCounter>& before,
                                                  const std::vector<bench::HostCounter>& after) {
  std::vector<bench::HostCounter> difference;
  for (const bench::HostCounter& counter : after) {
    const auto earlier = std::find_if(before.begin(), before.end(), [&](const auto& candidate) {
      return candidate.name == counter.name;
    });
    if (earlier == before.end() || earlier->value > counter.value) continue;
    difference.push_back({counter.name, counter.value - earlier->value});
  }
  return difference;
}

}  // namespace plumbline::endpoint
