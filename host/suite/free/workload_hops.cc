#include "suite/free/workload_hops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "suite/free/path_lengths.h"
#include "transport/uet/uet_wire.h"
#include "workload/formulas.h"
#include "workload/moe_plan.h"
#include "workload/pattern.h"
#include "workload/placement.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;
using workload::CollectiveSpec;
using workload::HostId;
using workload::Rank;

constexpr double kForever = std::numeric_limits<double>::infinity();
// Headers, FCS, preamble and gap of a data packet.
constexpr double kOverheadBytes = 82;
// Pairs of a collective that are examined for the length of its paths.
constexpr std::uint32_t kSampledPairs = 4096;

double secondsOf(Picoseconds time) {
  return time == transport::kNever ? kForever : time.toSeconds();
}

// How a transport cuts and acknowledges messages.
class Packetizer {
 public:
  explicit Packetizer(const bench::TransportSpec& spec) {
    if (const auto* roce = std::get_if<transport::RoceSpec>(&spec)) {
      mtu_ = roce->path_mtu;
      acknowledged_bytes_ =
          roce->service == transport::RoceService::kUc ? kForever : mtu_ * roce->ack_every;
      return;
    }
    const auto& uet = std::get<transport::UetSpec>(spec);
    mtu_ = uet.mtu_payload;
    if (uet.service == transport::UetService::kUud)
      acknowledged_bytes_ = kForever;
    else if (uet.service == transport::UetService::kRudi)
      acknowledged_bytes_ = mtu_;
    else
      acknowledged_bytes_ = std::max<double>(uet.ack_trigger_bytes, mtu_);
    grants_ = transport::usesCredit(transport::effectiveControl(uet)) ? 1 : 0;
  }

  [[nodiscard]] double dataPackets(double message) const {
    return std::max(1.0, std::ceil(message / mtu_));
  }
  // Data packets, acknowledgements and grants of credit of a message.
  [[nodiscard]] double packets(double message) const {
    const double acks = acknowledged_bytes_ == kForever
                            ? 0
                            : std::max(1.0, std::ceil(message / acknowledged_bytes_));
    return dataPackets(message) * (1 + grants_) + acks;
  }
  // Of what a link carries.
  [[nodiscard]] double payloadShare(double message) const {
    return message / (message + dataPackets(message) * kOverheadBytes);
  }

 private:
  double mtu_ = 0;
  double acknowledged_bytes_ = 0;
  // Every data packet asks for receiver credit, and a destination that has it to give answers each.
  double grants_ = 0;  // per data packet
};

// Messages from one host to another.
struct Demand {
  HostId from = 0;
  HostId to = 0;
  double message = 0;   // bytes, the mean
  double packets = 0;   // of a message, the mean
  double messages = 0;  // that are posted; forever for a closed loop without end
  double rate = 0;      // at which they are, or can be, sent [bytes/s of payload]
  double seconds = 0;   // in which they can be sent
};

class Estimate {
 public:
  explicit Estimate(const bench::TrialSpec& spec)
      : spec_(spec),
        paths_(spec.dut),
        packetizer_(spec.transport.value_or(transport::RoceSpec())),
        placement_(workload::placeJobs(spec.workload->jobs, paths_.hostCount())),
        end_(spec.duration > Picoseconds(0) ? (spec.duration + spec.drain).toSeconds() : kForever) {
  }

  double hops() {
    for (std::size_t job = 0; job < placement_.size(); ++job) addJob(job);
    return collective_hops_ + demandHops();
  }

 private:
  [[nodiscard]] const workload::JobSpec& jobSpec(std::size_t job) const {
    return spec_.workload->jobs[job];
  }

  void addJob(std::size_t job) {
    if (const auto* program = std::get_if<workload::TrainingProgram>(&jobSpec(job).program)) {
      addTraining(job, *program);
    } else if (const auto* messages =
                   std::get_if<workload::MessageProgram>(&jobSpec(job).program)) {
      addMessages(job, *messages);
    } else if (const auto* trace = std::get_if<workload::TraceProgram>(&jobSpec(job).program)) {
      addTrace(job, *trace);
    } else {
      addMoe(job, std::get<workload::MoeProgram>(jobSpec(job).program));
    }
  }

  // --- Messages and traces: demands that share the links ---

  void addMessages(std::size_t job, const workload::MessageProgram& program) {
    const std::vector<HostId>& hosts = placement_[job];
    const auto pairs = workload::pairsOf(program, static_cast<std::uint32_t>(hosts.size()),
                                         spec_.workload->seed, jobSpec(job).name);
    const auto bytes = static_cast<double>(program.bytes);
    const double max = program.messages == std::numeric_limits<std::uint64_t>::max()
                           ? kForever
                           : static_cast<double>(program.messages);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Demand demand{hosts[pairs[i].first], hosts[pairs[i].second], bytes,
                    packetizer_.packets(bytes)};
      const double start =
          jobSpec(job).start.toSeconds() + program.phase.toSeconds() * static_cast<double>(i);
      const double posting = postingSeconds(program, start);
      const double line = paths_.rate(demand.from) / 8 * packetizer_.payloadShare(bytes);
      if (const auto* loop = std::get_if<workload::ClosedLoop>(&program.load)) {
        const double round_trip = 2 * paths_.seconds(demand.from, demand.to) + bytes / line;
        demand.rate = std::min(line, loop->outstanding * bytes / round_trip);
        demand.messages = max;
        demand.seconds = posting;
      } else {
        const double interval = std::get<workload::Arrivals>(program.load).interval.toSeconds();
        demand.rate = std::min(line, bytes / interval);
        demand.messages = std::min(max, std::ceil(posting / interval));
        demand.seconds = std::max(0.0, end_ - start);  // messages posted in time are still sent
      }
      if (posting > 0) demands_.push_back(demand);
    }
  }

  // Time in which a connection that begins at `start` posts messages.
  [[nodiscard]] double postingSeconds(const workload::MessageProgram& program, double start) const {
    const double whole = std::max(0.0, std::min(secondsOf(program.until), end_) - start);
    if (!program.on_off || whole == kForever) return whole;
    const double on = program.on_off->on.toSeconds();
    const double period = on + program.on_off->off.toSeconds();
    const double periods = std::floor(whole / period);
    return periods * on + std::min(on, whole - periods * period);
  }

  void addTrace(std::size_t job, const workload::TraceProgram& program) {
    const std::vector<HostId>& hosts = placement_[job];
    const double start = jobSpec(job).start.toSeconds();
    std::map<std::pair<Rank, Rank>, Demand> pairs;
    for (const workload::TraceEntry& entry : program.entries) {
      const double time = start + entry.time.toSeconds();
      if (time >= end_) continue;
      Demand& demand = pairs[{entry.from, entry.to}];
      const auto bytes = static_cast<double>(entry.bytes);
      ++demand.messages;
      demand.message += bytes;
      demand.packets += packetizer_.packets(bytes);
      demand.seconds = std::max(demand.seconds, end_ - time);
    }
    for (auto& [ranks, demand] : pairs) {
      demand.from = hosts[ranks.first];
      demand.to = hosts[ranks.second];
      demand.message /= demand.messages;
      demand.packets /= demand.messages;
      const double line = paths_.rate(demand.from) / 8 * packetizer_.payloadShare(demand.message);
      demand.rate = end_ == kForever
                        ? line
                        : std::min(line, demand.messages * demand.message / demand.seconds);
      demands_.push_back(demand);
    }
  }

  // --- Mixtures of experts: the first layer's routing represents all ---

  void addMoe(std::size_t job, const workload::MoeProgram& program) {
    const std::vector<HostId>& hosts = placement_[job];
    workload::MoeProgram one = program;
    one.layers = 1;
    const auto ranks = static_cast<std::uint32_t>(hosts.size());
    const workload::MoePlan plan(one, ranks, spec_.workload->seed, jobSpec(job).name);
    double hops = 0;     // of a layer
    double busiest = 0;  // bits that a rank sends or receives in it, on its link
    std::vector<double> received(ranks);
    for (Rank from = 0; from < ranks; ++from) {
      double sent = 0;
      for (Rank to = 0; to < ranks; ++to) {
        for (std::uint32_t phase = 0; phase < plan.phases(); ++phase) {
          const std::uint32_t begin = plan.begin(phase, from, to);
          const std::uint32_t end = plan.end(phase, from, to);
          if (begin == end) continue;
          // All chunks have the length of the first, except for the last one.
          const auto bytes = static_cast<double>(plan.bytesOf(phase, from, to, 0));
          const auto last = static_cast<double>(plan.bytesOf(phase, from, to, end - begin - 1));
          hops += (packetizer_.packets(bytes) * (end - begin - 1) + packetizer_.packets(last)) *
                  paths_.links(hosts[from], hosts[to]);
          const double bits = 8 * (bytes * (end - begin - 1) + last);
          sent += bits / packetizer_.payloadShare(bytes);
          received[to] += bits / packetizer_.payloadShare(bytes);
        }
      }
      busiest = std::max(busiest, sent);
    }
    busiest = std::max(busiest, *std::max_element(received.begin(), received.end()));
    const double layer =
        std::max(program.period.toSeconds(),
                 busiest / paths_.rate(hosts[0]) + (program.compute + program.between).toSeconds());
    const double time = std::max(0.0, end_ - jobSpec(job).start.toSeconds());
    double layers = program.layers;
    if (layer > 0) layers = std::min(layers, std::ceil(time / layer));
    collective_hops_ += hops * layers;
  }

  // Each demand gets of its rate the share that the most loaded resource on its path leaves to all
  // its demands: its host's link, the links between its switch and other switches, and those of the
  // receiver.
  double demandHops() {
    std::map<PathLengths::Resource, double> wanted;  // [bit/s]
    for (const Demand& demand : demands_) {
      for (const PathLengths::Resource& one : paths_.resources(demand.from, demand.to)) {
        wanted[one] += wireRate(demand);
      }
    }
    double hops = 0;
    for (const Demand& demand : demands_) {
      double share = 1;
      for (const PathLengths::Resource& one : paths_.resources(demand.from, demand.to)) {
        share = std::min(share, paths_.capacity(one) / wanted[one]);
      }
      const double sent = demand.seconds == kForever
                              ? kForever
                              : std::ceil(demand.rate * share * demand.seconds / demand.message);
      const double messages = std::min(demand.messages, sent);
      // Neither ends, which the bench refuses.
      if (messages == kForever) continue;
      hops += messages * demand.packets * paths_.links(demand.from, demand.to);
    }
    return hops;
  }

  [[nodiscard]] double wireRate(const Demand& demand) const {
    return 8 * demand.rate / packetizer_.payloadShare(demand.message);
  }

  // --- Collectives: a known number of messages between ranks in a known pattern ---

  void addTraining(std::size_t job, const workload::TrainingProgram& program) {
    const std::vector<HostId>& hosts = placement_[job];
    const auto ranks = static_cast<std::uint32_t>(hosts.size());
    if (ranks < 2) return;
    double hops = 0;
    double seconds = 0;  // of an iteration
    for (const CollectiveSpec& collective : program.collectives) {
      const Messages messages = messagesOf(collective, ranks);
      hops += messages.count * ranks * packetizer_.packets(messages.bytes) *
              meanLinks(hosts, messages.distance);
      const double latency = paths_.seconds(
          hosts[0], hosts[messages.distance % ranks == 0 ? ranks - 1 : messages.distance % ranks]);
      seconds += (collective.before + collective.after).toSeconds() + messages.steps * latency +
                 messages.count * messages.bytes * 8 /
                     (paths_.rate(hosts[0]) * packetizer_.payloadShare(messages.bytes));
    }
    if (program.barrier) {
      const double rounds = std::ceil(std::log2(ranks));
      hops += rounds * ranks * packetizer_.packets(8) * meanLinks(hosts, 0);
      seconds += rounds * paths_.seconds(hosts[0], hosts[ranks - 1]);
    }
    const double compute = program.compute.toSeconds() + program.compute_spread.toSeconds() / 2;
    seconds = program.overlap ? std::max(seconds, compute) : seconds + compute;
    const double time = std::max(0.0, end_ - jobSpec(job).start.toSeconds());
    double iterations = static_cast<double>(program.iterations);
    if (seconds > 0) iterations = std::min(iterations, time / seconds);
    collective_hops_ += hops * iterations;
  }

  // Messages of each rank in a collective, on average.
  struct Messages {
    double count = 0;
    double bytes = 0;            // of each
    double steps = 0;            // one after the other
    std::uint32_t distance = 0;  // to the rank it sends to; 0: to many
  };

  static Messages messagesOf(const CollectiveSpec& spec, std::uint32_t ranks) {
    const auto bytes = static_cast<double>(spec.bytes);
    // Payload of a rank: the same for every algorithm here, whatever its steps.
    const double payload = bytes * algorithmFactor(spec.kind, ranks);
    const double twice = spec.kind == CollectiveKind::kAllReduce ? 2 : 1;
    const auto cut = [&](double message) {
      return spec.chunk_bytes == 0 ? message
                                   : std::min(message, static_cast<double>(spec.chunk_bytes));
    };
    switch (spec.algorithm) {
      case workload::Algorithm::kRing: {
        const double message = cut(bytes / ranks);
        return {payload / message, message, twice * (ranks - 1), 1};
      }
      case workload::Algorithm::kHierarchical: {
        const double servers = static_cast<double>(ranks) / spec.ranks_per_server;
        const double buffer = bytes / spec.ranks_per_server;
        const double message = cut(buffer / servers);
        const double sent = 2 * (servers - 1) / servers * buffer;
        return {sent / message, message, 2 * (servers - 1), spec.ranks_per_server};
      }
      case workload::Algorithm::kLinearShift:
      case workload::Algorithm::kXor: {
        const double peers = ranks - 1;
        return {peers, bytes / ranks, spec.window == 0 ? 1 : peers / spec.window, 0};
      }
      case workload::Algorithm::kHalvingDoubling: {
        const double rounds = static_cast<double>(std::bit_width(ranks) - 1);
        return {2 * rounds, payload / (2 * rounds), 2 * rounds, 0};
      }
      case workload::Algorithm::kTree:
      case workload::Algorithm::kDoubleTree:
        break;
    }
    const double message = cut(bytes);
    return {payload / message, message, twice * std::log2(ranks), 0};
  }

  // Payload that a rank sends, of its buffer; a broadcast's root sends it to all others in all.
  static double algorithmFactor(CollectiveKind kind, std::uint32_t ranks) {
    if (kind == CollectiveKind::kBroadcast) return (ranks - 1.0) / ranks;
    return workload::algoFactor(kind, ranks);
  }

  // Mean number of links of the paths from each rank to the rank `distance` further on, or to all
  // others.
  double meanLinks(const std::vector<HostId>& hosts, std::uint32_t distance) {
    const auto ranks = static_cast<std::uint32_t>(hosts.size());
    double links = 0;
    double count = 0;
    const auto add = [&](std::uint32_t rank, std::uint32_t further) {
      const HostId to = hosts[(rank + further) % ranks];
      if (to == hosts[rank]) return;
      links += paths_.links(hosts[rank], to);
      ++count;
    };
    if (distance > 0) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank) add(rank, distance);
    } else {
      // Distances that lie evenly between 1 and ranks - 1.
      const std::uint32_t each = std::clamp(kSampledPairs / ranks, 1U, ranks - 1);
      for (std::uint32_t i = 0; i < each; ++i) {
        const std::uint32_t further = 1 + (ranks - 2) * i / each;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) add(rank, further);
      }
    }
    return count > 0 ? links / count : 0;
  }

  const bench::TrialSpec& spec_;
  PathLengths paths_;
  Packetizer packetizer_;
  std::vector<std::vector<HostId>> placement_;
  double end_;  // of the trial, if time ends it [s]
  std::vector<Demand> demands_;
  double collective_hops_ = 0;
};

}  // namespace

double workloadHops(const bench::TrialSpec& spec) {
  if (!spec.workload) return 0;
  try {
    return Estimate(spec).hops();
  } catch (const Error&) {
    return 0;  // the bench reports the reason
  }
}

}  // namespace plumbline::suite
