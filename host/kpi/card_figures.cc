#include "kpi/subjects.h"

namespace plumbline::kpi {

void addCardFigures(Declarations& to) {
  // Of the card and of benches.
  to.push_back(
      less("unexplained_errors", {"frames", 1e15}, "Frames with an error that was not injected"));
  to.push_back(less("error_ratio_sigma", kRatio,
                    "Detected errors from the injected ratio, in standard deviations"));
  to.push_back(
      less("pause_error_ns", kNanoseconds, "Measured length of a pause less what its quanta say"));
  to.push_back(
      less("phase_error_ns", kNanoseconds, "Start of a sender less its scheduled time, largest"));
  to.push_back(less("phase_spread_ns", kNanoseconds,
                    "Starts of senders that belong together, latest less earliest"));
  to.push_back(less("llr_retry_mean_ns", kNanoseconds, "Time of a link-level retry, mean"));
  to.push_back(less("llr_retry_p99_ns", kNanoseconds, "Time of a link-level retry, P99"));
  to.push_back(less("llr_retry_max_ns", kNanoseconds, "Time of a link-level retry, largest"));
  to.push_back(less("llr_retry_error_ns", kNanoseconds,
                    "Time of a link-level retry less its closed form, largest"));
  to.push_back(
      less("hop_retry_mean_ns", kNanoseconds, "Time of a link-level retry on a hop, mean"));
  to.push_back(less("hop_retry_p99_ns", kNanoseconds, "Time of a link-level retry on a hop, P99"));
  to.push_back(
      less("hop_retry_max_ns", kNanoseconds, "Time of a link-level retry on a hop, largest"));
  to.push_back(less("hop_retry_error_ns", kNanoseconds,
                    "Time of a link-level retry on a hop less its closed form"));
  to.push_back(
      less("hop_retries_sigma", kRatio,
           "Retries on a hop from the number that the error ratio gives, in standard deviations"));
  to.push_back(less("hop_repeated_percent", kShare, "Frames of a hop that were sent again"));
  to.push_back(neither("damaged_frames", {"frames", 1e15}, "Frames damaged by bit errors"));
  to.push_back(neither("llr_retries", {"frames", 1e15}, "Frames repaired by link-level retry"));
  to.push_back(neither("injected_errors", {"frames", 1e15}, "Errors injected"));
  to.push_back(
      less("reordered_frames", {"frames", 1e15}, "Frames that arrived behind a later one"));
  to.push_back(less("share_error_percent", kExcess, "Share of a path less the expected one"));
  to.push_back(less("discrepancy_percent", kExcess,
                    "Difference of a figure between two benches, in % of that of the first"));
  to.push_back(
      less("nic_retransmissions", kCount, "Retransmissions that the NIC counted, all trials"));
  to.push_back(less("nic_cnps_sent", kCount, "CNPs that the NIC sent, all trials"));
  to.push_back(less("nic_cnps_handled", kCount, "CNPs that the NIC handled, all trials"));
  to.push_back(less("nic_out_of_sequence", kCount,
                    "Packets out of sequence that the NIC counted, all trials"));
  to.push_back(less("calibrated_error_percent", kExcess,
                    "Predicted time of a job less the simulated one, in % of the latter"));
  to.push_back(
      less("calibration_spread_percent", kExcess, "Spread of the calibration of predicted times"));
}

}  // namespace plumbline::kpi
