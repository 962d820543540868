#include "kpi/subjects.h"

namespace plumbline::kpi {

void addTimeFigures(Declarations& to) {
  // How long.
  to.push_back(
      less("latency_min_ns", kNanoseconds, "One-way latency, first bit to first bit, smallest"));
  to.push_back(
      less("latency_mean_ns", kNanoseconds, "One-way latency, first bit to first bit, mean"));
  to.push_back(
      less("latency_p50_ns", kNanoseconds, "One-way latency, first bit to first bit, P50"));
  to.push_back(
      less("latency_p95_ns", kNanoseconds, "One-way latency, first bit to first bit, P95"));
  to.push_back(
      less("latency_p99_ns", kNanoseconds, "One-way latency, first bit to first bit, P99"));
  to.push_back(
      less("latency_p999_ns", kNanoseconds, "One-way latency, first bit to first bit, P99.9"));
  to.push_back(
      less("latency_max_ns", kNanoseconds, "One-way latency, first bit to first bit, largest"));
  to.push_back(less("round_trip_min_ns", kNanoseconds, "Round-trip latency, smallest"));
  to.push_back(less("round_trip_mean_ns", kNanoseconds, "Round-trip latency, mean"));
  to.push_back(less("round_trip_p50_ns", kNanoseconds, "Round-trip latency, P50"));
  to.push_back(less("round_trip_p95_ns", kNanoseconds, "Round-trip latency, P95"));
  to.push_back(less("round_trip_p99_ns", kNanoseconds, "Round-trip latency, P99"));
  to.push_back(less("round_trip_p999_ns", kNanoseconds, "Round-trip latency, P99.9"));
  to.push_back(less("round_trip_max_ns", kNanoseconds, "Round-trip latency, largest"));
  to.push_back(
      less("one_way_min_ns", kNanoseconds, "One-way latency of packets of a service, smallest"));
  to.push_back(
      less("one_way_mean_ns", kNanoseconds, "One-way latency of packets of a service, mean"));
  to.push_back(
      less("one_way_p50_ns", kNanoseconds, "One-way latency of packets of a service, P50"));
  to.push_back(
      less("one_way_p95_ns", kNanoseconds, "One-way latency of packets of a service, P95"));
  to.push_back(
      less("one_way_p99_ns", kNanoseconds, "One-way latency of packets of a service, P99"));
  to.push_back(
      less("one_way_p999_ns", kNanoseconds, "One-way latency of packets of a service, P99.9"));
  to.push_back(
      less("one_way_max_ns", kNanoseconds, "One-way latency of packets of a service, largest"));
  to.push_back(less("message_min_ns", kNanoseconds, "Time of a message of a service, smallest"));
  to.push_back(less("message_mean_ns", kNanoseconds, "Time of a message of a service, mean"));
  to.push_back(less("message_p50_ns", kNanoseconds, "Time of a message of a service, P50"));
  to.push_back(less("message_p95_ns", kNanoseconds, "Time of a message of a service, P95"));
  to.push_back(less("message_p99_ns", kNanoseconds, "Time of a message of a service, P99"));
  to.push_back(less("message_p999_ns", kNanoseconds, "Time of a message of a service, P99.9"));
  to.push_back(less("message_max_ns", kNanoseconds, "Time of a message of a service, largest"));
  to.push_back(
      less("transfer_min_us", kMicroseconds, "Time of a transfer, one at a time, smallest"));
  to.push_back(less("transfer_mean_us", kMicroseconds, "Time of a transfer, one at a time, mean"));
  to.push_back(less("transfer_p50_us", kMicroseconds, "Time of a transfer, one at a time, P50"));
  to.push_back(less("transfer_p95_us", kMicroseconds, "Time of a transfer, one at a time, P95"));
  to.push_back(less("transfer_p99_us", kMicroseconds, "Time of a transfer, one at a time, P99"));
  to.push_back(less("transfer_p999_us", kMicroseconds, "Time of a transfer, one at a time, P99.9"));
  to.push_back(
      less("transfer_max_us", kMicroseconds, "Time of a transfer, one at a time, largest"));
  to.push_back(less("transfer_p99_less_p50_us", kMicroseconds, "Time of a transfer, P99 less P50"));
  to.push_back(less("message_p50_us", kMicroseconds, "Time of a message, P50"));
  to.push_back(less("message_p99_us", kMicroseconds, "Time of a message, P99"));
  to.push_back(less("message_max_us", kMicroseconds, "Time of a message, largest"));
  to.push_back(less("message_time_p50_us", kMicroseconds, "Time of a message of a job, P50"));
  to.push_back(less("message_time_p99_us", kMicroseconds, "Time of a message of a job, P99"));
  to.push_back(less("message_time_max_us", kMicroseconds, "Time of a message of a job, largest"));
  to.push_back(less("first_message_p50_us", kMicroseconds,
                    "Time of the first message of a connection, P50"));
  to.push_back(less("first_message_p99_us", kMicroseconds,
                    "Time of the first message of a connection, P99"));
  to.push_back(less("setup_mean_ns", kNanoseconds, "Time to set up a connection, mean"));
  to.push_back(less("setup_p50_ns", kNanoseconds, "Time to set up a connection, P50"));
  to.push_back(less("setup_max_ns", kNanoseconds, "Time to set up a connection, largest"));
  to.push_back(less("setup_us", kMicroseconds, "Time to set up a connection"));
  to.push_back(less("setup_p50_us", kMicroseconds, "Time to set up a connection, P50"));
  to.push_back(less("setup_p99_us", kMicroseconds, "Time to set up a connection, P99"));
  to.push_back(less("first_request_us", kMicroseconds,
                    "Time from the onset of congestion to the first request to send again"));
  to.push_back(less("first_retransmission_us", kMicroseconds,
                    "Time from the onset of congestion to the first retransmission"));
  to.push_back(less("job_time_us", kMicroseconds, "Time from the start of a job to its end"));
  to.push_back(less("iteration_us", kMicroseconds, "Time of an iteration, mean"));
  to.push_back(less("iteration_p50_ms", kMilliseconds, "Time of an iteration, P50"));
  to.push_back(less("iteration_p99_ms", kMilliseconds, "Time of an iteration, P99"));
  to.push_back(less("time_vs_ecmp", kRatio, "Time of an iteration over that with ECMP"));
  to.push_back(less("jct_ms", kMilliseconds, "Job completion time"));
  to.push_back(less("jct_us", kMicroseconds, "Job completion time"));
  to.push_back(less("jct_ratio", kRatio, "Job completion time over the ideal one"));
  to.push_back(
      more("overlap_fraction", kFairness, "Share of the communication that computing hides"));
  to.push_back(more("hidden_fraction", kFairness,
                    "Share of the measured communication that computing hides"));
  to.push_back(
      less("effective_comm_overhead_ms", kMilliseconds, "Job completion time less its computing"));
  to.push_back(less("comm_overhead_percent", kExcess,
                    "Communication that computing does not hide, in % of the computing"));
  to.push_back(less("interference_a", kRatio,
                    "Job completion time of job A with its neighbour over that alone"));
  to.push_back(less("interference_b", kRatio,
                    "Job completion time of job B with its neighbour over that alone"));
  to.push_back(less("completion_us", kMicroseconds, "Time until every message is complete"));
  to.push_back(less("victim_us", kMicroseconds,
                    "Time of the messages of a flow that shares no congested port"));
  to.push_back(less("hol_blocking_us", kMicroseconds,
                    "Time that the incast adds to messages of other flows"));
  to.push_back(less("convergence_us", kMicroseconds,
                    "Time until every flow stays within 10 % of its fair share"));
  to.push_back(less("loss_duration_us", kMicroseconds,
                    "Time from the first lost packet after a failure to the last one"));
  to.push_back(
      less("redistribution_us", kMicroseconds, "Time from a failure until the goodput is back"));
  to.push_back(less("goodput_back_us", kMicroseconds,
                    "Time from a failure until the goodput is that before it"));
  to.push_back(
      less("failure_iteration_us", kMicroseconds, "Time of the iteration with the failure"));
  to.push_back(
      less("job_overhead_percent", kExcess, "Time that a failure adds to the whole job, in %"));
  to.push_back(less("jct_overhead_percent", kExcess, "Time that a failure adds, in %"));
  to.push_back(less("failure_iteration_vs_p99", kRatio,
                    "Time of the iteration with the failure over the P99 of the others"));
  to.push_back(
      less("zero_throughput_us", kMicroseconds, "Longest time in which nothing was delivered"));
  to.push_back(less("recovery_us", kMicroseconds,
                    "Time from the end of the trigger until delivery goes on"));
}

}  // namespace plumbline::kpi
