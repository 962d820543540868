#include "serving/accelerator_profile.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"

namespace plumbline::serving {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

// Data sheets; the H800 is an H100 with NVLink reduced to 400 GB/s, 200 in each direction.
const std::array<AcceleratorProfile, 4>& accelerators() {
  static const std::array<AcceleratorProfile, 4> all{{
      {"h100", 989e12, 1979e12, 3.35e12, 80 * kGibibyte, 450e9, 64e9},
      {"h200", 989e12, 1979e12, 4.8e12, 141e9, 450e9, 64e9},
      {"h800", 989e12, 1979e12, 3.35e12, 80 * kGibibyte, 200e9, 64e9},
      {"a100", 312e12, 312e12, 2.04e12, 80 * kGibibyte, 300e9, 32e9},
  }};
  return all;
}

const std::array<Efficiency, 4>& efficiencies() {
  static const std::array<Efficiency, 4> all{{
      {"ideal", 1, 1, 1, Picoseconds(0), Picoseconds(0)},
      {"kernels", 0.7, 0.8, 0.7, microseconds(10), Picoseconds(0)},
      {"served", 0.5, 0.65, 0.7, microseconds(10), milliseconds(2)},
      {"old", 0.4, 0.6, 0.7, microseconds(15), milliseconds(20)},
  }};
  return all;
}

template <typename Profiles>
auto named(const Profiles& profiles, std::string_view name)
    -> std::optional<typename Profiles::value_type> {
  for (const auto& profile : profiles) {
    if (profile.name == name) return profile;
  }
  return std::nullopt;
}

template <typename Profiles>
std::vector<std::string> names(const Profiles& profiles) {
  std::vector<std::string> all;
  all.reserve(profiles.size());
  for (const auto& profile : profiles) all.push_back(profile.name);
  return all;
}

void figure(const char* field, double value, double min, double max) {
  if (value >= min && value <= max) return;
  throw Error(ErrorKind::kUsage, fmt::format("the accelerator's {} is {}", field, value), field,
              fmt::format("{} to {}", min, max));
}

void share(const char* field, double value) {
  if (value > 0 && value <= 1) return;
  throw Error(ErrorKind::kUsage, fmt::format("the efficiency of {} is {}", field, value), field,
              "more than 0, at most 1");
}

}  // namespace

void check(const AcceleratorProfile& accelerator) {
  figure("flops_16", accelerator.flops_16, 1e9, 1e18);
  figure("flops_8", accelerator.flops_8, accelerator.flops_16, 1e18);
  figure("memory_bw", accelerator.memory_bw, 1e9, 1e15);
  figure("memory", accelerator.memory, 1e9, 1e13);
  figure("nvlink", accelerator.nvlink, 1e9, 1e14);
  figure("pcie", accelerator.pcie, 1e9, 1e13);
}

void check(const Efficiency& efficiency) {
  share("flops", efficiency.flops);
  share("memory", efficiency.memory);
  share("link", efficiency.link);
  for (const Picoseconds time : {efficiency.allreduce, efficiency.step}) {
    if (time >= Picoseconds() && time <= seconds(1)) continue;
    throw Error(ErrorKind::kUsage, fmt::format("an overhead of {} s", time.toSeconds()),
                "efficiency", "0 s to 1 s");
  }
}

std::optional<AcceleratorProfile> builtInAccelerator(std::string_view name) {
  return named(accelerators(), name);
}
std::vector<std::string> builtInAccelerators() { return names(accelerators()); }
std::optional<Efficiency> builtInEfficiency(std::string_view name) {
  return named(efficiencies(), name);
}
std::vector<std::string> builtInEfficiencies() { return names(efficiencies()); }

}  // namespace plumbline::serving
