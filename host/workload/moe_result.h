// Results of the dispatches and combines of a job.
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
  // Times are those on the fabric. Without a byte on it, as in a group of one server, there are
  // none. Of a layer: from the first rank's start until the last rank has received everything.
  std::vector<Picoseconds> durations;
  stats::Histogram rank_time;  // of each rank and layer: from its own start [ps]
  // Of each rank and layer: from its own completion until the last rank's, mean.
  Picoseconds wait;
  // Of all ranks, mean over the layers [B]. Logical: of all selections, including a rank's own.
  // Fabric: payload to other servers, once. Intra: between ranks of a server.
  double logical_bytes = 0;
  double fabric_bytes = 0;
  double intra_bytes = 0;
  Picoseconds intra;  // modelled: time of the busiest rank inside its server, mean
};

struct MoeResult {
  std::uint32_t ranks = 0;
  MoePhaseResult dispatch;
  MoePhaseResult combine;  // empty where there is none
  // Of a layer: from the first rank's dispatch to the last one's end of the combine, or of the
  // dispatch where there is no combine.
  std::vector<Picoseconds> round_trips;
  // Of a layer: when the last rank had finished it, after the job's start.
  std::vector<Picoseconds> ends;
  // Largest delay of a rank's layer after the beginning of its period.
  Picoseconds late;
  std::uint64_t selections = 0;  // kept, of all layers
  std::uint64_t dropped = 0;
  std::optional<double> pair_cv;  // mean over the layers, as below
  double busiest_over_mean = 0;
};

}  // namespace plumbline::workload
