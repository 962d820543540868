// Load beside what a test measures: hosts of the sender's leaf that send single packets to hosts of
// the receiver's leaf, so that the leaf's uplinks carry a given share of what they can.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {

// What of a fabric a transfer from its first host to its last one shares with others.
struct SharedPath {
  std::vector<Transfer> background;  // pairs of hosts
  double capacity = 0;               // of the shared links together, in links of a host
  // Why there is none: the topology has no leaves, or a leaf with one host only.
  std::string refusal;
};
// Two-tier Clos, pools: the uplinks of the first host's leaf. A single switch: the last host's
// link.
SharedPath sharedPath(const TestConfig& config);
// The largest load of the shared links that their senders can make with 95 % of their own, 0 to 1.
double largestLoad(const SharedPath& path);

struct BackgroundLoad {
  Fraction load;        // of the shared links, preambles and gaps counted
  bool poisson = true;  // else one packet every so often, from every host at a phase of its own
};

// Jobs that offer `load` until `until`, a job for each pair; none at a load of 0.
std::vector<workload::JobSpec> backgroundJobs(const TestConfig& config, const SharedPath& path,
                                              const BackgroundLoad& load, Picoseconds until);
// Sets the phases of constant background in `spec` to those of a repetition.
void drawBackgroundPhases(std::uint32_t repetition, bench::TrialSpec& spec);
// Load of the shared links by what the background delivered [%]; 0 where the trial has none.
double backgroundPercent(const TestConfig& config, const SharedPath& path,
                         const bench::TrialSpec& spec, const bench::TrialResult& trial);
// Packets crossing a link, roughly.
double backgroundHops(const TestConfig& config, const SharedPath& path, Fraction load,
                      Picoseconds until);

}  // namespace plumbline::suite
