// A run of the training suite like a user's, but of a few seconds: every test that a small fabric
// supports, with the smallest sufficient numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace plumbline {

inline constexpr const char* kShortSuite = R"(plumbline: 1
name: short-suite
tests: [T6.2, T6.4, T6.5a, T6.5b, T6.7, T7.2, T8.1, T8.2, T9.1, T9.3, T10.1, T10.3, T11.1, T11.2,
        T11.3, T12.1, T12.2]
dut:
  topology: {kind: clos2, leaves: 4, spines: 2, hosts_per_leaf: 4, link: 400G}
  switch:
    shared_buffer: {total: 64MB}
    ecn: {priorities: [0, 3], kmin: 200KB, kmax: 800KB, pmax: 20%}
    pfc: {priorities: 3, xoff: 200KB, headroom: 120KB}
    trim: {threshold: 800KB, priority: 5, limit: 200KB}
parameters:
  sizes: 64KiB
  ranks: 8
  flows: 2
  incast_ratios: 4
  compute: 20us
  iterations: 2
  repetitions: 2
  duration: 100us
  soak: {interval: 3600s}
seed: 7
)";

inline std::string writeShortSuite(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / "short-suite.yaml";
  std::ofstream(file) << kShortSuite;
  return file.string();
}

}  // namespace plumbline
