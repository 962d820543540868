#include "kpi/subjects.h"

namespace plumbline::kpi {

// Of the card and of benches.
Declarations cardFigures() {
  return {
      less("unexplained_errors", kFrames, "Frames with an error that was not injected"),
      less("error_ratio_sigma", kRatio,
           "Detected errors less the number expected from the injected ratio, in standard "
           "deviations"),
      less("pause_error_ns", kNanoseconds,
           "Measured length of a pause less the length that its quanta give"),
      acrossClocks(less("phase_error_ns", kNanoseconds,
                        "Start of a sender less its scheduled time, largest")),
      acrossClocks(less("phase_spread_ns", kNanoseconds,
                        "Latest less earliest start among senders of one group")),
      less("llr_retry_mean_ns", kNanoseconds, "Time of a link-level retry, mean"),
      less("llr_retry_p99_ns", kNanoseconds, "Time of a link-level retry, P99"),
      less("llr_retry_max_ns", kNanoseconds, "Time of a link-level retry, largest"),
      less("llr_retry_error_ns", kNanoseconds,
           "Time of a link-level retry less its closed form, largest"),
      less("hop_retry_mean_ns", kNanoseconds, "Time of a link-level retry on a hop, mean"),
      less("hop_retry_p99_ns", kNanoseconds, "Time of a link-level retry on a hop, P99"),
      less("hop_retry_max_ns", kNanoseconds, "Time of a link-level retry on a hop, largest"),
      less("hop_retry_error_ns", kNanoseconds,
           "Time of a link-level retry on a hop less its closed form"),
      less(
          "hop_retries_sigma", kRatio,
          "Retries on a hop less the number expected from the error ratio, in standard deviations"),
      less("hop_repeated_percent", kExcess, "Frames of a hop that were sent again"),
      neither("damaged_frames", kFrames, "Frames damaged by bit errors"),
      neither("llr_retries", kFrames, "Frames repaired by link-level retry"),
      neither("injected_errors", kFrames, "Errors injected"),
      less("reordered_frames", kFrames, "Frames that arrived behind a later one"),
      less("share_error_percent", kExcess, "Share of a path less the expected one"),
      less("discrepancy_percent", kExcess,
           "Difference of a figure between two benches, in % of that of the first"),
      less("nic_retransmissions", kCount, "Retransmissions that the NIC counted, all trials"),
      less("nic_cnps_sent", kCount, "CNPs that the NIC sent, all trials"),
      less("nic_cnps_handled", kCount, "CNPs that the NIC handled, all trials"),
      less("nic_out_of_sequence", kCount,
           "Packets out of sequence that the NIC counted, all trials"),
      ofTimes(less("calibrated_error_percent", kExcess,
                   "Predicted time of a job less the simulated one, in % of the latter")),
      ofTimes(less("calibration_spread_percent", kExcess,
                   "Spread of the calibration of predicted times")),
  };
}

}  // namespace plumbline::kpi
