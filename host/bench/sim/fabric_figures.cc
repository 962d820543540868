#include "bench/sim/fabric_figures.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/topology/topology.h"
#include "stats/fairness.h"
#include "stats/summary.h"
#include "transport/protocol.h"
#include "workload/message_port.h"
#include "workload/pattern.h"

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

// Protocol, sender and receiver of the data, number.
using FlowKey = std::tuple<transport::ProtocolId, fabric::HostId, fabric::HostId, std::uint32_t>;

// Which job a flow between two hosts belongs to.
class JobOfFlow {
 public:
  explicit JobOfFlow(const SimHosts& hosts) : specs_(hosts.workload().jobs) {
    const std::vector<std::vector<fabric::HostId>>& placement = hosts.placement();
    for (std::size_t job = 0; job < placement.size(); ++job) {
      for (const fabric::HostId host : placement[job]) {
        if (host >= jobs_.size()) jobs_.resize(host + std::size_t{1});
        jobs_[host].push_back(job);
      }
      addPairs(hosts.workload().seed, specs_[job], placement[job]);
    }
  }

  // The jobs that have a rank on both hosts, use flows of this number, and may send data so,
  // ascending.
  [[nodiscard]] std::vector<std::size_t> owners(const FlowKey& flow) const {
    const auto& [protocol, from, to, number] = flow;
    std::vector<std::size_t> owners;
    if (protocol == transport::ProtocolId::kStream) return owners;
    if (from >= jobs_.size() || to >= jobs_.size()) return owners;
    std::set_intersection(jobs_[from].begin(), jobs_[from].end(), jobs_[to].begin(),
                          jobs_[to].end(), std::back_inserter(owners));
    std::erase_if(owners, [&, pair = Pair(from, to), n = number](std::size_t job) {
      const workload::JobSpec& spec = specs_[job];
      return n < spec.first_flow || n >= spec.first_flow + spec.flows ||
             (pairs_[job] && !pairs_[job]->contains(pair));
    });
    return owners;
  }

 private:
  using Pair = std::pair<fabric::HostId, fabric::HostId>;  // sender and receiver of the data

  // Those of messages are known beforehand. A single job has all flows anyway.
  void addPairs(std::uint64_t seed, const workload::JobSpec& spec,
                const std::vector<fabric::HostId>& members) {
    auto& pairs = pairs_.emplace_back();
    const auto* messages = std::get_if<workload::MessageProgram>(&spec.program);
    if (messages == nullptr || specs_.size() < 2) return;
    pairs.emplace();
    const auto ranks = static_cast<std::uint32_t>(members.size());
    for (const auto& [from, to] : workload::pairsOf(*messages, ranks, seed, spec.name)) {
      const bool read = spec.verb == transport::Verb::kRead;
      pairs->emplace(members[read ? to : from], members[read ? from : to]);
    }
  }

  const std::vector<workload::JobSpec>& specs_;
  std::vector<std::optional<std::set<Pair>>> pairs_;  // by job; nothing: between any two of it
  std::vector<std::vector<std::size_t>> jobs_;        // by host
};

// The two halves of a flow: counts of its sender and of its receiver.
struct Flow {
  Picoseconds first_posted = fabric::kNever;  // or sent
  Picoseconds first_sent = fabric::kNever;
  // Last arrival of payload; later where more was to arrive.
  Picoseconds end{};
  std::uint64_t payload = 0;  // at the receiver

  // Nothing before its payload has arrived.
  [[nodiscard]] std::optional<double> goodputGbps() const {
    if (payload == 0 || first_sent >= end) return std::nullopt;
    return 8e-9 * static_cast<double>(payload) / (end - first_sent).toSeconds();
  }
};
struct FlowsOfJob {
  std::vector<double> goodputs;  // [Gb/s]
  std::uint64_t bytes = 0;
  Picoseconds end{};
  bool mixed = false;  // with flows of another job
};

// `end`: of the trial. Acknowledgements, which arrive after the payload, do not extend a flow.
std::map<FlowKey, Flow> joinedFlows(const SimHosts& hosts, Picoseconds end) {
  std::map<FlowKey, Flow> flows;
  const auto extend = [](Flow& flow, Picoseconds to) { flow.end = std::max(flow.end, to); };
  for (const fabric::HostId host : hosts.hosts()) {
    for (const transport::FlowStats& half : hosts.flowsOf(host)) {
      if (half.posts_data || half.first_sent != fabric::kNever) {
        Flow& sent = flows[{half.protocol, host, half.peer, half.flow}];
        sent.first_sent = std::min(sent.first_sent, half.first_sent);
        const Picoseconds posted = half.posts_data ? half.first_posted : half.first_sent;
        sent.first_posted = std::min(sent.first_posted, posted);
        const bool acknowledged =
            half.protocol != transport::ProtocolId::kStream && hosts.acknowledges();
        if (half.posts_data && (half.gave_up || !acknowledged)) extend(sent, half.last_done);
      }
      if (half.posts_reads) {
        Flow& read = flows[{half.protocol, half.peer, host, half.flow}];
        read.first_posted = std::min(read.first_posted, half.first_posted);
        if (half.gave_up) extend(read, half.last_done);
      }
      if (half.payload_received > 0) {
        Flow& received = flows[{half.protocol, half.peer, host, half.flow}];
        received.payload += half.payload_received;
        extend(received, half.last_done);
      }
    }
    for (const transport::PendingMessage& message : hosts.pendingOf(host)) {
      const bool read = message.verb == transport::Verb::kRead;
      extend(flows[{message.protocol, read ? message.to : host, read ? host : message.to,
                    message.flow}],
             end);
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
      quickest_ = std::min(quickest_, flow.end - flow.first_sent);
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
  const JobOfFlow jobs(hosts);
  std::vector<FlowsOfJob> of_job(result.jobs.size());
  const std::map<FlowKey, Flow> all_flows = joinedFlows(hosts, end);
  const Starvation starvation(all_flows, end);
  for (const auto& entry : all_flows) {
    const Flow& flow = entry.second;
    const std::optional<double> goodput = starvation.goodputGbps(flow);
    if (goodput) goodputs.push_back(*goodput);
    const std::vector<std::size_t> owners = jobs.owners(entry.first);
    for (const std::size_t job : owners) {
      FlowsOfJob& all = of_job[job];
      all.mixed = all.mixed || owners.size() > 1;
      all.bytes += flow.payload;
      if (flow.payload > 0) all.end = std::max(all.end, flow.end);
      if (goodput) all.goodputs.push_back(*goodput);
    }
  }
  const std::vector<workload::JobResult> outcomes = hosts.jobResults();
  for (std::size_t job = 0; job < of_job.size(); ++job) {
    const FlowsOfJob& all = of_job[job];
    if (all.mixed) continue;
    result.jobs[job].flow_jfi = stats::jainIndex(all.goodputs);
    const Picoseconds first = outcomes.at(job).total.first_posted;
    const Picoseconds last = result.jobs[job].finished ? all.end : end;
    if (all.bytes > 0 && first < last) {
      result.jobs[job].arrived = PayloadArrived{all.bytes, last - first};
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

// FabricResult::load_end.
Picoseconds loadEnd(const fabric::Fabric& fabric, const SimHosts& hosts, Picoseconds streams_end,
                    Picoseconds sim_end) {
  const bool streams = streams_end > Picoseconds(0);
  const std::vector<workload::JobResult> jobs = hosts.jobResults();
  if (streams ? fabric.framesInside() > 0 : jobs.empty()) return sim_end;
  Picoseconds end = streams_end;
  for (const workload::JobResult& job : jobs) {
    if (!job.finished) return sim_end;
    end = std::max(end, job.total.last_done);
    for (const workload::IterationResult& one : job.iterations) end = std::max(end, one.finish);
  }
  for (fabric::LinkId id = 0; id < fabric.topology().links().size(); ++id) {
    end = std::max(end, fabric.lastPacketBitAt(id));
  }
  return end > Picoseconds(0) ? std::min(end, sim_end) : sim_end;
}

// Times of posting of the open messages that a transport still has, by job. The parts of a split
// message are posted together.
std::vector<std::vector<Picoseconds>> pendingOfJobs(const SimHosts& hosts, std::size_t jobs) {
  std::vector<std::vector<Picoseconds>> posted(jobs);
  for (const fabric::HostId host : hosts.hosts()) {
    std::set<std::pair<fabric::HostId, std::uint32_t>> split;
    for (const transport::PendingMessage& message : hosts.pendingOf(host)) {
      const std::uint32_t job = workload::MessagePort::jobOf(message.tag);
      if (job >= jobs) continue;  // of a serving system
      if (workload::MessagePort::isPart(message.tag) &&
          !split.emplace(message.to, message.tag).second) {
        continue;
      }
      posted[job].push_back(message.posted);
    }
  }
  return posted;
}

// Frames inside the fabric between two hosts.
class FramesBetween {
 public:
  explicit FramesBetween(const fabric::Fabric& fabric) : elsewhere_(fabric.framesInside()) {
    fabric.visitFrames([this](const fabric::Packet& packet) {
      ++frames_[{packet.source, packet.destination}];
      --elsewhere_;
    });
  }

  // At most: those that LLR holds may be of any hosts.
  [[nodiscard]] std::uint64_t most(fabric::HostId from, fabric::HostId to) const {
    const auto found = frames_.find({from, to});
    return elsewhere_ + (found == frames_.end() ? 0 : found->second);
  }

 private:
  std::map<std::pair<fabric::HostId, fabric::HostId>, std::uint64_t> frames_;
  std::uint64_t elsewhere_;
};

// Open messages of services without acknowledgements: adds those that may still arrive to `open`,
// and returns the number of lost ones, by job. A message that may arrive has a frame between its
// hosts in the fabric: of more messages than there are such frames, the oldest are lost.
std::vector<std::uint64_t> splitUnacknowledged(const std::vector<workload::JobResult>& jobs,
                                               const fabric::Fabric& fabric,
                                               std::vector<std::vector<Picoseconds>>& open) {
  std::vector<std::uint64_t> lost(jobs.size());
  const auto hasOpen = [](const workload::JobResult& job) {
    return !job.unacknowledged.open.empty();
  };
  if (std::none_of(jobs.begin(), jobs.end(), hasOpen)) return lost;

  struct Sent {
    Picoseconds posted;
    std::size_t job = 0;
  };
  std::map<std::pair<fabric::HostId, fabric::HostId>, std::vector<Sent>> between;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (const workload::Unacknowledged::Open& one : jobs[job].unacknowledged.open) {
      between[{one.from, one.to}].push_back({one.posted, job});
    }
  }
  const FramesBetween frames(fabric);
  for (auto& [hosts, sent] : between) {
    std::sort(sent.begin(), sent.end(),
              [](const Sent& a, const Sent& b) { return a.posted < b.posted; });
    const std::uint64_t inside = frames.most(hosts.first, hosts.second);
    const std::uint64_t gone = sent.size() - std::min<std::uint64_t>(sent.size(), inside);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (i < gone) {
        ++lost[sent[i].job];
      } else {
        open[sent[i].job].push_back(sent[i].posted);
      }
    }
  }
  return lost;
}

void collectJobs(const fabric::Fabric& fabric, const SimHosts& hosts, FabricResult& result) {
  const std::vector<workload::JobResult> jobs = hosts.jobResults();
  std::vector<std::vector<Picoseconds>> open = pendingOfJobs(hosts, jobs.size());
  const std::vector<std::uint64_t> lost = splitUnacknowledged(jobs, fabric, open);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const workload::JobResult& job = jobs[i];
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
    outcome.messages_failed = job.total.messages_failed + unacknowledged.lost + lost[i];
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
    for (const Picoseconds posted_at : open[i]) {
      outcome.open_age.record(static_cast<std::uint64_t>((result.sim_end - posted_at).count()));
    }
    outcome.moe = job.moe;
    outcome.arrival_time = job.arrival_time;
    result.jobs.push_back(std::move(outcome));
  }
}

}  // namespace

FabricResult fabricFigures(const fabric::Fabric& fabric, const SimHosts& hosts,
                           const HopWatch& hops, Picoseconds streams_end) {
  FabricResult result;
  result.sim_end = fabric.now();
  result.load_end = loadEnd(fabric, hosts, streams_end, result.sim_end);
  result.frames_inside = fabric.framesInside();
  collectLinks(fabric, hops, result);
  collectJobs(fabric, hosts, result);
  collectFlows(hosts, result.sim_end, result);
  result.data_lost = lostData(hosts, result.frames_inside);
  return result;
}

}  // namespace plumbline::bench
