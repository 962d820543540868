#include "suite/framework/fabric_metrics.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "workload/formulas.h"

namespace plumbline::suite {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? kNotMeasured : static_cast<double>(part) / static_cast<double>(whole);
}

double perSecond(std::uint64_t count, const bench::TrialResult& trial) {
  const double seconds = busyTime(trial).toSeconds();
  return seconds > 0 ? static_cast<double>(count) / seconds : kNotMeasured;
}

std::uint64_t sentOnce(const transport::EndpointStats& endpoints) {
  return endpoints.data_sent - endpoints.retransmitted;
}

// Events per second, with a resolution of one event per counting time.
Reading eventsPerSecond(std::uint64_t count, const bench::TrialResult& trial) {
  return within(perSecond(count, trial), perSecond(1, trial), "one event more or less:");
}

double gigabits(double bits_per_second) { return bits_per_second / 1e9; }

}  // namespace

Picoseconds busyTime(const bench::TrialResult& trial) {
  Picoseconds longest;
  for (const bench::JobOutcome& job : trial.fabric->jobs) {
    if (!job.finished) return trial.fabric->sim_end;
    longest = std::max(longest, job.completion);
  }
  return longest > Picoseconds(0) ? longest : trial.fabric->sim_end;
}

double ecnPercent(const bench::TrialResult& trial) {
  const auto& endpoints = trial.fabric->endpoints;
  return 100 * share(endpoints.ce_received, endpoints.data_received);
}

Reading pausesPerSecond(const bench::TrialResult& trial) {
  return eventsPerSecond(trial.fabric->total.xoff_received, trial);
}

double pausedMicroseconds(const bench::TrialResult& trial) {
  Picoseconds sum;
  for (const Picoseconds paused : trial.fabric->total.paused) sum += paused;
  return sum.toMicroseconds();
}

double dropPpm(const bench::TrialResult& trial) {
  const auto& lost = trial.fabric->data_lost;
  return lost ? 1e6 * share(*lost, sentOnce(trial.fabric->endpoints)) : kNotMeasured;
}

double fabricDropsPpm(const bench::TrialResult& trial) {
  return 1e6 * share(trial.fabric->total.dropped(), trial.fabric->endpoints.data_sent);
}

double trimmedPpm(const bench::TrialResult& trial) {
  return 1e6 * share(trial.fabric->total.trimmed, trial.fabric->endpoints.data_sent);
}

double retransmissionPercent(const bench::TrialResult& trial) {
  const auto& endpoints = trial.fabric->endpoints;
  return 100 * share(endpoints.retransmitted, endpoints.data_sent);
}

double timeouts(const bench::TrialResult& trial) {
  return static_cast<double>(trial.fabric->endpoints.timeouts);
}

Reading retransmissionsPerSecond(const bench::TrialResult& trial) {
  return eventsPerSecond(trial.fabric->endpoints.retransmitted, trial);
}

Reading outOfOrderPerSecond(const bench::TrialResult& trial) {
  return eventsPerSecond(trial.fabric->endpoints.out_of_order, trial);
}

double busiestLinkPercent(const bench::TrialResult& trial) {
  double max = kNotMeasured;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches) max = std::fmax(max, link.utilisation);  // of a NaN the other one
  }
  return 100 * max;
}

double meanLinkPercent(const bench::TrialResult& trial) {
  const std::uint64_t links = trial.fabric->fabric_links.value_or(0);
  if (links == 0) return kNotMeasured;
  double sum = 0;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches) sum += link.utilisation;
  }
  return 100 * sum / static_cast<double>(links);
}

double linkJfi(const bench::TrialResult& trial) {
  return trial.fabric->link_jfi.value_or(kNotMeasured);
}

double linkMmr(const bench::TrialResult& trial) {
  return trial.fabric->link_mmr.value_or(kNotMeasured);
}

double longestQueueBytes(const bench::TrialResult& trial) {
  return static_cast<double>(trial.fabric->total.max_queue_bytes);
}

double goodputGbps(const bench::TrialResult& trial) {
  return gigabits(8 * perSecond(trial.fabric->endpoints.payload_received, trial));
}

Reading quantileMicroseconds(const stats::Histogram& times, double quantile) {
  return quantileOf(times, quantile, 1e6);
}

double meanBusBandwidthGbps(const bench::TrialResult& trial, std::size_t job,
                            workload::CollectiveKind kind, std::uint32_t ranks, Bytes size) {
  const Picoseconds time = meanIteration(trial.fabric->jobs.at(job));
  if (time <= Picoseconds(0)) return kNotMeasured;
  return gigabits(
      workload::busBandwidth(kind, ranks, static_cast<std::uint64_t>(size.count()), time));
}

Reading busBandwidthGbps(const bench::TrialResult& trial, std::size_t job,
                         workload::CollectiveKind kind, std::uint32_t ranks, Bytes size,
                         double quantile) {
  const bench::JobOutcome& outcome = trial.fabric->jobs.at(job);
  const Picoseconds time = iterationQuantile(outcome, quantile);
  if (time <= Picoseconds(0)) return kNotMeasured;
  return quantileOf(
      gigabits(workload::busBandwidth(kind, ranks, static_cast<std::uint64_t>(size.count()), time)),
      quantile, outcome.iterations.size());
}

Picoseconds meanIteration(const bench::JobOutcome& job) {
  if (job.iterations.empty()) return job.completion;
  Int128 sum = 0;  // of iterations that overlap it may be beyond Picoseconds
  for (const Picoseconds time : job.iterations) sum += time.count();
  return Picoseconds(static_cast<std::int64_t>(sum / std::ssize(job.iterations)));
}

Picoseconds iterationQuantile(const bench::JobOutcome& job, double quantile) {
  if (job.iterations.empty()) return job.completion;
  std::vector<Picoseconds> times = job.iterations;
  const auto count = static_cast<double>(times.size());
  const auto rank = static_cast<std::size_t>(std::max(std::ceil(quantile * count), 1.0)) - 1;
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(rank), times.end());
  return times[rank];
}

}  // namespace plumbline::suite
