#include "bench/sim_bench.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "bench/fabric_watch.h"
#include "bench/fast_forward.h"
#include "bench/sampler.h"
#include "bench/sim_hosts.h"
#include "fabric/fabric.h"
#include "fabric/topology.h"
#include "stats/fairness.h"

namespace plumbline::bench {
namespace {

// How often progress is told, in simulated time; also how long a trial may run on after its
// workload has finished.
constexpr Picoseconds kStep = microseconds(20);
// Frames that have been inside for this long without any of them being delivered will not be.
constexpr Picoseconds kDeadlock = seconds(10);

// Whether frames get through the fabric at all. Pauses that keep each other up are refreshed for
// ever, so that a deadlock does not end by itself.
class Watch {
 public:
  [[nodiscard]] bool deadlocked(const fabric::Fabric& fabric) {
    std::uint64_t delivered = 0;
    for (fabric::HostId host = 0; host < fabric.hostCount(); ++host) {
      delivered += fabric.framesReceived(host);
    }
    if (delivered != delivered_ || fabric.framesInside() == 0) {
      delivered_ = delivered;
      since_ = fabric.now();
    }
    return fabric.now() - since_ > kDeadlock;
  }

 private:
  std::uint64_t delivered_ = 0;
  Picoseconds since_{};
};

std::uint64_t peakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void addCounters(const fabric::LinkCounters& link, fabric::LinkCounters& total) {
  total.packets += link.packets;
  total.bytes += link.bytes;
  total.control += link.control;
  for (std::size_t i = 0; i < total.drops.size(); ++i) total.drops[i] += link.drops[i];
  total.marked += link.marked;
  total.trimmed += link.trimmed;
  total.max_queue_bytes = std::max(total.max_queue_bytes, link.max_queue_bytes);
  total.xoff_received += link.xoff_received;
  total.pauses += link.pauses;
  for (std::size_t p = 0; p < total.paused.size(); ++p) total.paused[p] += link.paused[p];
  total.xoff_sent += link.xoff_sent;
  total.watchdog_events += link.watchdog_events;
  total.damaged += link.damaged;
  total.replayed += link.replayed;
  total.retries += link.retries;
  total.retry_total += link.retry_total;
  total.retry_max = std::max(total.retry_max, link.retry_max);
  total.consumed_updates += link.consumed_updates;
}

// Wire time of the packets and CC_Updates that a link carried, as a share of the time that passed.
double utilisation(const fabric::LinkCounters& link, BitRate rate, Picoseconds time) {
  if (time <= Picoseconds(0)) return 0;
  const std::uint64_t frames = link.packets + link.consumed_updates;
  const auto wire_bytes = static_cast<double>(
      link.bytes + link.consumed_updates * static_cast<std::uint64_t>(fabric::kControlFrameBytes) +
      frames * static_cast<std::uint64_t>(kWireOverheadBytes.count()));
  return wire_bytes * 8 / static_cast<double>(rate.bitsPerSecond()) / time.toSeconds();
}

// Totals and loads of all links.
void collectLinks(const fabric::Fabric& fabric, FabricResult& result) {
  const fabric::Topology& topology = fabric.topology();
  std::vector<std::uint64_t> loads;  // of links between switches, idle ones as well
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    const fabric::Link& link = topology.links()[id];
    const fabric::LinkCounters counters = fabric.linkCounters(id);
    addCounters(counters, result.total);
    const bool between = topology.nodes()[link.from].kind == fabric::NodeKind::kSwitch &&
                         topology.nodes()[link.to].kind == fabric::NodeKind::kSwitch;
    if (between) loads.push_back(counters.bytes);
    if (counters.packets + counters.dropped() == 0) continue;
    LinkLoad load;
    load.name = topology.linkName(id);
    load.rate = link.rate;
    load.between_switches = between;
    load.packets = counters.packets;
    load.bytes = counters.bytes;
    load.dropped = counters.dropped();
    load.marked = counters.marked;
    load.max_queue_bytes = counters.max_queue_bytes;
    for (const Picoseconds paused : counters.paused) load.paused += paused;
    load.utilisation = utilisation(counters, link.rate, result.sim_end);
    result.links.push_back(std::move(load));
  }
  if (const auto fairness = stats::fairness(loads)) {
    result.link_jfi = fairness->jfi;
    result.link_mmr = fairness->mmr;
  }
  result.packet_hops = result.total.frames();
}

void collectFlows(const SimHosts& hosts, FabricResult& result) {
  std::vector<std::uint64_t> goodputs;  // bit/s
  for (const fabric::HostId host : hosts.hosts()) {
    result.endpoints.merge(hosts.statsOf(host));
    for (const transport::FlowStats& flow : hosts.flowsOf(host)) {
      const Picoseconds time = flow.last_done - flow.first_sent;
      if (flow.payload_acknowledged == 0 || time <= Picoseconds(0)) continue;
      goodputs.push_back(static_cast<std::uint64_t>(static_cast<double>(flow.payload_acknowledged) *
                                                    8 / time.toSeconds()));
    }
  }
  FlowSummary& flows = result.flows;
  flows.flows = goodputs.size();
  if (goodputs.empty()) return;
  if (const auto fairness = stats::fairness(goodputs)) flows.jfi = fairness->jfi;
  double sum = 0;
  for (const std::uint64_t goodput : goodputs) sum += static_cast<double>(goodput) / 1e9;
  const auto [least, most] = std::minmax_element(goodputs.begin(), goodputs.end());
  flows.goodput_min_gbps = static_cast<double>(*least) / 1e9;
  flows.goodput_mean_gbps = sum / static_cast<double>(goodputs.size());
  flows.goodput_max_gbps = static_cast<double>(*most) / 1e9;
}

void collectJobs(const SimHosts& hosts, FabricResult& result) {
  for (const workload::JobResult& job : hosts.jobResults()) {
    JobOutcome outcome;
    outcome.name = job.name;
    outcome.finished = job.finished;
    for (const workload::IterationResult& iteration : job.iterations) {
      outcome.iterations.push_back(iteration.duration());
    }
    if (job.finished) {
      outcome.completion = job.iterations.empty() ? job.total.last_done - job.total.first_posted
                                                  : job.completionTime();
    }
    outcome.messages_completed = job.total.messages_completed;
    outcome.messages_failed = job.total.messages_failed;
    outcome.bytes_arrived = job.total.bytes_arrived;
    for (const std::uint64_t bytes : job.bytes_posted) {
      outcome.bytes_per_rank = std::max(outcome.bytes_per_rank, bytes);
    }
    outcome.message_time = job.total.message_time;
    result.jobs.push_back(std::move(outcome));
  }
}

void collectStreams(const TrialSpec& spec, const SimHosts& hosts, TrialResult& result) {
  const std::vector<transport::StreamOutcome> outcomes = hosts.streamOutcomes();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const StreamSpec& stream = spec.streams[hosts.streams()[i]];
    const transport::StreamOutcome& outcome = outcomes[i];
    StreamResult one;
    one.name = stream.name;
    one.sent_frames = outcome.sent.frames;
    one.sent_bytes = outcome.sent.frames * static_cast<std::uint64_t>(stream.frame.count());
    one.received_frames = outcome.received.frames;
    one.received_bytes = outcome.received.bytes;
    one.lost = outcome.lost();
    one.duplicate = outcome.received.duplicate;
    one.out_of_order = outcome.received.out_of_order;
    one.stale = outcome.received.stale;
    one.ce = outcome.received.ce;
    result.streams.push_back(std::move(one));
    if (outcome.sent.late > 0) {
      result.faults.push_back(fmt::format("stream '{}': {} frames left late, by up to {} ns",
                                          stream.name, outcome.sent.late,
                                          outcome.sent.late_max.toNanoseconds()));
    }
  }
  result.latency = hosts.streamLatency();
}

void collectPorts(const fabric::Fabric& fabric, TrialResult& result) {
  for (const fabric::PortCounters& port : fabric.counters()) {
    result.dut.push_back({fmt::format("{} port {}", fabric.switchName(port.node), port.port),
                          port.packets, port.dropped(),
                          Bytes(static_cast<std::int64_t>(port.max_queue_bytes))});
  }
}

}  // namespace

SimBench::SimBench(const SimBenchOptions& options) : threads_(std::max(options.threads, 1U)) {
  capabilities_.name = "sim";
  capabilities_.description = "simulated hosts and fabric, packet by packet; no tester card";
  capabilities_.max_ports = fabric::kMaxHosts;
  capabilities_.line_rate = options.line_rate;
  capabilities_.flows_per_port = 1U << 16;
  capabilities_.groups = 1U << 16;
  capabilities_.max_qps = 4096;
  capabilities_.timestamp_resolution = Picoseconds(1);
  capabilities_.observed = ObservationPoint::kModelled;
  capabilities_.simulated_dut = true;
  capabilities_.trial_overhead = Picoseconds(0);
  capabilities_.wall_seconds_per_second = 0;  // packets cost, not time
  capabilities_.wall_ns_per_packet_hop = 130;
}

std::vector<std::string> SimBench::refusals(const TrialSpec& spec) const {
  std::vector<std::string> refusals;
  if (spec.capture_port) {
    refusals.emplace_back(
        "there are no frames to capture: the sim bench moves packets without "
        "bytes; the rtl bench captures");
  }
  if (spec.streams.empty() && !spec.workload) {
    refusals.emplace_back("nothing to do: neither streams nor a workload");
  }
  if (!spec.streams.empty() && spec.duration <= Picoseconds(0)) {
    refusals.emplace_back("streams need a duration");
  }
  for (std::string& why : cardPartRefusals(spec, capabilities_)) {
    refusals.push_back(std::move(why));
  }
  try {
    fabric::Fabric possible(spec.dut);
    const SimHosts hosts(spec, possible);
  } catch (const Error& error) {
    refusals.emplace_back(error.what());
  }
  if (spec.sampling && spec.sampling->interval <= Picoseconds(0)) {
    refusals.emplace_back("samples need an interval above 0");
  }
  if (spec.sampling && spec.fast_forward) {
    refusals.emplace_back("what is fast-forwarded cannot be sampled");
  }
  if (spec.fast_forward && refusals.empty()) return fastForwardRefusals(spec);
  return refusals;
}

TrialResult SimBench::run(const TrialSpec& spec, const TrialHooks& hooks) {
  if (const std::vector<std::string> why = refusals(spec); !why.empty()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("{}", fmt::join(why, "; ")), "sim bench");
  }
  return mustFastForward(spec) ? predict(spec, hooks) : simulate(spec, hooks);
}

TrialResult SimBench::predict(const TrialSpec& spec, const TrialHooks& hooks) const {
  const auto started = std::chrono::steady_clock::now();
  TrialResult result;
  result.bench = capabilities_.name;
  result.observed = capabilities_.observed;
  result.dut_observed = ObservationPoint::kModelled;
  result.fabric = fastForward(spec, threads_, hooks);
  result.fabric->peak_rss_bytes = peakRssBytes();
  result.card_time = result.fabric->sim_end;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  result.wall_seconds = wall.count();
  return result;
}

TrialResult SimBench::simulate(const TrialSpec& spec, const TrialHooks& hooks) const {
  fabric::Fabric fabric(spec.dut, {fabric::Core::kWindowed, threads_});
  const SimHosts hosts(spec, fabric);
  const bool limited = spec.duration > Picoseconds(0);
  const Picoseconds streams_end = spec.streams.empty() ? Picoseconds(0) : spec.duration;
  const Picoseconds limit = limited ? spec.duration + spec.drain : fabric::kNever;

  std::optional<Sampler> sampler;
  if (spec.sampling) {
    sampler.emplace(*spec.sampling, fabric.topology());
    fabric.observe(*sampler);
  }

  std::optional<FabricWatch> watched;
  if (hooks.observer != nullptr) watched.emplace(fabric);
  const auto show = [&](bool ended) {
    TrialSnapshot snapshot;
    snapshot.observed = capabilities_.observed;
    snapshot.time = fabric.now();
    snapshot.total = limited && !ended ? limit : fabric.now();
    snapshot.ended = ended;
    for (const fabric::HostId host : hosts.hosts()) {
      snapshot.ports.push_back(watched->port(host, fabric.now()));
    }
    lookAtHosts(spec, hosts, snapshot);
    watched->look(fabric.now(), snapshot);
    hooks.observer->onSnapshot(snapshot);
  };

  const auto started = std::chrono::steady_clock::now();
  Watch watch;
  bool stuck = false;  // nothing will change any more
  while (fabric.now() < limit) {
    const auto next = fabric.nextEvent();
    if (hosts.workloadFinished() && fabric.now() >= streams_end && !limited) break;
    stuck = !next || watch.deadlocked(fabric);
    if (stuck) break;
    Picoseconds until = std::min(std::max(*next, fabric.now()) + kStep, limit);
    if (sampler) until = std::min(until, sampler->due());
    fabric.runUntil(until);
    if (sampler && fabric.now() == sampler->due()) sampler->take(hosts);
    if (hooks.progress) {
      hooks.progress({fabric.now(), limited ? limit : fabric.now(), 0, 0});
    }
    if (watched && hooks.observer->due()) show(false);
  }
  if (watched) show(true);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;

  TrialResult result;
  result.bench = capabilities_.name;
  result.observed = capabilities_.observed;
  result.dut_observed = ObservationPoint::kModelled;
  result.card_time = fabric.now();
  result.wall_seconds = wall.count();
  collectStreams(spec, hosts, result);
  collectPorts(fabric, result);
  result.fabric.emplace();
  result.fabric->sim_end = fabric.now();
  result.fabric->frames_inside = fabric.framesInside();
  collectLinks(fabric, *result.fabric);
  collectFlows(hosts, *result.fabric);
  collectJobs(hosts, *result.fabric);
  if (sampler) result.fabric->samples = sampler->finish(fabric.now());
  result.fabric->peak_rss_bytes = peakRssBytes();
  if (!hosts.workloadFinished() && (stuck || !limited)) {
    result.faults.emplace_back(
        "the workload stopped before it was finished: messages failed or "
        "the fabric is deadlocked");
  }
  for (const JobOutcome& job : result.fabric->jobs) {
    if (job.messages_failed > 0) {
      result.faults.push_back(
          fmt::format("job '{}': {} messages failed", job.name, job.messages_failed));
    }
  }
  return result;
}

}  // namespace plumbline::bench
