#include "bench/flow/fast_forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/latest_time.h"
#include "base/work.h"
#include "bench/flow/flow_level.h"
#include "bench/flow/message_scaling.h"
#include "bench/sim/route_probe.h"
#include "bench/sim/sim_hosts.h"
#include "fabric/engine/fabric.h"
#include "fabric/topology/topology.h"

namespace plumbline::bench {
namespace {

using workload::Algorithm;
using workload::CollectiveKind;
using workload::CollectiveSpec;
using workload::TrainingProgram;

constexpr Picoseconds kProgressStep = microseconds(20);  // between two checks of the progress
// Packets of the run that finds the routes, if it does not need more for one per message.
constexpr std::uint64_t kProbePackets = 2'000'000;

void refuseJob(const workload::JobSpec& job, std::vector<std::string>& refusals) {
  const auto* program = std::get_if<TrainingProgram>(&job.program);
  if (program == nullptr || program->collectives.empty()) {
    refusals.emplace_back("only collectives can be fast-forwarded");
    return;
  }
  if (program->overlap || program->compute_spread > Picoseconds()) {
    refusals.emplace_back(
        "iterations with overlap or stragglers cannot be fast-forwarded: they do not repeat, nor "
        "grow with the buffer");
  }
  for (const CollectiveSpec& collective : program->collectives) {
    const bool ring = collective.algorithm == Algorithm::kRing ||
                      collective.algorithm == Algorithm::kHierarchical;
    const bool pairwise = collective.kind == CollectiveKind::kAllToAll && collective.window == 1;
    if (!ring && !pairwise) {
      refusals.emplace_back(
          "only rings and an AllToAll with one peer at a time can be fast-forwarded");
      return;
    }
  }
}

// Run to its end; packet-hops are added up.
class PacketLevel {
 public:
  PacketLevel(unsigned threads, const TrialHooks& hooks) : threads_(threads), hooks_(hooks) {}

  workload::JobResult run(const TrialSpec& spec, fabric::Observer* observer = nullptr) {
    fabric::Fabric fabric(spec.dut, {fabric::Core::kWindowed, threads_});
    const SimHosts hosts(spec, fabric);
    if (observer != nullptr) fabric.observe(*observer);
    while (!hosts.workloadFinished()) {
      const auto next = fabric.nextEvent();
      if (!next) break;
      checkWork();
      fabric.runUntil(std::max(*next, fabric.now()) + kProgressStep);
      if (hooks_.progress) hooks_.progress({fabric.now(), fabric.now(), 0, 0});
    }
    for (fabric::LinkId link = 0; link < fabric.topology().links().size(); ++link) {
      packet_hops_ += fabric.linkCounters(link).frames();
    }
    workload::JobResult result = hosts.jobResults().front();
    if (!result.finished || result.total.messages_failed > 0) {
      throw Error(ErrorKind::kTester,
                  "a run at packet level did not finish: nothing to fast-forward from",
                  "fast-forward", "the same scenario with a smaller buffer shows why");
    }
    return result;
  }

  [[nodiscard]] std::uint64_t packetHops() const { return packet_hops_; }

 private:
  unsigned threads_;
  const TrialHooks& hooks_;
  std::uint64_t packet_hops_ = 0;
};

// The paths of `spec`, from a run with short messages.
FlowNetwork probeNetwork(const TrialSpec& spec, const MessageScaling& scaling,
                         std::uint64_t smallest, PacketLevel& packets) {
  const std::uint64_t affordable = kProbePackets / std::max<std::uint64_t>(1, scaling.messages());
  const std::uint64_t message =
      std::min(smallest, std::max<std::uint64_t>(1, affordable) * scaling.mtu());
  RouteProbe probe;
  packets.run(scaling.at(message, 1), &probe);
  const fabric::FabricPlan fabric(spec.dut);
  const fabric::Topology& topology = fabric.topology();
  FlowNetwork network;
  for (const fabric::Link& link : topology.links()) {
    network.capacities.push_back(static_cast<double>(link.rate.bitsPerSecond()) / 8e12);
  }
  const auto frame = Bytes(static_cast<std::int64_t>(scaling.mtu()));
  const auto path = [&](fabric::HostId from, fabric::HostId to) -> FlowPath {
    return {
        {}, fabric.unloadedLatency(from, to, frame), fabric.unloadedLatency(to, from, Bytes(64))};
  };
  for (auto& [pair, uses] : probe.routes()) {
    network.paths[pair] = path(pair.first, pair.second);
    network.paths[pair].uses = uses;
  }
  if (!programOf(spec).barrier) return network;
  // Messages of a barrier are smaller than a packet, so only their own hosts' links limit them.
  const std::vector<std::uint32_t>& members = scaling.hosts();
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    for (std::size_t hop = 1; hop < members.size(); hop *= 2) {
      const std::uint32_t from = members[rank];
      const std::uint32_t to = members[(rank + hop) % members.size()];
      if (network.paths.contains({from, to})) continue;
      FlowPath& own = network.paths[{from, to}] = path(from, to);
      const auto out = [&](std::uint32_t host) {
        return topology.nodes()[topology.hosts()[host]].out_links.front();
      };
      own.uses = {{out(from), 1}, {fabric::reverse(out(to)), 1}};
    }
  }
  return network;
}

// The times of a job's first iterations, in ps after its start: duration of each, then finish of
// each.
std::vector<double> timesOf(const workload::JobResult& job, std::size_t iterations) {
  std::vector<double> times;
  for (std::size_t i = 0; i < iterations; ++i) {
    times.push_back(static_cast<double>(job.iterations.at(i).duration().count()));
  }
  for (std::size_t i = 0; i < iterations; ++i) {
    const Picoseconds finish = job.iterations.at(i).finish - job.iterations.front().start;
    times.push_back(static_cast<double>(finish.count()));
  }
  return times;
}

// Both levels at one size.
struct Run {
  std::uint64_t message = 0;
  std::vector<double> flow;
  std::vector<double> packet;
};

// Linear prediction at `flow` from two runs: packet-level time over flow-level time.
std::vector<double> predict(const Run& a, const Run& b, const std::vector<double>& flow) {
  std::vector<double> predicted;
  for (std::size_t i = 0; i < flow.size(); ++i) {
    const double factor = (b.packet[i] - a.packet[i]) / (b.flow[i] - a.flow[i]);
    if (!std::isfinite(factor) || factor <= 0) {
      throw Error(ErrorKind::kTester, "times at packet level do not grow with the messages",
                  "fast-forward", "more packets, or a run without fast_forward");
    }
    predicted.push_back(b.packet[i] + factor * (flow[i] - b.flow[i]));
  }
  return predicted;
}

// The job of `iterations` iterations when its first ones take `times` and the last of them repeats.
struct Repeated {
  std::vector<double> durations;
  double completion = 0;
};

Repeated repeat(const std::vector<double>& times, std::size_t iterations) {
  const std::size_t known = times.size() / 2;
  Repeated repeated;
  repeated.durations.assign(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(known));
  repeated.completion = times.back();
  if (iterations > known) {
    repeated.durations.resize(iterations, repeated.durations.back());
    const double period = times.back() - times[times.size() - 2];
    repeated.completion += period * static_cast<double>(iterations - known);
  }
  return repeated;
}

double relativeError(double predicted, double simulated) {
  return std::abs(predicted - simulated) / simulated;
}

// Largest error over the checked run's iterations and its completion.
double errorOf(const Repeated& predicted, const workload::JobResult& simulated) {
  const std::vector<double> times = timesOf(simulated, simulated.iterations.size());
  double error = relativeError(predicted.completion, times.back());
  for (std::size_t i = 0; i < predicted.durations.size(); ++i) {
    error = std::max(error, relativeError(predicted.durations[i], times[i]));
  }
  return error;
}

Picoseconds rounded(double time) { return Picoseconds(std::llround(time)); }

}  // namespace

bool mustFastForward(const TrialSpec& spec) {
  if (!spec.fast_forward || !spec.workload || spec.workload->jobs.size() != 1) return false;
  std::vector<std::string> refusals;
  refuseJob(spec.workload->jobs.front(), refusals);
  if (!refusals.empty()) return false;
  const MessageScaling scaling(spec);
  const std::uint64_t packets = scaling.packets(scaling.largest());
  return packets > spec.fast_forward->packets / programOf(spec).iterations;
}

std::vector<std::string> fastForwardRefusals(const TrialSpec& spec) {
  std::vector<std::string> refusals;
  if (!spec.streams.empty() || spec.duration > Picoseconds()) {
    refusals.emplace_back("a trial with streams or a duration cannot be fast-forwarded");
  }
  if (!spec.workload || spec.workload->jobs.size() != 1) {
    refusals.emplace_back(
        "only a single job can be fast-forwarded: several change each other's rates");
    return refusals;
  }
  const fabric::FabricSpec& dut = spec.dut;
  if (!dut.failures.empty() || !dut.bit_errors.empty() || !dut.storms.empty() ||
      !dut.impairments.empty()) {
    refusals.emplace_back(
        "what goes wrong in the fabric (failures, bit errors, pause storms) cannot "
        "be fast-forwarded");
  }
  refuseJob(spec.workload->jobs.front(), refusals);
  if (!refusals.empty() || !mustFastForward(spec)) return refusals;
  std::uint64_t needed = 0;
  if (MessageScaling(spec).ofLastRun(fabric::FabricPlan(dut), needed) == 0) {
    refusals.push_back(fmt::format(
        "{} packets are too few to fast-forward from: messages of the bandwidth-delay product need "
        "{}",
        spec.fast_forward->packets, needed));
  }
  return refusals;
}

FabricResult fastForward(const TrialSpec& spec, unsigned threads, const TrialHooks& hooks) {
  const MessageScaling scaling(spec);
  std::uint64_t needed = 0;
  const std::uint64_t largest = scaling.ofLastRun(fabric::FabricPlan(spec.dut), needed);
  PacketLevel packets(threads, hooks);
  const FlowNetwork network = probeNetwork(spec, scaling, largest / kRunRatio.back(), packets);
  const auto flowTimes = [&](std::uint64_t message) {
    const TrialSpec scaled = scaling.at(message, kCalibratedIterations);
    const workload::JobResult job =
        runFlowLevel(*scaled.workload, spec.dut.hostCount(), network).jobs.front();
    return timesOf(job, job.iterations.size());
  };

  FabricResult result;
  result.fast_forward.emplace();
  FastForwardOutcome& outcome = *result.fast_forward;
  std::array<Run, kRunRatio.size()> runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run& run = runs[i];
    const bool check = i + 1 == runs.size();
    run.message = largest * kRunRatio[i] / kRunRatio.back();
    const TrialSpec scaled =
        scaling.at(run.message, check ? kCheckedIterations : kCalibratedIterations);
    const workload::JobResult job = packets.run(scaled);
    run.flow = flowTimes(run.message);
    run.packet = timesOf(job, run.flow.size() / 2);
    outcome.points.push_back({run.message, rounded(run.flow.front()), rounded(run.packet.front())});
    if (!check) continue;
    const Repeated predicted = repeat(predict(runs[0], runs[1], run.flow), job.iterations.size());
    outcome.calibrated_error = errorOf(predicted, job);
  }
  const std::vector<double> flow = flowTimes(scaling.largest());
  const Repeated repeated = repeat(predict(runs[1], runs[2], flow), programOf(spec).iterations);
  if (repeated.completion >
      static_cast<double>((kLatestTime - spec.workload->jobs.front().start).count())) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the predicted time is {:.3g} s", repeated.completion / 1e12),
                "fast_forward", fmt::format("at most {:.0f} s in all", kLatestTime.toSeconds()));
  }
  const Repeated smaller = repeat(predict(runs[0], runs[1], flow), programOf(spec).iterations);
  outcome.calibration_spread = relativeError(smaller.completion, repeated.completion);
  outcome.message_bytes = scaling.largest();
  outcome.flow_level = rounded(flow.front());
  outcome.packet_hops = packets.packetHops();

  const workload::JobSpec& job = spec.workload->jobs.front();
  JobOutcome& predicted = result.jobs.emplace_back();
  predicted.name = job.name;
  predicted.finished = true;
  for (const double duration : repeated.durations) {
    predicted.iterations.push_back(rounded(duration));
  }
  predicted.completion = rounded(repeated.completion);
  result.sim_end = job.start + predicted.completion;
  return result;
}

}  // namespace plumbline::bench
