#include "kpi/subjects.h"

namespace plumbline::kpi {

void addRateFigures(Declarations& to) {
  // How fast.
  to.push_back(more("throughput_percent", kShare, "Zero-loss throughput, share of the line rate"));
  to.push_back(more("burst_frames", {"frames", 16777216, 1},
                    "Longest burst of a sender that is absorbed without loss"));
  to.push_back(more("burst_unpaused_frames", {"frames", 16777216, 1},
                    "Longest burst of a sender that is absorbed without loss and without a pause"));
  to.push_back(
      more("busbw_gbps", kGigabitsPerSecond, "Bus bandwidth of a rank, mean over the iterations"));
  to.push_back(more("busbw_p50_gbps", kGigabitsPerSecond,
                    "Bus bandwidth that half of the iterations reach"));
  to.push_back(more("busbw_p95_gbps", kGigabitsPerSecond,
                    "Bus bandwidth that 95 % of the iterations reach"));
  to.push_back(more("busbw_p99_gbps", kGigabitsPerSecond,
                    "Bus bandwidth that 99 % of the iterations reach"));
  to.push_back(neither("busbw_vs_roce_percent", kExcess,
                       "Bus bandwidth less that of RoCEv2 RC, in % of the latter"));
  to.push_back(more("algbw_gbps", kGigabitsPerSecond,
                    "Algorithm bandwidth of a job: size of the collective over its time"));
  to.push_back(more("goodput_per_rank_gbps", kGigabitsPerSecond,
                    "Payload that a rank receives per second of the job"));
  to.push_back(more("efficiency_percent", kShare,
                    "Bus bandwidth, share of what the line rate allows for payload"));
  to.push_back(
      more("allgather_vs_allreduce", kRatio, "Bus bandwidth of AllGather over that of AllReduce"));
  to.push_back(
      more("goodput_percent", kShare, "Payload that arrives, share of what the links allow"));
  to.push_back(
      more("goodput_gbps", kGigabitsPerSecond, "Payload that arrives per second at all hosts"));
  to.push_back(
      more("payload_gbps", kGigabitsPerSecond, "Zero-loss throughput of a service, payload"));
  to.push_back(more("throughput_percent_of_line", kShare,
                    "Zero-loss throughput of a service, share of the line rate"));
  to.push_back(more("connections_per_s", {"/s", 1e12}, "Connections opened per second"));
  to.push_back(more("most_connections", kCount, "Connections open at a time, most"));
  to.push_back(more("concurrent_connections", kCount,
                    "Connections at a time that keep 90 % of the rate of a single one"));
  to.push_back(more("of_single_connection_percent", kExcess,
                    "Rate of a connection beside others, of that of a single one"));
  to.push_back(more("sustained_connections", kCount, "Connections at a time that are sustained"));
  to.push_back(more("effective_goodput_percent", kShare,
                    "Payload that arrives per second, share of the line rate"));
  to.push_back(more("jct_improvement_percent", kShare,
                    "Time of an iteration less than that of RoCEv2 RC, in % of the latter"));
  to.push_back(more("bandwidth_saved_percent", kShare,
                    "Bytes on links less than with full drops, in % of the latter"));
  to.push_back(more("time_saved_percent", kShare,
                    "Completion time less than with full drops, in % of the latter"));
  to.push_back(more("victim_gbps", kGigabitsPerSecond,
                    "Throughput of a flow that shares no congested port"));
  to.push_back(neither("algo_factor", kRatio, "Factor from algorithm bandwidth to bus bandwidth"));
  to.push_back(neither("credit_utilisation_percent", kShare,
                       "Bytes that arrived of the credit that receivers gave"));
  to.push_back(
      more("progress_per_s", {"", 1e12},
           "Progress of the profile per second, in its own unit such as samples or tokens"));
  to.push_back(more("kv_gigabytes_per_s", kGigabytesPerSecond, "KV cache bandwidth"));
  to.push_back(more("arrived_percent", kShare, "Bytes that arrived of bytes sent"));
}

}  // namespace plumbline::kpi
