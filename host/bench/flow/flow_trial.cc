#include "bench/flow/flow_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/work.h"
#include "bench/flow/flow_level.h"
#include "bench/flow/flow_routes.h"
#include "bench/flow/flow_serving_network.h"
#include "bench/sim/sim_hosts.h"
#include "bench/trial/longest_frame.h"
#include "bench/trial/trial_footprint.h"
#include "fabric/engine/fabric.h"
#include "fabric/spec/fabric_plan.h"
#include "serving/mapping.h"
#include "serving/serving_model.h"
#include "workload/own_time.h"

namespace plumbline::bench {
namespace {

using serving::ServingProgram;
using workload::MessageProgram;

// Messages of the probe: long enough for a window to open, and a difference of 3.75 MiB to take the
// rate from.
constexpr std::uint64_t kShort = std::uint64_t{256} << 10;
constexpr std::uint64_t kLong = std::uint64_t{4} << 20;
constexpr Picoseconds kProbeStep = microseconds(20);
constexpr Bytes kRequestFrame{64};  // of a READ, roughly

// Endpoints and messages of the probe.
struct ProbePath {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  transport::Verb verb = transport::Verb::kWrite;
};

bool isRead(const ProbePath& path) { return path.verb == transport::Verb::kRead; }

const MessageProgram* messagesOf(const workload::JobSpec& job) {
  return std::get_if<MessageProgram>(&job.program);
}

std::uint32_t hostOf(const ServingProgram& program, std::uint32_t nic) {
  return program.hosts.empty() ? nic : program.hosts.at(nic);
}

bool reads(const ServingProgram& program) {
  return program.system.transfer.verb == serving::TransferVerb::kRead;
}

ProbePath probePathOf(const TrialSpec& spec) {
  if (spec.serving) {
    const serving::Mapping mapping(spec.serving->system.servers, spec.serving->system.model);
    const serving::KvFlow flow = mapping.flows({0, 0}, {0, 0}, 0).front();
    return {hostOf(*spec.serving, flow.from_nic), hostOf(*spec.serving, flow.to_nic),
            reads(*spec.serving) ? transport::Verb::kRead : transport::Verb::kWriteImmediate};
  }
  const workload::JobSpec& job = spec.workload->jobs.front();
  const auto [from, to] = messagesOf(job)->pairs.front();
  return {job.placement.hosts.at(from), job.placement.hosts.at(to), job.verb};
}

// One message on the trial's fabric, which is idle otherwise.
TrialSpec probeOf(const TrialSpec& spec, const ProbePath& path, std::uint64_t bytes) {
  TrialSpec probe;
  probe.dut = spec.dut;
  probe.transport = spec.transport;
  workload::JobSpec& job = probe.workload.emplace().jobs.emplace_back();
  job.name = "probe";
  job.verb = path.verb;
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = {path.from, path.to};
  MessageProgram program;
  program.pattern = workload::Pattern::kExplicit;
  // A READ is posted where its bytes go to.
  program.pairs = {isRead(path) ? std::pair<workload::Rank, workload::Rank>(1, 0)
                                : std::pair<workload::Rank, workload::Rank>(0, 1)};
  program.bytes = bytes;
  program.messages = 1;
  program.arrival_times = !isRead(path);
  job.program = std::move(program);
  return probe;
}

// From the post of the message until it has arrived.
Picoseconds probeTime(const TrialSpec& spec, std::uint64_t& packet_hops) {
  fabric::Fabric fabric(spec.dut, {fabric::Core::kWindowed, 1});
  const SimHosts hosts(spec, fabric);
  while (!hosts.workloadFinished()) {
    const auto next = fabric.nextEvent();
    if (!next) break;
    checkWork();
    fabric.runUntil(std::max(*next, fabric.now()) + kProbeStep);
  }
  for (fabric::LinkId link = 0; link < fabric.topology().links().size(); ++link) {
    packet_hops += fabric.linkCounters(link).frames();
  }
  const workload::JobResult job = hosts.jobResults().front();
  const stats::Histogram& times = job.arrival_time ? *job.arrival_time : job.total.message_time;
  if (!job.finished || job.total.messages_failed > 0 || times.count() != 1) {
    throw Error(ErrorKind::kTester, "the message of the probe at packet level did not arrive",
                "flow level");
  }
  return Picoseconds(static_cast<std::int64_t>(times.minimum()));
}

double bytesPerPs(BitRate rate) { return static_cast<double>(rate.bitsPerSecond()) / 8e12; }

// Links and latencies of the flow level, by the probe.
class FlowFabric {
 public:
  explicit FlowFabric(const TrialSpec& spec)
      : plan_(spec.dut),
        routes_(spec, plan_),
        path_(probePathOf(spec)),
        frame_(bench::longestFrame(spec.transport.value_or(transport::RoceSpec()))) {
    const Picoseconds small = probeTime(probeOf(spec, path_, kShort), result_.probe_packet_hops);
    const Picoseconds large = probeTime(probeOf(spec, path_, kLong), result_.probe_packet_hops);
    const double rate =
        static_cast<double>(kLong - kShort) / static_cast<double>((large - small).count());
    double slowest = std::numeric_limits<double>::infinity();
    for (const LinkUse& use : routes_.uses(path_.from, path_.to, 0)) {
      slowest = std::min(slowest, rateOf(use.link) / use.share);
    }
    result_.payload_share = rate / slowest;
    if (!(result_.payload_share > 0 && result_.payload_share <= 1)) {
      throw Error(ErrorKind::kTester,
                  fmt::format("the probe at packet level found {} of a link's rate as payload",
                              result_.payload_share),
                  "flow level");
    }
    const Picoseconds bytes(std::llround(static_cast<double>(kLong) / rate));
    result_.overhead = large - bytes - idleTime(path_.from, path_.to);
  }

  [[nodiscard]] std::vector<double> capacities() const {
    std::vector<double> capacities;
    capacities.reserve(plan_.topology().links().size());
    for (std::uint32_t link = 0; link < plan_.topology().links().size(); ++link) {
      capacities.push_back(rateOf(link) * result_.payload_share);
    }
    return capacities;
  }

  FlowPath path(std::uint32_t from, std::uint32_t to, std::uint32_t flow) {
    return {routes_.uses(from, to, flow),
            std::max(idleTime(from, to) + result_.overhead, Picoseconds()),
            plan_.unloadedLatency(to, from, kRequestFrame)};
  }

  // The trial's result so far, with the load of the links until its end.
  template <typename Carried>  // of a link [bytes]
  FlowLevelResult finish(Picoseconds end, const Carried& carried) {
    result_.end = end;
    const fabric::Topology& topology = plan_.topology();
    const double time = static_cast<double>(end.count());
    for (std::uint32_t number = 0; number < topology.links().size(); ++number) {
      const double bytes = carried(number);
      if (bytes <= 0 || time <= 0) continue;
      result_.links.push_back({topology.linkName(number), topology.joinsSwitches(number), bytes,
                               bytes / (rateOf(number) * result_.payload_share * time)});
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] double rateOf(std::uint32_t link) const {
    return bytesPerPs(plan_.topology().links()[link].rate);
  }
  // Of a full packet, and of the request before it for RDMA Read.
  [[nodiscard]] Picoseconds idleTime(std::uint32_t from, std::uint32_t to) const {
    const Picoseconds there = plan_.unloadedLatency(from, to, frame_);
    return isRead(path_) ? there + plan_.unloadedLatency(to, from, kRequestFrame) : there;
  }

  fabric::FabricPlan plan_;
  FlowRoutes routes_;
  ProbePath path_;
  Bytes frame_;
  FlowLevelResult result_;
};

void serve(const TrialSpec& spec, FlowFabric& fabric, TrialResult& result) {
  const ServingProgram& program = *spec.serving;
  const serving::Mapping mapping(program.system.servers, program.system.model);
  FlowServingNetwork network(fabric.capacities(),
                             {mapping.nics(), program.queue_pairs, reads(program)},
                             [&](std::uint32_t from, std::uint32_t to, std::uint32_t flow) {
                               return fabric.path(hostOf(program, from), hostOf(program, to), flow);
                             });
  serving::ServingModel model(program.system,
                              serving::Workload(program.workload, program.system.seed), network);
  result.serving = model.run();
  result.card_time = result.serving->end;
  result.flow_level = fabric.finish(
      result.serving->end, [&](std::uint32_t link) { return network.fluid().carried(link); });
  result.flow_level->rate_changes = network.fluid().changes();
}

void sendMessages(const TrialSpec& spec, FlowFabric& fabric, TrialResult& result) {
  FlowNetwork network;
  network.capacities = fabric.capacities();
  for (const workload::JobSpec& job : spec.workload->jobs) {
    for (const auto& [from, to] : messagesOf(job)->pairs) {
      const std::uint32_t a = job.placement.hosts[from];
      const std::uint32_t b = job.placement.hosts[to];
      if (!network.paths.contains({a, b})) network.paths[{a, b}] = fabric.path(a, b, 0);
    }
  }
  const FlowRun run = runFlowLevel(*spec.workload, spec.dut.hostCount(), network);
  result.card_time = run.end;
  result.flow_level = fabric.finish(run.end, [&](std::uint32_t link) { return run.carried[link]; });
  result.flow_level->rate_changes = run.rate_changes;
  for (const workload::JobResult& job : run.jobs) {
    const Picoseconds active = job.total.messages_posted == 0
                                   ? Picoseconds()
                                   : job.total.last_done - job.total.first_posted;
    result.flow_level->jobs.push_back(
        {job.name, job.finished, job.total.messages_completed, job.total.bytes_arrived, active});
  }
}

void refuseMessages(const workload::JobSpec& job, std::vector<std::string>& refusals) {
  const MessageProgram* program = messagesOf(job);
  if (program == nullptr || program->pattern != workload::Pattern::kExplicit ||
      program->bidirectional || program->pairs.empty() ||
      job.placement.rule != workload::PlacementRule::kExplicit) {
    refusals.emplace_back("of jobs, the flow level has messages between listed pairs of hosts");
    return;
  }
  if (job.flows != 1 || job.first_flow != 0 || job.verb == transport::Verb::kRead) {
    refusals.emplace_back("jobs at flow level have one queue pair, and write");
  }
  if (workload::isEndless(job)) {
    refusals.push_back(fmt::format("job '{}' posts messages without end", job.name));
  }
}

// Of hosts that are not there, and a system that cannot be.
void refuseServing(const TrialSpec& spec, std::vector<std::string>& refusals) {
  const ServingProgram& program = *spec.serving;
  try {
    serving::check(program);
    const std::uint32_t nics =
        serving::Mapping(program.system.servers, program.system.model).nics();
    const std::uint32_t hosts = spec.dut.hostCount();
    for (std::uint32_t nic = 0; nic < nics; ++nic) {
      if (hostOf(program, nic) < hosts) continue;
      refusals.push_back(
          fmt::format("the serving system has {} NICs, and NIC {} would be host {} of {}", nics,
                      nic, hostOf(program, nic), hosts));
      return;
    }
  } catch (const Error& error) {
    refusals.emplace_back(error.what());
  }
}

}  // namespace

std::vector<std::string> flowTrialRefusals(const TrialSpec& spec) {
  std::vector<std::string> refusals;
  if (spec.serving.has_value() == spec.workload.has_value() || !spec.tenants.empty()) {
    refusals.emplace_back("a trial at flow level is one serving system, or jobs without one");
    return refusals;
  }
  if (!spec.streams.empty() || spec.fast_forward || spec.early_end || spec.recordsFabric() ||
      spec.capture_port) {
    refusals.emplace_back(
        "the flow level has neither streams, samples, losses nor marks, and ends by itself");
  }
  if (auto why = routesRefusal(spec)) refusals.push_back(*std::move(why));
  if (!acknowledgesMessages(spec)) {
    refusals.emplace_back("the flow level loses nothing: it needs a service with acknowledgements");
  }
  if (spec.serving) {
    refuseServing(spec, refusals);
  } else {
    for (const workload::JobSpec& job : spec.workload->jobs) refuseMessages(job, refusals);
  }
  if (!refusals.empty()) return refusals;
  try {
    const TrialSpec probe = probeOf(spec, probePathOf(spec), kLong);
    checkSimHosts(probe, fabric::FabricPlan(spec.dut));
    double bytes = footprintOf(probe).bytes;
    if (spec.serving) bytes += serving::cacheBytes(spec.serving->system);
    if (auto why = memoryRefusal("a trial at flow level", bytes)) {
      refusals.push_back(*std::move(why));
    }
  } catch (const Error& error) {
    refusals.emplace_back(error.what());
  }
  return refusals;
}

TrialResult runFlowTrial(const TrialSpec& spec) {
  TrialResult result;
  FlowFabric fabric(spec);
  if (spec.serving) {
    serve(spec, fabric, result);
  } else {
    sendMessages(spec, fabric, result);
  }
  return result;
}

}  // namespace plumbline::bench
