#include "kpi/subjects.h"

namespace plumbline::kpi {

// How fast.
Declarations rateFigures() {
  return {
      more("throughput_percent", kShare, "Zero-loss throughput, share of the line rate"),
      more("burst_frames", kBurst, "Longest burst of a sender that is absorbed without loss"),
      more("burst_unpaused_frames", kBurst,
           "Longest burst of a sender that is absorbed without loss and without a pause"),
      more("busbw_gbps", kGigabitsPerSecond, "Bus bandwidth of a rank, mean over the iterations"),
      more("busbw_p50_gbps", kGigabitsPerSecond, "Bus bandwidth that half of the iterations reach"),
      more("busbw_p95_gbps", kGigabitsPerSecond, "Bus bandwidth that 95 % of the iterations reach"),
      more("busbw_p99_gbps", kGigabitsPerSecond, "Bus bandwidth that 99 % of the iterations reach"),
      ofTimes(neither("busbw_vs_roce_percent", kExcess,
                      "Bus bandwidth less that of RoCEv2 RC, in % of the latter")),
      more("algbw_gbps", kGigabitsPerSecond,
           "Algorithm bandwidth of a job: size of the collective over its time"),
      more("goodput_per_rank_gbps", kGigabitsPerSecond,
           "Payload that a rank receives per second of the job"),
      ofTimes(more("efficiency_percent", kShare,
                   "Bus bandwidth, share of what the line rate allows for payload")),
      ofTimes(more("allgather_vs_allreduce", kRatio,
                   "Bus bandwidth of AllGather over that of AllReduce")),
      ofTimes(
          more("goodput_percent", kShare, "Payload that arrives, share of what the links allow")),
      more("goodput_gbps", kGigabitsPerSecond, "Payload that arrives per second at all hosts"),
      more("payload_gbps", kGigabitsPerSecond, "Zero-loss throughput of a service, payload"),
      more("throughput_percent_of_line", kShare,
           "Zero-loss throughput of a service, share of the line rate"),
      more("connections_per_s", kPerSecond, "Connections opened per second"),
      more("most_connections", kCount, "Connections open at a time, most"),
      more("concurrent_connections", kCount,
           "Connections whose rate together is 90 % of that of a single one"),
      ofTimes(more("of_single_connection_percent", kExcess,
                   "Rate of all connections together, of that of a single one")),
      more("sustained_connections", kCount, "Connections at a time that are sustained"),
      ofTimes(more("effective_goodput_percent", kShare,
                   "Payload that arrives per second, share of the line rate")),
      ofTimes(more("jct_improvement_percent", kShare,
                   "Time of an iteration less than that of RoCEv2 RC, in % of the latter")),
      more("bandwidth_saved_percent", kShare,
           "Bytes on links less than with full drops, in % of the latter"),
      ofTimes(more("time_saved_percent", kShare,
                   "Completion time less than with full drops, in % of the latter")),
      more("victim_gbps", kGigabitsPerSecond, "Throughput of a flow that shares no congested port"),
      neither("algo_factor", kRatio, "Factor from algorithm bandwidth to bus bandwidth"),
      neither("credit_utilisation_percent", kShare,
              "Bytes that arrived of the credit that receivers gave"),
      ofTimes(
          more("progress_per_s", {"", 1e12},
               "Progress of the profile per second, in its own unit such as samples or tokens")),
      more("kv_gigabytes_per_s", kGigabytesPerSecond, "KV cache bandwidth"),
      neither("kv_steady_gbps", kGigabitsPerSecond,
              "Payload of KV transfers per second beside EP traffic, steady"),
      neither("ep_steady_gbps", kGigabitsPerSecond,
              "Payload of EP traffic per second beside KV transfers, steady"),
      more("tier_gigabytes_per_s", kGigabytesPerSecond,
           "Throughput between tiers of memory, modelled but for the fabric"),
      ofTimes(more("tier_vs_gpu_percent", kExcess,
                   "Throughput between tiers of memory, in % of that from GPU to GPU")),
      more("arrived_percent", kShare, "Bytes that arrived of bytes sent"),
  };
}

}  // namespace plumbline::kpi
