// What became of the dispatches and combines of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "stats/histogram.h"

namespace plumbline::workload {

// Dispatches, or combines, of the layers that all ranks finished. Observation point: endpoint
// software (modelled); traffic and `intra` are computed from the routing.
struct MoePhaseResult {
  // Of a layer: from the first rank's start until the last rank has all that it must get.
  std::vector<Picoseconds> durations;
  stats::Histogram rank_time;  // of each rank and layer: from its own start [ps]
  // Of each rank and layer: from having everything until the last rank has, mean.
  Picoseconds wait;
  // Of all ranks, mean over the layers [B]. Logical: of all selections, a rank's own included.
  // Fabric: what goes to another server, once. Intra: between ranks of a server.
  double logical_bytes = 0;
  double fabric_bytes = 0;
  double intra_bytes = 0;
  Picoseconds intra;  // modelled: what the busiest rank needs inside its server, mean
};

struct MoeResult {
  std::uint32_t ranks = 0;
  MoePhaseResult dispatch;
  MoePhaseResult combine;  // empty where there is none
  // Of a layer: from the first rank's dispatch to the last one's end of the combine, or of the
  // dispatch where there is no combine.
  std::vector<Picoseconds> round_trips;
  // Of a layer: when the last rank was through with it, after the job's start.
  std::vector<Picoseconds> ends;
  // How much later than its period's beginning a rank began a layer, at most.
  Picoseconds late;
  std::uint64_t selections = 0;  // kept, of all layers
  std::uint64_t dropped = 0;
  std::optional<double> pair_cv;  // mean over the layers, as below
  double busiest_over_mean = 0;
};

}  // namespace plumbline::workload
