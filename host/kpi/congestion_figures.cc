#include "kpi/subjects.h"

namespace plumbline::kpi {

void addCongestionFigures(Declarations& to) {
  // Balance, loss, order and congestion.
  to.push_back(
      more("link_jfi", kFairness, "Fairness (JFI) over the bytes of links between switches"));
  to.push_back(
      less("link_mmr", kRatio, "Bytes of the busiest link between switches over their mean"));
  to.push_back(
      less("link_flow_mmr", kRatio, "Flows on the busiest link between switches over their mean"));
  to.push_back(less("busiest_link_percent", kShare, "Load of the busiest link between switches"));
  to.push_back(neither("mean_link_percent", kShare, "Load of the links between switches, mean"));
  to.push_back(more("flow_jfi", kFairness, "Fairness (JFI) over the payload of flows"));
  to.push_back(less("loss_ppm", kPartsPerMillion, "Frames lost of frames sent, at a fixed load"));
  to.push_back(less("drop_ppm", kPartsPerMillion,
                    "Data packets lost end to end and not sent again, of data packets sent"));
  to.push_back(less("fabric_drops_ppm", {"ppm", 1e12},
                    "Packets dropped in the fabric per data packet sent"));
  to.push_back(
      less("trimmed_ppm", {"ppm", 1e12}, "Packets trimmed in the fabric per data packet sent"));
  to.push_back(less("dropped_packets", {"packets", 1e15}, "Packets dropped in the fabric"));
  to.push_back(neither("trimmed_packets", {"packets", 1e15}, "Packets trimmed in the fabric"));
  to.push_back(less("packets_lost", kCount, "Packets that a failure took"));
  to.push_back(less("lost_frames", {"frames", 1e15}, "Frames that did not arrive"));
  to.push_back(less("failed_messages", kCount, "Messages given up"));
  to.push_back(less("timeouts", kCount, "Timeouts of endpoints"));
  to.push_back(
      less("retransmission_percent", kExcess, "Data packets sent again of data packets sent"));
  to.push_back(
      less("retransmissions_per_s", {"packets/s", 1e12}, "Data packets sent again per second"));
  to.push_back(
      less("retransmitted_packets", {"packets", 1e15}, "Data packets sent again by the transport"));
  to.push_back(less("resent_bytes", kBytes, "Payload sent again"));
  to.push_back(less("out_of_order_per_s", {"packets/s", 1e12},
                    "Data packets that arrived before one sent earlier, per second"));
  to.push_back(less("discarded_packets", {"packets", 1e15},
                    "Packets discarded because their service has no use for their order"));
  to.push_back(less("ecn_percent", kShare, "Data packets that arrived with CE"));
  to.push_back(less("pfc_per_s", {"/s", 1e12},
                    "PAUSE frames that took effect, all ports and priorities, per second"));
  to.push_back(less("pauses", kCount, "Pauses begun, all ports and priorities"));
  to.push_back(less("pause_hops", kCount, "Links that pauses reach from the receiver"));
  to.push_back(less("paused_us", kMicroseconds,
                    "Time that ports were paused, summed over ports and priorities"));
  to.push_back(
      less("paused_hosts_us", kMicroseconds, "Time that ports of hosts were paused, summed"));
  to.push_back(
      less("paused_fabric_us", kMicroseconds, "Time that ports of switches were paused, summed"));
  to.push_back(less("watchdog_events", {"events", 1e15}, "Interventions of the PFC watchdog"));
  to.push_back(less("watchdog_drops", {"packets", 1e15}, "Packets dropped by the PFC watchdog"));
  to.push_back(less("deadlock", kFairness, "Whether the fabric was deadlocked: 1, or 0"));
  to.push_back(less("queue_max_bytes", kBytes, "Longest queue of any port"));
  to.push_back(neither("ecn_threshold_bytes", kBytes, "Queue above which packets are marked"));
  to.push_back(neither("ecn_deviation_percent", kExcess,
                       "Measured marking threshold less the configured one, in % of the latter"));
  to.push_back(
      neither("ecn_kmax_deviation_percent", kExcess,
              "Measured end of the marking ramp less the configured one, in % of the latter"));
  to.push_back(neither("marking_percent", kShare, "Packets marked at a depth of the queue"));
}

}  // namespace plumbline::kpi
