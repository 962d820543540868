#include "suite/training/permutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "suite/framework/fabric_metrics.h"

namespace plumbline::suite {
namespace {

// Distance from a sender to its receiver; receiverText() says what that is.
std::uint32_t shiftOf(const fabric::TopologySpec& topology) {
  switch (topology.kind) {
    case fabric::TopologyKind::kClos2:
    case fabric::TopologyKind::kClos3:
    case fabric::TopologyKind::kPools:
      return topology.hosts_per_leaf;
    case fabric::TopologyKind::kRail:
      return topology.rails * topology.servers_per_leaf + 1;
    default:
      return 1;
  }
}

std::string receiverText(const fabric::TopologySpec& topology) {
  switch (topology.kind) {
    case fabric::TopologyKind::kClos2:
    case fabric::TopologyKind::kClos3:
    case fabric::TopologyKind::kPools:
      return "the host of the same place on the next leaf";
    case fabric::TopologyKind::kRail:
      return fmt::format("the NIC of the next rail, {} further on",
                         counted(topology.servers_per_leaf, "server"));
    default:
      return "the next host, in the order of their numbers";
  }
}

// Messages of kPermutationMessage at random times, for as long as `message` takes at line rate.
workload::MessageProgram randomMessages(const fabric::TopologySpec& topology, Bytes message) {
  const auto line = static_cast<double>(topology.link_rate.bitsPerSecond());
  const auto timeOf = [line](Bytes bytes, double share) {
    return Picoseconds(std::llround(8e12 * static_cast<double>(bytes.count()) / line / share));
  };
  workload::MessageProgram program;
  program.bytes = static_cast<std::uint64_t>(kPermutationMessage.count());
  program.load = workload::Arrivals{
      .interval = timeOf(kPermutationMessage, kPermutationLoad.toDouble()), .poisson = true};
  program.until = timeOf(message, 1);
  return program;
}

bench::TrialSpec permutationTrial(const TestConfig& config, const PermutationPoint& point,
                                  PermutationTraffic traffic, Bytes message) {
  bench::TrialSpec spec = emptyTrial(config);
  spec.dut.topology = point.topology;
  spec.count_flows = true;
  applyVariant(point.variant, spec);
  if (auto* roce = std::get_if<transport::RoceSpec>(&*spec.transport)) {
    roce->shared_source_port = point.shared_port;
  }
  spec.dut.switches.load_balancing.flowlet_gap = point.flowlet_gap;
  workload::JobSpec job;
  job.name = "permutation";
  job.flows = point.flows;
  job.placement.ranks = point.topology.hostCount();
  workload::MessageProgram program;
  if (traffic == PermutationTraffic::kOneMessage) {
    job.flow_use = workload::FlowUse::kSplit;
    program.bytes = static_cast<std::uint64_t>(message.count());
    program.messages = 1;
  } else {
    program = randomMessages(point.topology, message);
  }
  program.pattern = workload::Pattern::kShift;
  program.shift = shiftOf(point.topology) % job.placement.ranks;
  job.program = program;
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

// A two-tier Clos with a changed member; others unchanged.
template <typename Member>
std::vector<fabric::TopologySpec> varied(const TestConfig& config, Numbers& numbers,
                                         const char* what,
                                         const std::vector<std::uint32_t>& standard,
                                         const std::vector<std::uint32_t>& quick, Member member) {
  const fabric::TopologySpec& own = config.scenario.topology;
  if (own.kind != fabric::TopologyKind::kClos2) {
    numbers.deviation(fmt::format("{} not swept: the topology is no two-tier Clos", what));
    return {own};
  }
  std::vector<fabric::TopologySpec> topologies;
  for (const std::uint32_t value :
       numbers.sweep<std::uint32_t>(what, standard, quick, std::nullopt)) {
    topologies.push_back(own);
    topologies.back().*member = value;
  }
  const auto isOwn = [&](const fabric::TopologySpec& topology) {
    return topology.*member == own.*member;
  };
  if (!std::all_of(topologies.begin(), topologies.end(), isOwn)) {
    const bool also = std::any_of(topologies.begin(), topologies.end(), isOwn);
    numbers.deviation(fmt::format("{} are the test's own, not {}the {} of the scenario's topology",
                                  what, also ? "only " : "", own.*member));
  }
  return topologies;
}

// Share of the hosts' links that the payload took, while the slowest pair was not done.
std::optional<double> goodputPercent(const PermutationPoint& point,
                                     const bench::TrialResult& trial) {
  if (trial.fabric->endpoints.data_sent == 0) return std::nullopt;  // no message was posted
  const double line = point.topology.link_rate.toGigabitsPerSecond() * point.topology.hostCount();
  return 100 * goodputGbps(trial) / line;
}

// P99 of the time from a message's post to its completion [us].
std::optional<Reading> permutationMessageP99(std::size_t /*point*/,
                                             const bench::TrialResult& trial) {
  return quantileMicroseconds(trial.fabric->jobs.front().message_time, 0.99);
}

double discardedPackets(const bench::TrialResult& trial) {
  return static_cast<double>(trial.fabric->endpoints.discarded);
}

}  // namespace

std::string ofClos(const fabric::TopologySpec& topology, std::uint32_t number) {
  return topology.kind == fabric::TopologyKind::kClos2 ? std::to_string(number) : "the DUT's";
}

std::vector<std::string> PermutationProcedure::kpis() const {
  return {"message_p99_us",    "link_flow_mmr",      "goodput_percent",
          "link_mmr",          "link_jfi",           "busiest_link_percent",
          "mean_link_percent", "out_of_order_per_s", "retransmissions_per_s",
          "discarded_packets", "ecn_percent",        "pfc_per_s",
          "fabric_drops_ppm",  "trimmed_ppm"};
}

std::vector<fabric::TopologySpec> PermutationProcedure::withLeaves(
    const TestConfig& config, Numbers& numbers, const std::vector<std::uint32_t>& standard,
    const std::vector<std::uint32_t>& quick) {
  return varied(config, numbers, "Leaves", standard, quick, &fabric::TopologySpec::leaves);
}

std::vector<fabric::TopologySpec> PermutationProcedure::withSpines(
    const TestConfig& config, Numbers& numbers, const std::vector<std::uint32_t>& standard,
    const std::vector<std::uint32_t>& quick) {
  auto topologies =
      varied(config, numbers, "Spines", standard, quick, &fabric::TopologySpec::spines);
  const fabric::TopologySpec& own = config.scenario.topology;
  if (own.kind == fabric::TopologyKind::kClos2 && own.uplinks > 1) {
    numbers.deviation(fmt::format(
        "one cable between a leaf and a spine instead of {}: the number of spines is that of paths",
        own.uplinks));
    for (fabric::TopologySpec& topology : topologies) topology.uplinks = 1;
  }
  return topologies;
}

Design PermutationProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = axes();
  design.repetitions = design.numbers.repetitions(20, 3);
  design.hop_cost = hopCost();
  constexpr std::int64_t kMiB = 1 << 20;
  const bool at_random = traffic() == PermutationTraffic::kMessagesAtRandom;
  const Bytes message = design.numbers.sweep<Bytes>(
      at_random ? "Bytes of a host at line rate" : "Message of every host", {Bytes(64 * kMiB)},
      {Bytes(2 * kMiB)}, config.scenario.parameters.sizes)[0];
  if (at_random && message < kPermutationMessage) {
    design.refusals.push_back(fmt::format(
        "hosts send messages of {} at random times for as long as parameters.sizes takes, and {} "
        "is shorter than one of them",
        valueText(kPermutationMessage), valueText(message)));
    return design;
  }
  if (at_random) {
    design.numbers.configure(
        "Traffic", fmt::format("messages of {} at random times (Poisson), {} of line rate from "
                               "every host, for as long as {} take at line rate",
                               valueText(kPermutationMessage), valueText(kPermutationLoad),
                               valueText(message)));
  }
  const double load = at_random ? kPermutationLoad.toDouble() : 1;
  const std::vector<PermutationPoint> all = points(config, design.numbers);
  if (all.empty()) return design;  // Numbers::unfit() says why
  if (auto why = onePathRefusal(all.front().topology)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const auto like_first = [&all](const PermutationPoint& point) {
    return point.flows == all.front().flows;
  };
  if (std::all_of(all.begin(), all.end(), like_first)) {
    design.numbers.configure("QPs or PDCs per pair", std::to_string(all.front().flows));
  }
  for (const PermutationPoint& point : all) {
    const double payload = load * static_cast<double>(message.count()) * point.topology.hostCount();
    bench::TrialSpec spec = permutationTrial(config, point, traffic(), message);
    design.add(point.values, std::move(spec), payloadHops(config, payload));
    if (point.go_back_n) {  // in spite of the rule of rc_recovery.h
      auto& roce = std::get<transport::RoceSpec>(*design.points.back().spec.transport);
      roce.recovery = transport::RoceRecovery::kGoBackN;
      roce.reorder_tolerance = 0;
    }
  }
  const std::uint32_t most_flows =
      std::max_element(all.begin(), all.end(), [](const auto& one, const auto& other) {
        return one.flows < other.flows;
      })->flows;
  const Bytes part(message.count() / most_flows);
  if (!at_random && part < bench::FabricResult::kCountedFlowData) {
    design.numbers.deviation(fmt::format(
        "MMR of flows counts packets with {} and more of data: of {} per pair, each sends {}",
        valueText(bench::FabricResult::kCountedFlowData), counted(most_flows, "flow"),
        valueText(part)));
  }
  design.carry(all);
  return design;
}

void PermutationProcedure::report(const TestConfig& config, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<PermutationPoint>>();
  Figure jfi = figure("JFI", "", "link_jfi", linkJfi);
  jfi.primary = true;
  const Figure goodput{.column = "Goodput",
                       .unit = "%",
                       .kpi = "goodput_percent",
                       .of = [&points](std::size_t i, const bench::TrialResult& trial) {
                         return goodputPercent(points[i], trial);
                       }};
  std::vector<Figure> columns{figure("MMR of bytes", "", "link_mmr", linkMmr),
                              {.column = "MMR of flows",
                               .unit = "",
                               .kpi = "link_flow_mmr",
                               .of = [](std::size_t, const bench::TrialResult& trial) {
                                 return trial.fabric->link_flow_mmr;
                               }}};
  for (Figure& own : figures(config, points)) columns.push_back(std::move(own));
  columns.insert(
      columns.end(),
      {jfi,
       figure("Busiest link", "%", "busiest_link_percent", busiestLinkPercent),
       figure("Mean link", "%", "mean_link_percent", meanLinkPercent),
       goodput,
       {.column = "Message P99",
        .unit = "us",
        .kpi = "message_p99_us",
        .of = permutationMessageP99},
       figure("Out of order", "packets/s", "out_of_order_per_s", outOfOrderPerSecond),
       figure("Discarded for order", "packets", "discarded_packets", discardedPackets),
       figure("Retransmitted", "packets/s", "retransmissions_per_s", retransmissionsPerSecond),
       figure("Dropped", "ppm", "fabric_drops_ppm", fabricDropsPpm),
       figure("Trimmed", "ppm", "trimmed_ppm", trimmedPpm),
       figure("ECN marked", "%", "ecn_percent", ecnPercent),
       figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond)});
  std::string about = fmt::format(
      "Every host sends {} to {}. ",
      traffic() == PermutationTraffic::kOneMessage ? "one message" : "messages at random times",
      receiverText(config.scenario.topology));
  about +=
      "MMR (maximum over mean) and JFI are over all links between switches, of bytes and of the "
      "flows (QPs, PDCs) whose data a link carried. Goodput is the payload over the rate of the "
      "hosts' links until the last message is done. Out of order counts packets that arrive while "
      "an earlier packet of their connection is missing: late, or lost. Discarded counts packets "
      "whose service does not accept them out of order. Dropped and trimmed in the fabric, per "
      "packet sent: these are sent again whatever their order. " +
      note(config);
  addTable(design, measured, columns, {"balance", "Load balance", std::move(about), {}, {}},
           builder);
  charts(design, points, measured, builder);
  if (measured.empty()) return;
  addLinkMaps(
      design, measured, [&points](std::size_t i) { return points[i].variant.name; }, builder);
  const Measured& last = measured.back();
  const auto value = meanOf(design, last, jfi);
  if (!value) return;
  builder.primary("JFI, " + last.point.label, *value);
  builder.result().summary = fmt::format("{}: JFI {} over the links between switches.",
                                         last.point.label, builder.text(*value));
}

void PermutationProcedure::charts(const Design& design, const std::vector<PermutationPoint>& points,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  addJfiBars(design, measured,
             {[&points](std::size_t i) { return points[i].variant.name; },
              [](std::size_t) { return std::string("JFI"); }},
             builder);
}

void addJfiBars(const Design& design, const std::vector<Measured>& measured, const BarAxes& axes,
                ResultBuilder& builder) {
  results::Chart chart;
  chart.id = "jfi";
  chart.title = "Fairness over the links between switches";
  chart.y_label = "JFI";
  addBars(design, measured, figure("JFI", "", "", linkJfi), axes, std::move(chart), builder);
}

}  // namespace plumbline::suite
