// The serving systems of a trial on their network: they run together, and can be observed
// meanwhile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/sim/serving_network.h"
#include "bench/trial/snapshot.h"
#include "bench/trial/trial.h"
#include "serving/serving_model.h"

namespace plumbline::bench {

// Why no simulated fabric can run the serving systems of `spec`; empty when one can.
std::vector<std::string> servingRefusals(const TrialSpec& spec);

class ServingSystems {
 public:
  // Each system uses its NICs of `network`, which outlives this object. `watched`: look() will be
  // called.
  ServingSystems(const TrialSpec& spec, ServingNetwork& network, bool watched);

  // Runs all systems to their end; call once.
  std::vector<serving::ServingResult> run();
  // Writes their state into `snapshot`: during run(), called from the network, or after it.
  void look(TrialSnapshot& snapshot) const;

 private:
  std::vector<std::unique_ptr<serving::ServingModel>> models_;
};

// Name that distinguishes the systems of a trial: empty for a single one, else "tenant 1" and so
// on.
std::string servingSystemName(std::size_t place, std::size_t systems);

}  // namespace plumbline::bench
