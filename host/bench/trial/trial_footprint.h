// Memory of a trial's simulation, computed before anything is built.
#pragma once

#include <optional>
#include <string>

#include "bench/trial/trial.h"

namespace plumbline::bench {

struct TrialFootprint {
  double fabric = 0;       // [bytes]
  double connections = 0;  // pairs of hosts times flows, as far as they are known
  double waiting = 0;      // messages that are posted faster than the hosts' links carry them
  double samples = 0;      // instants of a sampled trial
  double caches = 0;       // pages of KV cache of serving systems [bytes]
  double bytes = 0;        // all of it
};

// For simulated hosts and their fabric. The running trial may take more: checkWork() watches the
// actual use.
TrialFootprint footprintOf(const TrialSpec& spec);

// Why the trial takes more memory than the program may use; nothing when it does not.
std::optional<std::string> memoryRefusalOf(const TrialSpec& spec);

}  // namespace plumbline::bench
