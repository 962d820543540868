#include "kpi/subjects.h"

namespace plumbline::kpi {

// Over a day.
Declarations soakFigures() {
  return {
      ofTimes(less("jct_ratio_std", kRatio, "Standard deviation of the JCT ratio over a soak")),
      ofTimes(less("jct_ratio_iteration_std", kRatio,
                   "Standard deviation of the JCT ratio over the iterations of a soak")),
      less("soak_anomalies", kCount, "Times at which a figure was far above its usual value"),
      less("frames_left", kCount, "Frames still in buffers after a window"),
      less("significant_drifts", kCount, "Figures with a significant slope"),
      less("jct_ratio_per_h", {"/h", 1e15, -1e15}, "Slope of jct_ratio over a soak"),
      less("iteration_us_per_h", {"us/h", 1e15, -1e15}, "Slope of iteration_us over a soak"),
      less("message_p99_us_per_h", {"us/h", 1e15, -1e15}, "Slope of message_p99_us over a soak"),
      less("ecn_percent_per_h", {"%/h", 1e15, -1e15}, "Slope of ecn_percent over a soak"),
      less("pfc_per_s_per_h", {"/s/h", 1e15, -1e15}, "Slope of pfc_per_s over a soak"),
      less("paused_us_per_h", {"us/h", 1e15, -1e15}, "Slope of paused_us over a soak"),
      less("drop_ppm_per_h", {"ppm/h", 1e15, -1e15}, "Slope of drop_ppm over a soak"),
      less("fabric_drops_ppm_per_h", {"ppm/h", 1e15, -1e15},
           "Slope of fabric_drops_ppm over a soak"),
      less("trimmed_ppm_per_h", {"ppm/h", 1e15, -1e15}, "Slope of trimmed_ppm over a soak"),
      less("retransmissions_per_s_per_h", {"packets/s/h", 1e15, -1e15},
           "Slope of retransmissions_per_s over a soak"),
      less("out_of_order_per_s_per_h", {"packets/s/h", 1e15, -1e15},
           "Slope of out_of_order_per_s over a soak"),
      less("queue_max_bytes_per_h", {"B/h", 1e15, -1e15}, "Slope of queue_max_bytes over a soak"),
      less("frames_left_per_h", {"/h", 1e15, -1e15}, "Slope of frames_left over a soak"),
      less("link_mmr_per_h", {"/h", 1e15, -1e15}, "Slope of link_mmr over a soak"),
  };
}

}  // namespace plumbline::kpi
