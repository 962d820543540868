// A serving system on a fabric, and its load: part of a trial.
#pragma once

#include <cstdint>
#include <vector>

#include "serving/serving_model.h"
#include "serving/slo.h"
#include "serving/workload.h"

namespace plumbline::serving {

struct ServingProgram {
  ServingSpec system;
  WorkloadSpec workload;
  // Queue pairs (packet delivery contexts) between two NICs, used by messages in turn.
  std::uint32_t queue_pairs = 4;
  // Hosts of the NICs, those of the prefill pool first; empty: hosts 0, 1, …
  std::vector<std::uint32_t> hosts;
  // For observers of a trial, and for its requests as raw data. Limits do not affect the
  // simulation, so they are not part of a trial's key.
  SloSpec slo{};
};

// Throws Error(kUsage) that names the field and its limits, for all that can be checked without a
// fabric.
void check(const ServingProgram& program);

}  // namespace plumbline::serving
