// Figures of an accelerator in the serving model, and the share of them that software reaches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace plumbline::serving {

// Peak figures by the manufacturer, without sparsity.
struct AcceleratorProfile {
  std::string name;
  double flops_16 = 0;   // FLOP/s with weights of 16 bits or more
  double flops_8 = 0;    // FLOP/s with weights of 8 bits or fewer
  double memory_bw = 0;  // byte/s
  double memory = 0;     // bytes
  double nvlink = 0;     // byte/s in one direction to the other accelerators of the server
  double pcie = 0;       // byte/s in one direction to the host
};

// Shares of the peak that software reaches, and its overhead.
struct Efficiency {
  std::string name = "served";
  double flops = 0.5;                        // of FLOP/s
  double memory = 0.65;                      // of memory bandwidth
  double link = 0.7;                         // of NVLink
  Picoseconds allreduce = microseconds(10);  // start of one tensor-parallel all-reduce
  Picoseconds step = milliseconds(2);        // host software per step
};

// Throw Error(kUsage) that names the invalid field.
void check(const AcceleratorProfile& accelerator);
void check(const Efficiency& efficiency);

// Built in: h100, h200, h800, a100; and ideal, kernels, served, old. Nothing for any other name.
std::optional<AcceleratorProfile> builtInAccelerator(std::string_view name);
std::vector<std::string> builtInAccelerators();
std::optional<Efficiency> builtInEfficiency(std::string_view name);
std::vector<std::string> builtInEfficiencies();

}  // namespace plumbline::serving
