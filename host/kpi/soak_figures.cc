#include "kpi/subjects.h"

namespace plumbline::kpi {

void addSoakFigures(Declarations& to) {
  // Over a day.
  to.push_back(less("jct_ratio_std", kRatio, "Standard deviation of the JCT ratio over a soak"));
  to.push_back(less("jct_ratio_iteration_std", kRatio,
                    "Standard deviation of the JCT ratio over the iterations of a soak"));
  to.push_back(
      less("soak_anomalies", kCount, "Times at which a figure was far above its usual value"));
  to.push_back(less("frames_left", kCount, "Frames still in buffers after a window"));
  to.push_back(less("significant_drifts", kCount, "Figures with a significant slope"));
  to.push_back(less("jct_ratio_per_h", {"/h", 1e15}, "Slope of jct_ratio over a soak"));
  to.push_back(less("iteration_us_per_h", {"us/h", 1e15}, "Slope of iteration_us over a soak"));
  to.push_back(less("message_p99_us_per_h", {"us/h", 1e15}, "Slope of message_p99_us over a soak"));
  to.push_back(less("ecn_percent_per_h", {"%/h", 1e15}, "Slope of ecn_percent over a soak"));
  to.push_back(less("pfc_per_s_per_h", {"/s/h", 1e15}, "Slope of pfc_per_s over a soak"));
  to.push_back(less("paused_us_per_h", {"us/h", 1e15}, "Slope of paused_us over a soak"));
  to.push_back(less("drop_ppm_per_h", {"ppm/h", 1e15}, "Slope of drop_ppm over a soak"));
  to.push_back(
      less("fabric_drops_ppm_per_h", {"ppm/h", 1e15}, "Slope of fabric_drops_ppm over a soak"));
  to.push_back(less("trimmed_ppm_per_h", {"ppm/h", 1e15}, "Slope of trimmed_ppm over a soak"));
  to.push_back(less("retransmissions_per_s_per_h", {"packets/s/h", 1e15},
                    "Slope of retransmissions_per_s over a soak"));
  to.push_back(less("out_of_order_per_s_per_h", {"packets/s/h", 1e15},
                    "Slope of out_of_order_per_s over a soak"));
  to.push_back(
      less("queue_max_bytes_per_h", {"B/h", 1e15}, "Slope of queue_max_bytes over a soak"));
  to.push_back(less("frames_left_per_h", {"/h", 1e15}, "Slope of frames_left over a soak"));
  to.push_back(less("link_mmr_per_h", {"/h", 1e15}, "Slope of link_mmr over a soak"));
}

}  // namespace plumbline::kpi
