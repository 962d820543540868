#include "bench/sim/fabric_figures.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/topology/topology.h"
#include "stats/fairness.h"
#include "stats/summary.h"
#include "transport/protocol.h"

namespace plumbline::bench {
namespace {

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
  total.replayed_bytes += link.replayed_bytes;
  total.retries += link.retries;
  total.retry_total += link.retry_total;
  total.retry_max = std::max(total.retry_max, link.retry_max);
  total.nacks += link.nacks;
  total.nacks_lost += link.nacks_lost;
  total.inits += link.inits;
  total.consumed_updates += link.consumed_updates;
}

// Share of the elapsed `time` in which frames of every kind occupied the link's wire, with
// preambles and gaps.
double utilisation(const fabric::LinkCounters& link, const fabric::UnsentRest& unsentRest,
                   BitRate rate, Picoseconds time) {
  if (time <= Picoseconds(0)) return 0;
  // Slots never overlap. A share above 1 comes from rounding, and from PAUSE frames of a tester
  // port's storm, which fit between its frames.
  return std::clamp(fabric::wireSeconds(link, unsentRest, rate) / time.toSeconds(), 0.0, 1.0);
}

// Totals and loads of all links.
void collectLinks(const fabric::Fabric& fabric, const HopWatch& hops, FabricResult& result) {
  const fabric::Topology& topology = fabric.topology();
  std::vector<std::uint64_t> loads;  // of links between switches, idle ones as well
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    const fabric::Link& link = topology.links()[id];
    const fabric::LinkCounters counters = fabric.linkCounters(id);
    addCounters(counters, result.total);
    const bool between = topology.joinsSwitches(id);
    if (between) loads.push_back(counters.bytes);
    if (counters.wireBytes() + counters.dropped() == 0) continue;
    LinkLoad load;
    load.name = topology.linkName(id);
    load.rate = link.rate;
    load.between_switches = between;
    load.packets = counters.packets;
    load.bytes = counters.bytes;
    load.dropped = counters.dropped();
    load.headroom_dropped = counters.dropsBy(fabric::DropReason::kHeadroomFull);
    load.marked = counters.marked;
    load.max_queue_bytes = counters.max_queue_bytes;
    load.pauses = counters.pauses;
    load.pause_frames = counters.xoff_received;
    load.paused_by_priority = counters.paused;
    for (const Picoseconds paused : counters.paused) load.paused += paused;
    load.utilisation = utilisation(counters, fabric.unsentRest(id), link.rate, result.load_end);
    load.retries = hops.of(id);
    result.links.push_back(std::move(load));
  }
  result.fabric_links = loads.size();
  if (const auto fairness = stats::fairness(loads)) {
    result.link_jfi = fairness->jfi;
    result.link_mmr = fairness->mmr;
  }
  result.packet_hops = result.total.frames();
}

// Which job a flow between two hosts belongs to.
class JobOfFlow {
 public:
  // `placement`: hosts of the jobs, rank by rank.
  explicit JobOfFlow(const std::vector<std::vector<fabric::HostId>>& placement) {
    for (std::size_t job = 0; job < placement.size(); ++job) {
      for (const fabric::HostId host : placement[job]) {
        if (host >= jobs_.size()) jobs_.resize(host + std::size_t{1});
        jobs_[host].push_back(job);
      }
    }
  }

  // The jobs that have a rank on both hosts, ascending.
  [[nodiscard]] std::vector<std::size_t> between(fabric::HostId a, fabric::HostId b) const {
    std::vector<std::size_t> both;
    if (a >= jobs_.size() || b >= jobs_.size()) return both;
    std::set_intersection(jobs_[a].begin(), jobs_[a].end(), jobs_[b].begin(), jobs_[b].end(),
                          std::back_inserter(both));
    return both;
  }

 private:
  std::vector<std::vector<std::size_t>> jobs_;  // by host
};

// The two halves of a flow: counts of its sender and of its receiver.
struct Flow {
  Picoseconds first_posted = fabric::kNever;  // or sent
  Picoseconds first_sent = fabric::kNever;
  Picoseconds last_arrival{};
  std::uint64_t payload = 0;  // at the receiver

  // Nothing before its payload has arrived.
  [[nodiscard]] std::optional<double> goodputGbps() const {
    if (payload == 0 || first_sent >= last_arrival) return std::nullopt;
    return 8e-9 * static_cast<double>(payload) / (last_arrival - first_sent).toSeconds();
  }
};
struct FlowsOfJob {
  std::vector<double> goodputs;  // [Gb/s]
  std::uint64_t bytes = 0;
  Picoseconds last_arrival{};
  bool mixed = false;  // with flows of another job
};
// Protocol, sender and receiver of the data, number.
using FlowKey = std::tuple<transport::ProtocolId, fabric::HostId, fabric::HostId, std::uint32_t>;

std::map<FlowKey, Flow> joinedFlows(const SimHosts& hosts) {
  std::map<FlowKey, Flow> flows;
  for (const fabric::HostId host : hosts.hosts()) {
    for (const transport::FlowStats& half : hosts.flowsOf(host)) {
      if (half.posts_data || half.first_sent != fabric::kNever) {
        Flow& sent = flows[{half.protocol, host, half.peer, half.flow}];
        sent.first_sent = std::min(sent.first_sent, half.first_sent);
        const Picoseconds posted = half.posts_data ? half.first_posted : half.first_sent;
        sent.first_posted = std::min(sent.first_posted, posted);
      }
      if (half.posts_reads) {
        Flow& read = flows[{half.protocol, half.peer, host, half.flow}];
        read.first_posted = std::min(read.first_posted, half.first_posted);
      }
      if (half.payload_received > 0) {
        Flow& received = flows[{half.protocol, half.peer, host, half.flow}];
        received.payload += half.payload_received;
        received.last_arrival = std::max(received.last_arrival, half.last_done);
      }
    }
  }
  return flows;
}

// Decides which flows without arrivals were starved: those that had at least as much time as the
// quickest of the others needed for all of its payload. One that was posted just before `end` has
// no goodput yet.
class Starvation {
 public:
  Starvation(const std::map<FlowKey, Flow>& flows, Picoseconds end) : end_(end) {
    for (const auto& entry : flows) {
      const Flow& flow = entry.second;
      if (!flow.goodputGbps()) continue;
      quickest_ = std::min(quickest_, flow.last_arrival - flow.first_sent);
    }
  }

  // Zero if it was starved.
  [[nodiscard]] std::optional<double> goodputGbps(const Flow& flow) const {
    if (flow.payload > 0) return flow.goodputGbps();
    if (end_ - flow.first_posted < quickest_) return std::nullopt;
    return 0;
  }

 private:
  Picoseconds end_;
  Picoseconds quickest_ = fabric::kNever;
};

// After the jobs, because their flows refer to them.
void collectFlows(const SimHosts& hosts, Picoseconds end, FabricResult& result) {
  for (const fabric::HostId host : hosts.hosts()) result.endpoints.merge(hosts.statsOf(host));
  result.connections = hosts.connections();
  if (result.endpoints.credit_granted > 0) {
    result.credit = CreditUse{result.endpoints.credit_granted, result.endpoints.credited_bytes};
  }
  std::vector<double> goodputs;
  const JobOfFlow jobs(hosts.placement());
  std::vector<FlowsOfJob> of_job(result.jobs.size());
  const std::map<FlowKey, Flow> all_flows = joinedFlows(hosts);
  const Starvation starvation(all_flows, end);
  for (const auto& entry : all_flows) {
    const Flow& flow = entry.second;
    const std::optional<double> goodput = starvation.goodputGbps(flow);
    if (goodput) goodputs.push_back(*goodput);
    const std::vector<std::size_t> owners =
        jobs.between(std::get<1>(entry.first), std::get<2>(entry.first));
    for (const std::size_t job : owners) {
      FlowsOfJob& all = of_job[job];
      all.mixed = all.mixed || owners.size() > 1;
      all.bytes += flow.payload;
      all.last_arrival = std::max(all.last_arrival, flow.last_arrival);
      if (goodput) all.goodputs.push_back(*goodput);
    }
  }
  const std::vector<workload::JobResult> outcomes = hosts.jobResults();
  for (std::size_t job = 0; job < of_job.size(); ++job) {
    const FlowsOfJob& all = of_job[job];
    if (all.mixed) continue;
    result.jobs[job].flow_jfi = stats::jainIndex(all.goodputs);
    const Picoseconds first = outcomes.at(job).total.first_posted;
    if (first < all.last_arrival) {
      result.jobs[job].arrived = PayloadArrived{all.bytes, all.last_arrival - first};
    }
  }
  FlowSummary& flows = result.flows;
  flows.flows = goodputs.size();
  if (goodputs.empty()) return;
  flows.jfi = stats::jainIndex(goodputs);
  const stats::Summary summary = stats::summarize(goodputs);
  flows.goodput_min_gbps = summary.minimum;
  flows.goodput_mean_gbps = summary.mean;
  flows.goodput_max_gbps = summary.maximum;
}

std::uint64_t lessAtMost(std::uint64_t count, std::uint64_t less) {
  return count - std::min(count, less);
}

// `inside`: frames, of which some may be acknowledgements.
std::uint64_t lostData(const SimHosts& hosts, std::uint64_t inside) {
  std::uint64_t lost = 0;
  for (const transport::StreamOutcome& stream : hosts.streamOutcomes()) lost += stream.lost();
  const transport::EndpointStats all = hosts.transportStats();
  const std::uint64_t sent = all.data_sent - all.retransmitted;
  if (!hosts.acknowledges()) {
    lost += lessAtMost(sent, all.data_received - all.duplicates);
  } else if (all.messages_failed > 0) {
    lost += lessAtMost(sent, all.data_received - all.duplicates - all.discarded);
  }
  return lessAtMost(lost, inside);
}

// When the last job was done; `sim_end` where one was not, or without jobs.
Picoseconds loadEnd(const SimHosts& hosts, Picoseconds sim_end) {
  Picoseconds end;
  for (const workload::JobResult& job : hosts.jobResults()) {
    if (!job.finished) return sim_end;
    end = std::max(end, job.total.last_done);
    for (const workload::IterationResult& one : job.iterations) end = std::max(end, one.finish);
  }
  return end > Picoseconds(0) ? end : sim_end;
}

void collectJobs(const SimHosts& hosts, FabricResult& result) {
  for (const workload::JobResult& job : hosts.jobResults()) {
    JobOutcome outcome;
    outcome.name = job.name;
    outcome.finished = job.finished;
    for (const workload::IterationResult& iteration : job.iterations) {
      outcome.iterations.push_back(iteration.duration());
      outcome.iteration_starts.push_back(iteration.start);
    }
    const bool posted = job.total.first_posted != fabric::kNever;
    if (job.finished && !job.iterations.empty()) {
      outcome.completion = job.completionTime();
    } else if (job.finished && posted) {
      outcome.completion = job.total.last_done - job.total.first_posted;
    }
    if (posted) {
      outcome.active = std::max(job.total.last_done - job.total.first_posted, Picoseconds(0));
    }
    const workload::Unacknowledged& unacknowledged = job.unacknowledged;
    outcome.messages_completed =
        job.total.messages_completed - job.total.messages_failed + unacknowledged.arrived;
    // Messages that neither end holds any more will not arrive.
    outcome.messages_failed = job.total.messages_failed + unacknowledged.lost +
                              (result.frames_inside == 0 ? unacknowledged.open : 0);
    outcome.messages_open =
        job.total.messages_posted - outcome.messages_completed - outcome.messages_failed;
    // Senders without acknowledgements are done before their messages have arrived.
    if (outcome.messages_open > 0) {
      outcome.finished = false;
      outcome.completion = Picoseconds(0);
    }
    outcome.bytes_arrived = job.total.bytes_arrived;
    for (const std::uint64_t bytes : job.bytes_posted) {
      outcome.bytes_per_rank = std::max(outcome.bytes_per_rank, bytes);
    }
    outcome.message_time = job.total.message_time;
    outcome.message_time.merge(unacknowledged.time);
    outcome.moe = job.moe;
    outcome.arrival_time = job.arrival_time;
    result.jobs.push_back(std::move(outcome));
  }
}

}  // namespace

FabricResult fabricFigures(const fabric::Fabric& fabric, const SimHosts& hosts,
                           const HopWatch& hops, bool with_streams) {
  FabricResult result;
  result.sim_end = fabric.now();
  result.load_end = with_streams ? result.sim_end : loadEnd(hosts, result.sim_end);
  result.frames_inside = fabric.framesInside();
  collectLinks(fabric, hops, result);
  collectJobs(hosts, result);
  collectFlows(hosts, result.sim_end, result);
  result.data_lost = lostData(hosts, result.frames_inside);
  return result;
}

}  // namespace plumbline::bench
