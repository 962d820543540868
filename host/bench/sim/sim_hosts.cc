#include "bench/sim/sim_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/work.h"
#include "bench/card/flow_plan.h"
#include "bench/card/packet.h"
#include "fabric/engine/counters.h"
#include "transport/roce/roce_protocol.h"
#include "transport/uet/uet_protocol.h"

namespace plumbline::bench {
namespace {

constexpr fabric::HostId kHostsPerCheck = 64;  // of checkWork()

BitRate linkRateOf(const fabric::Fabric& fabric, fabric::HostId host) {
  const fabric::Topology& topology = fabric.topology();
  return topology.links()[topology.nodes()[topology.hosts()[host]].out_links.front()].rate;
}

transport::PlainStream plainStream(const StreamSpec& stream, Picoseconds duration) {
  transport::PlainStream plain;
  plain.from = stream.from;
  plain.to = stream.to;
  plain.frame = stream.frame;
  plain.priority = priorityOf(stream.format);
  plain.ect = stream.format.ect;
  plain.trimmable = stream.format.dscp == kTrimmableDscp;
  plain.qps = stream.format.qps;
  plain.start = stream.start;
  plain.end = duration;
  plain.group = stream.group;
  if (const auto* constant = std::get_if<ConstantLoad>(&stream.load)) {
    plain.load = transport::ConstantRate{constant->rate};
  } else {
    const auto& burst = std::get<BurstLoad>(stream.load);
    plain.load =
        transport::FrameBursts{burst.frames, burst.extra_gap, burst.bursts, burst.interval};
  }
  return plain;
}

// Time that the PAUSE frames of a host's storms take of its wire in a trial of `duration`.
Picoseconds stormTime(const fabric::FabricSpec& dut, fabric::HostId host, BitRate rate,
                      Picoseconds duration) {
  constexpr Bytes kPauseFrame(fabric::kControlFrameBytes);
  const Picoseconds refresh = fabric::stormRefresh(serializationTime(kPauseFrame, rate));
  std::int64_t frames = 0;
  for (const fabric::PauseStormSpec& storm : dut.storms) {
    if (storm.host != host || storm.start >= duration) continue;
    frames += std::min(storm.duration, duration - storm.start) / refresh + 2;  // the last ends it
  }
  return frameSlot(kPauseFrame, rate) * frames;
}

// Time that the CC_Updates of a host take of its wire in a trial of `duration`, at most: one in
// each period of CBFC.
Picoseconds creditTime(const fabric::FabricSpec& dut, BitRate rate, Picoseconds duration) {
  const auto& cbfc = dut.switches.cbfc;
  if (!cbfc || cbfc->consumed_period == Picoseconds(0)) return {};
  return frameSlot(Bytes(fabric::kControlFrameBytes), rate) *
         (duration / cbfc->consumed_period + 1);
}

// Streams of one host may be due at the same time: at no more than line rate in total, a frame
// waits for at most one frame of every other stream. PAUSE frames and CC_Updates of the host go
// first, and at line rate the frames behind them never make up for it.
Picoseconds lateThreshold(const TrialSpec& spec, const transport::StreamPlan& plan,
                          fabric::HostId host) {
  Picoseconds sum = stormTime(spec.dut, host, plan.rate(), spec.duration) +
                    creditTime(spec.dut, plan.rate(), spec.duration);
  Picoseconds min = fabric::kNever;
  for (const transport::PlainStream& stream : plan.streams()) {
    if (stream.from != host) continue;
    const Picoseconds slot = frameSlot(stream.frame, plan.rate());
    sum += slot;
    min = std::min(min, slot);
  }
  return sum == Picoseconds() ? kLateThreshold : kLateThreshold + sum - min;
}

// The trial's streams that begin at simulated hosts.
struct HostStreams {
  std::vector<std::uint32_t> numbers;  // in the trial, ascending
  std::vector<transport::PlainStream> plain;
  std::vector<bool> ends;  // by host: a stream begins or ends there
};

HostStreams streamsOfHosts(const TrialSpec& spec, std::uint32_t hosts,
                           const std::set<fabric::HostId>& tester_ports) {
  HostStreams streams{{}, {}, std::vector<bool>(hosts)};
  for (std::uint32_t i = 0; i < spec.streams.size(); ++i) {
    const StreamSpec& stream = spec.streams[i];
    if (tester_ports.contains(stream.from)) continue;
    streams.numbers.push_back(i);
    streams.plain.push_back(plainStream(stream, spec.duration));
    for (const std::uint32_t host : {stream.from, stream.to}) {
      if (host >= hosts) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("stream '{}': there is no host {}", stream.name, host), {},
                    fmt::format("0 to {}", hosts - 1));
      }
      streams.ends[host] = true;
    }
  }
  return streams;
}

std::unique_ptr<transport::Protocol> makeTransport(const TrialSpec& spec,
                                                   const transport::HostContext& context) {
  if (!spec.transport) {
    return std::make_unique<transport::RoceProtocol>(transport::RoceSpec{}, context);
  }
  if (const auto* uet = std::get_if<transport::UetSpec>(&*spec.transport)) {
    return std::make_unique<transport::UetProtocol>(*uet, context);
  }
  return std::make_unique<transport::RoceProtocol>(std::get<transport::RoceSpec>(*spec.transport),
                                                   context);
}

std::unique_ptr<workload::Workload> makeWorkload(const TrialSpec& spec, std::uint32_t hosts) {
  return std::make_unique<workload::Workload>(spec.workload.value_or(workload::WorkloadSpec()),
                                              hosts);
}

// Hosts of the NICs of a serving system, among `hosts`.
std::vector<fabric::HostId> servingHosts(const serving::ServingProgram& program,
                                         std::uint32_t hosts) {
  const std::uint32_t nics = serving::Mapping(program.system.servers, program.system.model).nics();
  std::vector<fabric::HostId> of_nics;
  of_nics.reserve(nics);
  for (std::uint32_t nic = 0; nic < nics; ++nic) {
    const fabric::HostId host = program.hosts.empty() ? nic : program.hosts[nic];
    if (host >= hosts) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the serving system has {} NICs, and NIC {} would be host {}", nics,
                              nic, host),
                  "serving", fmt::format("hosts 0 to {} of the topology", hosts - 1));
    }
    of_nics.push_back(host);
  }
  return of_nics;
}

// A task for each NIC, with the number after those of the jobs. It has queue pairs of its own: on a
// job's, KV cache would wait for whole messages of the job.
std::vector<ServingTask*> addServing(const TrialSpec& spec, const serving::ServingProgram& program,
                                     const std::vector<fabric::HostId>& hosts,
                                     workload::Workload& workload) {
  constexpr std::uint32_t kFlows = 256;  // of a pair of hosts
  workload::JobSpec job;
  job.flows = program.queue_pairs;
  if (spec.workload) {
    for (const workload::JobSpec& other : spec.workload->jobs) {
      job.first_flow = std::max(job.first_flow, other.first_flow + other.flows);
    }
  }
  if (job.first_flow + job.flows > kFlows) {
    throw Error(ErrorKind::kUsage,
                fmt::format("jobs and serving system have {} queue pairs between two hosts",
                            job.first_flow + job.flows),
                "serving.queue_pairs", fmt::format("{} together at most", kFlows));
  }
  job.verb = program.system.transfer.verb == serving::TransferVerb::kRead
                 ? transport::Verb::kRead
                 : transport::Verb::kWriteImmediate;
  const auto number = static_cast<std::uint32_t>(workload.placement().size());
  std::vector<ServingTask*> tasks;
  tasks.reserve(hosts.size());
  for (const fabric::HostId host : hosts) {
    auto task = std::make_unique<ServingTask>(workload::MessagePort(number, job));
    tasks.push_back(task.get());
    workload.add(host, number, std::move(task));
  }
  return tasks;
}

// The NICs of all serving systems of a trial, system by system.
struct ServingNics {
  std::vector<fabric::HostId> hosts;
  std::vector<ServingTask*> tasks;
};

ServingNics addServingSystems(const TrialSpec& spec, std::uint32_t hosts,
                              workload::Workload& workload) {
  ServingNics nics;
  std::set<fabric::HostId> taken;
  for (const serving::ServingProgram* program : spec.servingSystems()) {
    const std::vector<fabric::HostId> own = servingHosts(*program, hosts);
    for (const fabric::HostId host : own) {
      if (spec.tenants.empty() || taken.insert(host).second) continue;
      throw Error(ErrorKind::kUsage, fmt::format("host {} has NICs of two serving systems", host),
                  "serving.hosts", "hosts of its own for each of them");
    }
    const std::vector<ServingTask*> tasks = addServing(spec, *program, own, workload);
    nics.hosts.insert(nics.hosts.end(), own.begin(), own.end());
    nics.tasks.insert(nics.tasks.end(), tasks.begin(), tasks.end());
  }
  return nics;
}

}  // namespace

bool acknowledgesMessages(const TrialSpec& spec) {
  if (!spec.transport) return true;  // RoCE with its defaults
  if (const auto* uet = std::get_if<transport::UetSpec>(&*spec.transport)) {
    return uet->service != transport::UetService::kUud;
  }
  return std::get<transport::RoceSpec>(*spec.transport).service == transport::RoceService::kRc;
}

SimHosts::SimHosts(const TrialSpec& spec, fabric::Fabric& fabric,
                   const std::set<fabric::HostId>& tester_ports)
    : nics_(fabric.hostCount()), acknowledges_(acknowledgesMessages(spec)) {
  if (spec.workload || spec.serving) workload_ = makeWorkload(spec, fabric.hostCount());
  if (spec.serving) {
    ServingNics nics = addServingSystems(spec, fabric.hostCount(), *workload_);
    serving_hosts_ = std::move(nics.hosts);
    serving_tasks_ = std::move(nics.tasks);
  }
  HostStreams streams = streamsOfHosts(spec, fabric.hostCount(), tester_ports);
  streams_ = std::move(streams.numbers);
  streaming_ = std::move(streams.ends);
  if (!streams.plain.empty()) {
    plan_ = std::make_shared<const transport::StreamPlan>(std::move(streams.plain),
                                                          linkRateOf(fabric, 0));
  }
  for (fabric::HostId host = 0; host < fabric.hostCount(); ++host) {
    if (host % kHostsPerCheck == 0) checkWork();
    if (!tester_ports.contains(host)) buildHost(spec, fabric, host);
  }
}

void SimHosts::servingTaskChanged(std::uint32_t nic) {
  workload_->taskChanged(serving_hosts_[nic]);
  nics_[serving_hosts_[nic]]->applicationChanged();
}

void SimHosts::buildHost(const TrialSpec& spec, fabric::Fabric& fabric, fabric::HostId host) {
  transport::HostContext context;
  context.self = host;
  context.rate = linkRateOf(fabric, host);
  context.seed = spec.dut.seed;
  context.draw_seed = spec.dut.drawSeed();
  context.application = workload_ ? workload_->application(host) : nullptr;
  std::vector<std::unique_ptr<transport::Protocol>> protocols;
  if (context.application != nullptr) protocols.push_back(makeTransport(spec, context));
  if (streaming_[host]) {
    auto streams = std::make_unique<transport::StreamProtocol>(
        context, plan_,
        transport::StreamOptions{.late_threshold = lateThreshold(spec, *plan_, host),
                                 .stops_at_end = spec.dut.switches.llr.has_value()});
    stream_ends_.push_back(streams.get());
    protocols.push_back(std::move(streams));
  }
  if (protocols.empty()) return;
  nics_[host] = std::make_unique<transport::Nic>(context.application, std::move(protocols));
  fabric.attach(host, *nics_[host]);
  hosts_.push_back(host);
}

transport::EndpointStats SimHosts::statsOf(fabric::HostId host) const {
  transport::EndpointStats stats;
  if (nics_.at(host) == nullptr) return stats;
  for (const auto& protocol : nics_[host]->protocols()) stats.merge(protocol->stats());
  return stats;
}

transport::EndpointStats SimHosts::transportStats() const {
  transport::EndpointStats stats;
  for (const fabric::HostId host : hosts_) {
    for (const auto& protocol : nics_[host]->protocols()) {
      if (protocol->id() != transport::ProtocolId::kStream) stats.merge(protocol->stats());
    }
  }
  return stats;
}

RecoveryCounts SimHosts::recoveryCounts() const {
  RecoveryCounts counts;
  for (const fabric::HostId host : hosts_) {
    for (const auto& protocol : nics_[host]->protocols()) {
      if (protocol->id() == transport::ProtocolId::kStream) continue;
      const transport::EndpointStats& stats = protocol->stats();
      counts.resent += stats.retransmitted;
      counts.timeouts += stats.timeouts;
      counts.failed += stats.messages_failed;
    }
  }
  return counts;
}

std::optional<transport::ConnectionStats> SimHosts::connections() const {
  std::optional<transport::ConnectionStats> all;
  for (const fabric::HostId host : hosts_) {
    for (const auto& protocol : nics_[host]->protocols()) {
      const transport::ConnectionStats* stats = protocol->connectionStats();
      if (stats == nullptr) continue;
      if (!all) all.emplace();
      all->merge(*stats);
    }
  }
  return all;
}

std::vector<transport::FlowStats> SimHosts::flowsOf(fabric::HostId host) const {
  std::vector<transport::FlowStats> flows;
  if (nics_.at(host) == nullptr) return flows;
  for (const auto& protocol : nics_[host]->protocols()) {
    const std::size_t first = flows.size();
    protocol->appendFlows(flows);
    for (std::size_t i = first; i < flows.size(); ++i) flows[i].protocol = protocol->id();
  }
  return flows;
}

std::vector<transport::PendingMessage> SimHosts::pendingOf(fabric::HostId host) const {
  std::vector<transport::PendingMessage> messages;
  if (nics_.at(host) == nullptr) return messages;
  for (const auto& protocol : nics_[host]->protocols()) protocol->appendPending(messages);
  return messages;
}

bool SimHosts::workloadFinished() const { return !workload_ || workload_->finished(); }

const workload::WorkloadSpec& SimHosts::workload() const {
  static const workload::WorkloadSpec none;
  return workload_ ? workload_->spec() : none;
}

const std::vector<std::vector<fabric::HostId>>& SimHosts::placement() const {
  static const std::vector<std::vector<fabric::HostId>> none;
  return workload_ ? workload_->placement() : none;
}

std::uint64_t SimHosts::payloadReceived() const {
  std::uint64_t bytes = 0;
  for (const fabric::HostId host : hosts_) {
    for (const transport::FlowStats& flow : flowsOf(host)) bytes += flow.payload_received;
  }
  return bytes;
}

std::vector<workload::IterationResult> SimHosts::iterations() const {
  if (!workload_ || workload_->placement().empty()) return {};
  return workload_->iterationsOf(0);
}

void SimHosts::endIterations() { workload_->endIterations(0); }

std::vector<workload::JobResult> SimHosts::jobResults() const {
  if (!workload_) return {};
  workload::PassedMessages passed;
  if (!acknowledges_) {
    for (const fabric::HostId host : hosts_) {
      for (const transport::FlowStats& flow : flowsOf(host)) {
        if (flow.passed != 0) passed[{flow.peer, host, flow.flow}] = flow.passed;
      }
    }
  }
  return workload_->results(passed);
}

std::vector<transport::StreamOutcome> SimHosts::streamOutcomes() const {
  return plan_ ? transport::collectStreams(*plan_, stream_ends_)
               : std::vector<transport::StreamOutcome>{};
}

std::vector<GroupLatency> SimHosts::streamLatency() const {
  std::map<std::uint32_t, stats::Histogram> groups;
  for (const transport::StreamProtocol* end : stream_ends_) {
    for (const transport::StreamLatency& latency : end->latency()) {
      groups[latency.group].merge(latency.histogram);
    }
  }
  std::vector<GroupLatency> result;
  for (auto& [group, histogram] : groups) {
    if (histogram.count() > 0) result.push_back({group, std::move(histogram)});
  }
  return result;
}

void checkSimHosts(const TrialSpec& spec, const fabric::FabricPlan& plan,
                   const std::set<fabric::HostId>& tester_ports) {
  std::unique_ptr<workload::Workload> workload;
  if (spec.workload || spec.serving) workload = makeWorkload(spec, plan.hostCount());
  if (spec.serving) {
    addServingSystems(spec, plan.hostCount(), *workload);
    if (!acknowledgesMessages(spec)) {
      throw Error(ErrorKind::kUsage, "KV cache needs a transport that acknowledges", "transport",
                  "RC, or UET RUD, ROD or RUDI");
    }
  }
  HostStreams streams = streamsOfHosts(spec, plan.hostCount(), tester_ports);
  if (!streams.plain.empty()) {
    const transport::StreamPlan possible(std::move(streams.plain), plan.hostRate(0));
  }
  if (workload == nullptr) return;
  // Hosts have the same transport, each at the rate of its link.
  std::set<BitRate> rates;
  for (fabric::HostId host = 0; host < plan.hostCount(); ++host) {
    if (tester_ports.contains(host) || workload->application(host) == nullptr) continue;
    if (!rates.insert(plan.hostRate(host)).second) continue;
    transport::HostContext context;
    context.self = host;
    context.rate = plan.hostRate(host);
    context.seed = spec.dut.seed;
    context.draw_seed = spec.dut.drawSeed();
    context.application = workload->application(host);
    (void)makeTransport(spec, context);
  }
}

}  // namespace plumbline::bench
