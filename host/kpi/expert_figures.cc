#include "kpi/subjects.h"

namespace plumbline::kpi {

// Of mixtures of experts.
Declarations expertFigures() {
  return {
      less("dispatch_us", kMicroseconds,
           "Dispatch of a layer, from the first rank's start until the last one has its tokens, "
           "mean; fabric alone"),
      less("dispatch_mean_us", kMicroseconds, "Dispatch as each rank sees it, fabric alone, mean"),
      less("dispatch_p50_us", kMicroseconds, "Dispatch as each rank sees it, fabric alone, P50"),
      less("dispatch_p99_us", kMicroseconds, "Dispatch as each rank sees it, fabric alone, P99"),
      less("combine_us", kMicroseconds,
           "Combine of a layer, from the first rank's start until the last one has its results, "
           "mean; fabric alone"),
      less("combine_mean_us", kMicroseconds, "Combine as each rank sees it, fabric alone, mean"),
      less("combine_p99_us", kMicroseconds, "Combine as each rank sees it, fabric alone, P99"),
      less("expert_round_trip_us", kMicroseconds,
           "A layer's dispatch, computing and combine, mean"),
      less(
          "expert_latency_us", kMicroseconds,
          "Dispatch on the fabric or inside servers, whichever is longer, with the overhead of the "
          "kernel; partly a model input"),
      less("expert_idle_us", kMicroseconds,
           "Time that a rank waits for the slowest one at the end of a dispatch, mean"),
      more("expert_logical_gigabytes_per_s", kGigabytesPerSecond,
           "Bytes of all selections of a rank, local ones included, over the time of the dispatch"),
      more("expert_fabric_gigabytes_per_s", kGigabytesPerSecond,
           "Payload of a dispatch that a rank sends over the fabric, over its time"),
      more("expert_wire_gigabytes_per_s", kGigabytesPerSecond,
           "Bytes of a dispatch on a host's link, headers, gaps and acknowledgements counted, over "
           "its time"),
      less("dropped_selections_percent", kShare,
           "Selections dropped because the expert was full, share of all selections"),
      less("expert_pair_cv", kRatio,
           "Coefficient of variation of the payload between two ranks of different servers"),
      less("busiest_rank_ratio", kRatio, "Selections of the busiest rank over the mean"),
      ofTimes(more("efficiency_draft", kRatio,
                   "Scaling efficiency of the inference draft: latency of EP 8 over that of EP N, "
                   "times N/8")),
      ofTimes(more("efficiency_weak", kRatio,
                   "Latency of the smallest group over that of this one, tokens of a rank fixed")),
      ofTimes(more("efficiency_strong", kRatio,
                   "Scaling efficiency with the tokens of the group fixed: latency of the smallest "
                   "group over that of this one, times the ratio of the group sizes")),
      ofTimes(less("dispatch_penalty", kRatio,
                   "P99 of dispatches beside KV transfers over that alone")),
      ofTimes(less("kv_penalty", kRatio, "P99 of KV transfers beside dispatches over that alone")),
  };
}

}  // namespace plumbline::kpi
