#include "suite/training/incast.h"

#include <algorithm>
#include <utility>

#include "suite/convergence.h"

namespace plumbline::suite {
namespace {

constexpr const char* kJoining = "joining";
constexpr const char* kVictim = "victim";

workload::JobSpec messagesTo(const char* name, std::vector<workload::HostId> hosts, Bytes message,
                             Picoseconds until) {
  workload::JobSpec job;
  job.name = name;
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = std::move(hosts);
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kIncast;  // every other rank to rank 0
  program.bytes = static_cast<std::uint64_t>(message.count());
  if (until > Picoseconds(0)) {
    program.until = until;
  } else {
    program.messages = 1;
  }
  job.program = program;
  return job;
}

}  // namespace

bench::TrialSpec incastTrial(const TestConfig& config, const Incast& incast) {
  bench::TrialSpec spec = emptyTrial(config);
  applyVariant(incast.variant, spec);
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const std::uint32_t early = incast.early == 0 ? incast.senders : incast.early;
  std::vector<workload::HostId> first{0};
  std::vector<workload::HostId> late{0};
  for (std::uint32_t i = 0; i < incast.senders; ++i) {
    (i < early ? first : late).push_back(hosts - 2 - i);
  }
  spec.workload->jobs.push_back(
      messagesTo("incast", std::move(first), incast.message, incast.until));
  if (late.size() > 1) {
    workload::JobSpec joining = messagesTo(kJoining, std::move(late), incast.message, incast.until);
    joining.start = incast.join_at;
    spec.workload->jobs.push_back(std::move(joining));
  }
  for (workload::JobSpec& job : spec.workload->jobs) {
    job.flows = incast.flows;
    job.flow_use = workload::FlowUse::kSplit;
  }
  if (incast.victim) {
    // Host 1 is on the receiver's leaf, the last host on that of the first senders.
    spec.workload->jobs.push_back(
        messagesTo(kVictim, {1, hosts - 1}, incast.message, Picoseconds(0)));
  }
  return spec;
}

double incastHops(const TestConfig& config, const Incast& incast) {
  const double flows = incast.senders + (incast.victim ? 1 : 0);
  const double payload =
      incast.until > Picoseconds(0)
          ? static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond()) / 8 *
                incast.until.toSeconds()
          : flows * static_cast<double>(incast.message.count());
  return payloadHops(config, payload);
}

std::vector<std::uint32_t> senderSweep(const TestConfig& config, Numbers& numbers,
                                       const std::vector<std::uint32_t>& standard,
                                       const std::vector<std::uint32_t>& quick) {
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  return numbers.sweep<std::uint32_t>("Senders", standard, quick,
                                      config.scenario.parameters.incast_ratios,
                                      [hosts](std::uint32_t n) { return n + 3 <= hosts; });
}

double incastGoodputPercent(const TestConfig& config, const Incast& incast,
                            const bench::TrialResult& trial) {
  // When each job of the incast was done, on the trial's clock.
  Picoseconds end;
  double bits = 0;
  for (const bench::JobOutcome& job : trial.fabric->jobs) {
    if (job.name == kVictim) continue;
    end = std::max(end, job.completion + (job.name == kJoining ? incast.join_at : Picoseconds(0)));
    bits += 8.0 * static_cast<double>(job.bytes_arrived);
  }
  if (end <= Picoseconds(0)) return 0;
  return 100 * bits / end.toSeconds() /
         static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond());
}

Picoseconds fairSampling(const TestConfig& config, std::uint32_t flows) {
  constexpr Bytes kFullFrame{4178};
  constexpr std::int64_t kPackets = 40;
  return frameSlot(kFullFrame, config.scenario.topology.link_rate) * flows * kPackets /
         std::int64_t{ConvergenceRule().window};
}

std::optional<double> joiningConvergence(const Incast& incast, const bench::TrialResult& trial) {
  const auto time = convergenceTime(*trial.fabric->samples, incast.join_at);
  return time ? std::optional(time->toMicroseconds()) : std::nullopt;
}

}  // namespace plumbline::suite
