#include "suite/inference/background.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "suite/framework/trials.h"

namespace plumbline::suite {
namespace {

constexpr const char* kBackground = "background";

bool isBackground(const std::string& job) { return job.starts_with(kBackground); }

// A message of one packet on the wire.
Picoseconds packetSlot(BitRate rate) { return frameSlot(kPacketFrame + kReth, rate); }

// From one packet to the next of each of the hosts.
Picoseconds intervalOf(const TestConfig& config, const SharedPath& path, Fraction load) {
  const double each = load.toDouble() * path.capacity / static_cast<double>(path.background.size());
  const auto slot = static_cast<double>(packetSlot(config.scenario.topology.link_rate).count());
  return Picoseconds(std::llround(slot / each));
}

}  // namespace

SharedPath sharedPath(const TestConfig& config) {
  const fabric::TopologySpec& topology = config.scenario.topology;
  const std::uint32_t hosts = topology.hostCount();
  SharedPath path;
  if (topology.kind == fabric::TopologyKind::kSingleSwitch) {
    for (std::uint32_t host = 1; host + 1 < hosts; ++host) {
      path.background.push_back({host, hosts - 1});
    }
    path.capacity = 1;
  } else if (topology.kind == fabric::TopologyKind::kClos2 ||
             topology.kind == fabric::TopologyKind::kPools) {
    const std::uint32_t leaf = topology.hosts_per_leaf;
    if (leaf == hosts) {
      path.refusal = "the first and the last host are on one leaf: no link is shared";
      return path;
    }
    for (std::uint32_t i = 1; i < leaf; ++i) {
      path.background.push_back({i, hosts - 1 - i});
    }
    const double uplinks = topology.spines * topology.uplinks;
    path.capacity = uplinks * topology.fabricRate().toGigabitsPerSecond() /
                    topology.link_rate.toGigabitsPerSecond();
  } else {
    path.refusal = "background needs a fabric whose leaves are known: kind clos2, pools or switch";
    return path;
  }
  constexpr std::size_t kMax = 200;  // jobs
  if (path.background.empty()) {
    path.refusal = "background needs a second host on the sender's switch";
  } else if (path.background.size() > kMax) {
    path.refusal =
        fmt::format("background from {} hosts; at most {}", path.background.size(), kMax);
  }
  return path;
}

double largestLoad(const SharedPath& path) {
  if (path.capacity <= 0) return 0;
  // With random gaps at full rate, packets would queue up at the host's own link without end.
  constexpr double kMaxHostShare = 0.95;
  return std::fmin(1, kMaxHostShare * static_cast<double>(path.background.size()) / path.capacity);
}

std::vector<workload::JobSpec> backgroundJobs(const TestConfig& config, const SharedPath& path,
                                              const BackgroundLoad& load, Picoseconds until) {
  std::vector<workload::JobSpec> jobs;
  if (load.load == Fraction()) return jobs;
  jobs.reserve(path.background.size());
  for (const Transfer& pair : path.background) {
    workload::JobSpec job =
        transferJob(fmt::format("{} host{}", kBackground, pair.from), {pair}, kPacketPayload);
    workload::MessageProgram& program = programOf(job);
    program.arrival_times = false;
    program.load = workload::Arrivals{.interval = intervalOf(config, path, load.load),
                                      .poisson = load.poisson};
    program.until = until;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

void drawBackgroundPhases(std::uint32_t repetition, bench::TrialSpec& spec) {
  std::uint32_t number = 0;
  for (workload::JobSpec& job : spec.workload->jobs) {
    if (!isBackground(job.name)) continue;
    const auto* arrivals = std::get_if<workload::Arrivals>(&programOf(job).load);
    if (arrivals == nullptr || arrivals->poisson) continue;
    job.start = drawPhase(spec.workload->seed, repetition, number++, arrivals->interval);
  }
}

double backgroundPercent(const TestConfig& config, const SharedPath& path,
                         const bench::TrialSpec& spec, const bench::TrialResult& trial) {
  std::uint64_t packets = 0;
  Picoseconds until;
  for (std::size_t i = 0; i < trial.fabric->jobs.size(); ++i) {
    const bench::JobOutcome& job = trial.fabric->jobs[i];
    if (!isBackground(job.name)) continue;
    packets += job.messages_completed;
    until = std::get<workload::MessageProgram>(spec.workload->jobs[i].program).until;
  }
  if (packets == 0) return 0;
  const Picoseconds slot = packetSlot(config.scenario.topology.link_rate);
  return 100 * static_cast<double>(packets) * slot.toSeconds() /
         (until.toSeconds() * path.capacity);
}

double backgroundHops(const TestConfig& config, const SharedPath& path, Fraction load,
                      Picoseconds until) {
  const double packets = load.toDouble() * path.capacity * until.toSeconds() /
                         packetSlot(config.scenario.topology.link_rate).toSeconds();
  return messageHops(config, kPacketPayload, packets);
}

}  // namespace plumbline::suite
