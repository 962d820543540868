// What a trial runs on a fabric: a serving system and its load.
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
  // Queue pairs (packet delivery contexts) between two NICs, which messages take in turn.
  std::uint32_t queue_pairs = 4;
  // Hosts of the NICs, those of the prefill pool first; empty: hosts 0, 1, …
  std::vector<std::uint32_t> hosts;
  // For those who watch a trial, and for its requests as raw data. Limits change nothing of what is
  // simulated, so they are not part of a trial's key.
  SloSpec slo{};
};

// Throws Error(kUsage) that names the field and says what is allowed, for all that can be told
// without a fabric.
void check(const ServingProgram& program);

}  // namespace plumbline::serving
