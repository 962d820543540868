#include "kpi/subjects.h"

namespace plumbline::kpi {

// Balance, loss, order and congestion.
Declarations congestionFigures() {
  return {
      more("link_jfi", kFairness, "Fairness (JFI) over the bytes of links between switches"),
      less("link_mmr", kRatio, "Bytes of the busiest link between switches over their mean"),
      less("link_flow_mmr", kRatio, "Flows on the busiest link between switches over their mean"),
      ofTimes(less("busiest_link_percent", kShare, "Load of the busiest link between switches")),
      ofTimes(neither("mean_link_percent", kShare, "Load of the links between switches, mean")),
      more("flow_jfi", kFairness, "Fairness (JFI) over the payload of flows"),
      less("loss_ppm", kPartsPerMillion, "Frames lost of frames sent, at a fixed load"),
      less("drop_ppm", kPartsPerMillion,
           "Data packets lost end to end and not sent again, of data packets sent"),
      less("fabric_drops_ppm", kAnyPartsPerMillion,
           "Packets dropped in the fabric per data packet sent"),
      less("trimmed_ppm", kAnyPartsPerMillion,
           "Packets trimmed in the fabric per data packet sent"),
      less("dropped_packets", kPackets, "Packets dropped in the fabric"),
      neither("trimmed_packets", kPackets, "Packets trimmed in the fabric"),
      less("packets_lost", kCount, "Packets that a failure took"),
      less("lost_frames", kFrames, "Frames that did not arrive"),
      less("failed_messages", kCount, "Messages given up"),
      less("timeouts", kCount, "Timeouts of endpoints"),
      less("retransmission_percent", kExcess, "Data packets sent again of data packets sent"),
      less("retransmissions_per_s", kPacketsPerSecond, "Data packets sent again per second"),
      less("retransmitted_packets", kPackets, "Data packets sent again by the transport"),
      less("resent_bytes", kBytes, "Payload sent again"),
      less("out_of_order_per_s", kPacketsPerSecond,
           "Data packets that arrived before one sent earlier, per second"),
      less("discarded_packets", kPackets,
           "Packets discarded because their service has no use for their order"),
      less("ecn_percent", kShare, "Data packets that arrived with CE"),
      less("pfc_per_s", kPerSecond,
           "PAUSE frames that took effect, all ports and priorities, per second"),
      less("pauses", kCount, "Pauses begun, all ports and priorities"),
      less("pause_hops", kCount, "Links that pauses reach from the receiver"),
      less("paused_us", kMicroseconds,
           "Time that ports were paused, summed over ports and priorities"),
      less("paused_hosts_us", kMicroseconds, "Time that ports of hosts were paused, summed"),
      less("paused_fabric_us", kMicroseconds, "Time that ports of switches were paused, summed"),
      less("watchdog_events", kEvents, "Interventions of the PFC watchdog"),
      less("watchdog_drops", kPackets, "Packets dropped by the PFC watchdog"),
      less("deadlock", kFairness, "Whether the fabric was deadlocked: 1, or 0"),
      less("queue_max_bytes", kBytes, "Longest queue of any port"),
      neither("ecn_threshold_bytes", kBytes, "Queue above which packets are marked"),
      neither("ecn_deviation_percent", kExcess,
              "Measured marking threshold less the configured one, in % of the latter"),
      neither("ecn_kmax_deviation_percent", kExcess,
              "Measured end of the marking ramp less the configured one, in % of the latter"),
      neither("marking_percent", kShare, "Packets marked at a depth of the queue"),
  };
}

}  // namespace plumbline::kpi
