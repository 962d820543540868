#include "suite/framework/expert_metrics.h"

namespace plumbline::suite {
namespace {

double durationsSeconds(const std::vector<Picoseconds>& times) {
  double seconds = 0;
  for (const Picoseconds time : times) seconds += time.toSeconds();
  return seconds;
}

// `bytes`: of all ranks in one of the phases.
std::optional<double> gigabytesOfRank(double bytes, const workload::MoeResult& moe,
                                      const workload::MoePhaseResult& phase) {
  const double seconds = durationsSeconds(phase.durations);
  if (seconds <= 0) return std::nullopt;
  return bytes * static_cast<double>(phase.durations.size()) / moe.ranks / seconds / 1e9;
}

}  // namespace

std::optional<double> meanMicroseconds(const std::vector<Picoseconds>& times) {
  if (times.empty()) return std::nullopt;
  return durationsSeconds(times) * 1e6 / static_cast<double>(times.size());
}

std::optional<double> roundTripMicroseconds(const workload::MoeResult& moe) {
  if (moe.dispatch.durations.empty() || moe.combine.durations.empty()) return std::nullopt;
  return meanMicroseconds(moe.round_trips);
}

std::optional<double> logicalGigabytes(const workload::MoeResult& moe,
                                       const workload::MoePhaseResult& phase) {
  return gigabytesOfRank(phase.logical_bytes, moe, phase);
}

std::optional<double> fabricGigabytes(const workload::MoeResult& moe,
                                      const workload::MoePhaseResult& phase) {
  return gigabytesOfRank(phase.fabric_bytes, moe, phase);
}

std::optional<double> wireGigabytes(const bench::TrialResult& trial) {
  const bench::JobOutcome& job = trial.fabric->jobs.front();
  const double seconds = job.moe ? durationsSeconds(job.moe->round_trips) : 0;
  if (seconds <= 0) return std::nullopt;
  // Everything crosses one host's link upwards and another one's downwards.
  double bits = 0;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches) continue;
    bits += link.utilisation * trial.fabric->load_end.toSeconds() *
            static_cast<double>(link.rate.bitsPerSecond());
  }
  return bits / 2 / 8 / job.moe->ranks / seconds / 1e9;
}

double droppedPercent(const workload::MoeResult& moe) {
  const auto all = static_cast<double>(moe.selections + moe.dropped);
  return all > 0 ? 100 * static_cast<double>(moe.dropped) / all : 0;
}

}  // namespace plumbline::suite
