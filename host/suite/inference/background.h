// Background load: hosts of the sender's leaf send single packets to hosts of the receiver's leaf,
// so that the leaf's uplinks carry a given share of their capacity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {

// The part of a fabric that a transfer from its first host to its last one shares with others.
struct SharedPath {
  std::vector<Transfer> background;  // pairs of hosts
  double capacity = 0;               // total of the shared links, in units of a host's link
  // Reason for having none: the topology has no leaves, or a leaf with one host only.
  std::string refusal;
};
// Two-tier Clos, pools: the uplinks of the first host's leaf. A single switch: the last host's
// link.
SharedPath sharedPath(const TestConfig& config);
// The largest load of the shared links that their senders can offer with 95 % of their own, 0 to 1.
double largestLoad(const SharedPath& path);

struct BackgroundLoad {
  Fraction load;        // of the shared links, preambles and gaps counted
  bool poisson = true;  // else one packet per constant interval, from every host at its own phase
};

// Jobs that offer `load` until `until`, a job for each pair; none at a load of 0.
std::vector<workload::JobSpec> backgroundJobs(const TestConfig& config, const SharedPath& path,
                                              const BackgroundLoad& load, Picoseconds until);
// Sets the phases of constant background in `spec` to those of a repetition.
void drawBackgroundPhases(std::uint32_t repetition, bench::TrialSpec& spec);
// Load of the shared links by delivered background [%]; 0 for a trial without any.
double backgroundPercent(const TestConfig& config, const SharedPath& path,
                         const bench::TrialSpec& spec, const bench::TrialResult& trial);
// Approximate number of packets that cross a link.
double backgroundHops(const TestConfig& config, const SharedPath& path, Fraction load,
                      Picoseconds until);

}  // namespace plumbline::suite
