#include "suite/training/permutation.h"

#include <fmt/format.h>

#include <algorithm>

#include "suite/fabric_metrics.h"

namespace plumbline::suite {
namespace {

// Hosts on a leaf: the distance to the host of the same place on the next leaf.
std::uint32_t hostsPerLeaf(const fabric::TopologySpec& topology) {
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

bench::TrialSpec permutationTrial(const TestConfig& config, const PermutationPoint& point,
                                  Bytes message) {
  bench::TrialSpec spec = emptyTrial(config);
  spec.dut.topology = point.topology;
  applyVariant(point.variant, spec);
  spec.dut.switches.load_balancing.flowlet_gap = point.flowlet_gap;
  workload::JobSpec job;
  job.name = "permutation";
  job.flows = point.flows;
  job.flow_use = workload::FlowUse::kSplit;
  job.placement.ranks = point.topology.hostCount();
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kShift;
  program.shift = hostsPerLeaf(point.topology) % job.placement.ranks;
  program.bytes = static_cast<std::uint64_t>(message.count());
  program.messages = 1;
  job.program = program;
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

// A two-tier Clos with another number of something; others as they are.
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
  return topologies;
}

// Share of the hosts' links that the payload took, while the slowest pair was not done.
std::optional<double> goodputPercent(const PermutationPoint& point,
                                     const bench::TrialResult& trial) {
  const double line = point.topology.link_rate.toGigabitsPerSecond() * point.topology.hostCount();
  return 100 * goodputGbps(trial) / line;
}

double discardedPackets(const bench::TrialResult& trial) {
  return static_cast<double>(trial.fabric->endpoints.discarded);
}

}  // namespace

std::vector<std::string> PermutationTest::kpis() const {
  return {"goodput_percent",
          "link_mmr",
          "link_jfi",
          "busiest_link_percent",
          "mean_link_percent",
          "out_of_order_per_s",
          "retransmissions_per_s",
          "discarded_packets",
          "ecn_percent",
          "pfc_per_s"};
}

std::vector<fabric::TopologySpec> PermutationTest::withLeaves(
    const TestConfig& config, Numbers& numbers, const std::vector<std::uint32_t>& standard,
    const std::vector<std::uint32_t>& quick) {
  return varied(config, numbers, "Leaves", standard, quick, &fabric::TopologySpec::leaves);
}

std::vector<fabric::TopologySpec> PermutationTest::withSpines(
    const TestConfig& config, Numbers& numbers, const std::vector<std::uint32_t>& standard,
    const std::vector<std::uint32_t>& quick) {
  return varied(config, numbers, "Spines", standard, quick, &fabric::TopologySpec::spines);
}

Design PermutationTest::design(const TestConfig& config) const {
  Design design(config);
  design.axes = axes();
  design.repetitions = design.numbers.repetitions(20, 3);
  design.hop_cost = hopCost();
  constexpr std::int64_t kMiB = 1 << 20;
  const Bytes message =
      design.numbers.sweep<Bytes>("Message of every host", {Bytes(64 * kMiB)}, {Bytes(2 * kMiB)},
                                  config.scenario.parameters.sizes)[0];
  for (PermutationPoint& point : points(config, design.numbers)) {
    const double payload = static_cast<double>(message.count()) * point.topology.hostCount();
    bench::TrialSpec spec = permutationTrial(config, point, message);
    design.add(std::move(point.values), std::move(spec), payloadHops(config, payload));
  }
  return design;
}

void PermutationTest::report(const TestConfig& config, const Design& design,
                             const std::vector<Measured>& measured, ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<PermutationPoint> points = this->points(config, unused);
  Figure jfi = figure("JFI", "", "link_jfi", linkJfi);
  jfi.primary = true;
  const Figure goodput{.column = "Goodput",
                       .unit = "%",
                       .kpi = "goodput_percent",
                       .of = [&points](std::size_t i, const bench::TrialResult& trial) {
                         return goodputPercent(points[i], trial);
                       }};
  addTable(design, measured,
           {figure("MMR", "", "link_mmr", linkMmr), jfi,
            figure("Busiest link", "%", "busiest_link_percent", busiestLinkPercent),
            figure("Mean link", "%", "mean_link_percent", meanLinkPercent), goodput,
            figure("Out of order", "packets/s", "out_of_order_per_s", outOfOrderPerSecond),
            figure("Discarded for order", "packets", "discarded_packets", discardedPackets),
            figure("Retransmitted", "packets/s", "retransmissions_per_s", retransmissionsPerSecond),
            figure("ECN marked", "%", "ecn_percent", ecnPercent),
            figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond)},
           {"balance",
            "Load balance",
            "Every host sends one message to the host of the same place on the next leaf. MMR and "
            "JFI are over the bytes of all links between switches, goodput is the payload over the "
            "rate of the hosts' links until the last message is done. Discarded is what came in an "
            "order "
            "that its service has no use for: the reordering that a host gets to see.",
            {},
            {}},
           builder);
  charts(design, points, measured, builder);
  if (measured.empty()) return;
  addLinkMaps(
      design, measured, [&points](std::size_t i) { return points[i].variant.name; }, builder);
  const Measured& last = measured.back();
  const auto value = meanOf(design, last, jfi);
  if (!value) return;
  builder.primary("JFI, " + last.point.label, *value);
  builder.result().summary = fmt::format("{}: JFI {:.4f} over the links between switches.",
                                         last.point.label, value->value);
}

void PermutationTest::charts(const Design& design, const std::vector<PermutationPoint>& points,
                             const std::vector<Measured>& measured, ResultBuilder& builder) const {
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
