#include "endpoint/device_counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "bench/sim/nic_figures.h"
#include "endpoint/sys_file.h"

namespace plumbline::endpoint {
namespace {

namespace fs = std::filesystem;

void addCounters(const fs::path& directory, const std::string& prefix,
                 std::vector<bench::HostCounter>& counters) {
  for (const std::string& name : namesIn(directory)) {
    const auto line = firstLine(directory / name);
    if (!line) continue;
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(line->data(), line->data() + line->size(), value);
    if (fault != std::errc{} || end != line->data() + line->size()) continue;
    if (name == "lifespan") continue;  // how often the driver reads the others
    counters.push_back({prefix + name, value});
  }
}

std::string uncountedReason(const std::string& device, const std::string& driver,
                            bench::NicFigure figure) {
  if (driver.empty()) return fmt::format("/sys does not name the driver of {}", device);
  if (!bench::isKnownNicDriver(driver)) {
    return fmt::format("what the driver {} of {} calls them is not known", driver, device);
  }
  const auto names = bench::countersOf(driver, figure);
  if (names.empty()) {
    return fmt::format("{} has no counter for {}: its driver {} has none", device,
                       bench::nicFigureName(figure), driver);
  }
  return fmt::format(
      "{} does not show {}, which the driver {} has for other devices, firmware or "
      "kernels",
      device, fmt::join(names, ", "), driver);
}

}  // namespace

std::vector<bench::HostCounter> deviceCounters(const std::string& device, unsigned port,
                                               const std::string& root) {
  const fs::path top = fs::path(root) / "sys/class/infiniband" / device;
  const fs::path directory = top / "ports" / std::to_string(port);
  const std::string prefix = fmt::format("{} port {} ", device, port);
  std::vector<bench::HostCounter> counters;
  addCounters(directory / "counters", prefix, counters);
  addCounters(directory / "hw_counters", prefix, counters);
  addCounters(top / "hw_counters", device + " ", counters);
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

std::vector<bench::Unobserved> uncountedFigures(const std::string& device,
                                                const std::string& driver,
                                                const std::vector<bench::HostCounter>& counters) {
  std::vector<bench::Unobserved> missing;
  for (const bench::NicFigure figure : bench::kNicFigures) {
    const bool counted =
        std::any_of(counters.begin(), counters.end(), [&](const bench::HostCounter& counter) {
          return bench::figureOfCounter(bench::counterOf(counter)) == figure;
        });
    if (counted) continue;
    missing.push_back(
        {std::string(bench::nicFigureName(figure)), uncountedReason(device, driver, figure)});
  }
  return missing;
}

}  // namespace plumbline::endpoint
