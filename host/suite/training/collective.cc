#include "suite/training/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <variant>

#include "fabric/topology/path_search.h"
#include "fabric/topology/topology.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/iteration_overlap.h"
#include "suite/framework/percentiles.h"
#include "workload/formulas.h"
#include "workload/placement.h"

namespace plumbline::suite {

using workload::CollectiveKind;

workload::CollectiveSpec collectiveSpec(CollectiveKind kind, Bytes size) {
  workload::CollectiveSpec spec;
  spec.kind = kind;
  spec.bytes = static_cast<std::uint64_t>(size.count());
  if (kind == CollectiveKind::kAllToAll) {
    spec.algorithm = workload::Algorithm::kLinearShift;
    spec.window = 8;
  } else {
    spec.algorithm = workload::Algorithm::kRing;
  }
  return spec;
}

std::string collectiveName(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "AllReduce";
    case CollectiveKind::kReduceScatter:
      return "ReduceScatter";
    case CollectiveKind::kAllGather:
      return "AllGather";
    case CollectiveKind::kAllToAll:
      return "AlltoAll";
    case CollectiveKind::kBroadcast:
      break;
  }
  return "Broadcast";
}

std::string collectiveScheme(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "ring, algo_factor 2(n-1)/n";
    case CollectiveKind::kAllToAll:
      return "linear shift, eight peers at a time, algo_factor (n-1)/n";
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
      return "ring, algo_factor (n-1)/n";
    case CollectiveKind::kBroadcast:
      break;
  }
  return "tree, algo_factor 1";
}

std::string placementText(const TestConfig& config) {
  switch (config.scenario.topology.kind) {
    case fabric::TopologyKind::kRail:
      return "one server after the other: its NICs are on different leaves";
    case fabric::TopologyKind::kGraph:
    case fabric::TopologyKind::kLink:
    case fabric::TopologyKind::kSingleSwitch:
      return "the hosts in their order";
    default:
      return "one host of every leaf in turn";
  }
}

workload::Placement acrossLeaves(const TestConfig& config, std::uint32_t ranks) {
  const fabric::TopologySpec& topology = config.scenario.topology;
  workload::Placement placement;
  placement.rule = workload::PlacementRule::kInterleaved;
  placement.ranks = ranks;
  switch (topology.kind) {
    case fabric::TopologyKind::kClos2:
    case fabric::TopologyKind::kClos3:
    case fabric::TopologyKind::kPools:
      placement.hosts_per_leaf = topology.hosts_per_leaf;
      break;
    case fabric::TopologyKind::kRail:  // a server after the other: its NICs are on different leaves
    case fabric::TopologyKind::kLink:
    case fabric::TopologyKind::kSingleSwitch:
    case fabric::TopologyKind::kGraph:
      break;
  }
  return placement;
}

namespace {

// Payload that all ranks send together.
double payloadOf(const CollectivePoint& point, std::uint32_t iterations) {
  return static_cast<double>(point.size.count()) * workload::algoFactor(point.kind, point.ranks) *
         point.ranks * iterations;
}

// Largest number of data packets of a trial that is simulated packet by packet: a few minutes of
// wall time, and enough to fast-forward from for 1,024 ranks.
constexpr std::uint64_t kMaxPackets = 2'000'000'000;
constexpr double kPayloadOfPacket = 4096;
constexpr double kMaxPayload = static_cast<double>(kMaxPackets) * kPayloadOfPacket;

// Of a trial that may end early: half a minute, on one core.
constexpr std::uint64_t kEarlyPackets = 50'000'000;
constexpr std::uint32_t kMinIterationsToEnd = 3;
// Fast-forwarding a ring takes seven iterations with messages of a bandwidth-delay product, whose
// number grows with the square of the ranks: this many packets for each.
constexpr double kPredictionPackets = 1'600;

bool isRing(CollectiveKind kind) { return kind != CollectiveKind::kAllToAll; }

// PlannedTrial::hop_cost of a point with few ranks, and its share more with 1,024.
struct RankCost {
  double few;
  double more;
};

// With more ranks and connections, less of the hosts' state is in the processor's caches. Flows
// that share a link by chance take longer, with marks and changing rates, and flowlets that
// overtake each other are retransmitted. As measured with 64 to 1,024 ranks.
RankCost rankCost(CollectiveKind kind, const std::string& balancing) {
  if (isRing(kind)) {
    if (balancing == "spray") return {0.65, 0.4};
    return {0.7, balancing == "flowlet" ? 1.2 : 2.0};
  }
  if (balancing == "spray") return {0.6, 1.2};
  if (balancing == "flowlet") return {0.9, 4.2};
  return {0.8, 2.8};
}

}  // namespace

bench::TrialSpec collectiveTrial(const TestConfig& config, const CollectivePoint& point,
                                 std::uint32_t iterations) {
  bench::TrialSpec spec = emptyTrial(config);
  applyVariant(point.variant, spec);
  workload::JobSpec job;
  job.name = collectiveName(point.kind);
  job.placement = acrossLeaves(config, point.ranks);
  workload::TrainingProgram program;
  program.iterations = iterations;
  program.collectives.push_back(collectiveSpec(point.kind, point.size));
  job.program = program;
  spec.workload->jobs.push_back(std::move(job));
  if (isRing(point.kind) && payloadOf(point, iterations) > kMaxPayload) {
    spec.fast_forward.emplace().packets = kMaxPackets;
  }
  return spec;
}

void endCollectiveEarly(const TestConfig& config, const CollectivePoint& point,
                        bench::TrialSpec& spec) {
  if (!mayEndEarly(config)) return;
  auto& program = std::get<workload::TrainingProgram>(spec.workload->jobs.front().program);
  const double each = payloadOf(point, 1) / kPayloadOfPacket;
  const auto possible =
      static_cast<std::uint32_t>(std::clamp(static_cast<double>(kEarlyPackets) / each, 1.0, 1e6));
  const std::uint32_t max = std::max(possible, kMinIterationsToEnd);
  const double prediction =
      std::max(static_cast<double>(kEarlyPackets), kPredictionPackets * point.ranks * point.ranks);
  const bool may_predict = spec.fast_forward.has_value();
  spec.fast_forward.reset();
  if (may_predict && each * kMinIterationsToEnd > std::max(4.0 * kEarlyPackets, prediction)) {
    spec.fast_forward.emplace().packets = static_cast<std::uint64_t>(prediction);
    return;  // as many iterations as the draft has: the second one repeats
  }
  program.iterations = std::min(program.iterations, max);
  // The draft's 100 iterations are enough for a median.
  spec.early_end = earlyEnd(bench::WatchedFigure::kIterationTime, 0.5);
}

double collectiveHops(const TestConfig& config, const CollectivePoint& point,
                      std::uint32_t iterations, const bench::TrialSpec& spec) {
  double payload = payloadOf(point, iterations);
  if (spec.fast_forward) {
    payload = std::min(payload, static_cast<double>(spec.fast_forward->packets) * kPayloadOfPacket);
  }
  return payloadHops(config, payload);
}

double collectiveHops(const TestConfig& config, const CollectivePoint& point,
                      const bench::TrialSpec& spec) {
  // Flowlets of an AlltoAll overtake each other.
  const std::string& word = point.variant.balancing.word;
  const bool steady = word == "spray" || (word == "flowlet" && isRing(point.kind));
  return collectiveHops(config, point, expectedIterations(spec, steady), spec);
}

double collectiveHopCost(const TestConfig& config, const CollectivePoint& point) {
  const RankCost cost = rankCost(point.kind, point.variant.balancing.word);
  // Idle hosts, and their switches, take memory as well.
  constexpr double kIdle = 0.15;
  // State per peer of a host, UET over RoCE.
  constexpr double kUet = 3;
  const bool uet = std::holds_alternative<transport::UetSpec>(point.variant.transport);
  const double thousands =
      (point.ranks * (uet ? kUet : 1) + kIdle * config.scenario.topology.hostCount()) / 1024;
  return cost.few * (1 + cost.more * thousands);
}

Figure iterationTimeFigure() {
  return {.column = "Time per iteration",
          .unit = "us",
          .kpi = "iteration_us",
          .of = [](std::size_t, const bench::TrialResult& trial) {
            return withBatches(trial, meanIteration(trial.fabric->jobs.at(0)).toMicroseconds());
          }};
}

Figure algoFactorFigure(const std::vector<CollectivePoint>& points) {
  return {.column = "algo_factor",
          .unit = "",
          .kpi = "",
          .of = [points](std::size_t i, const bench::TrialResult&) {
            return workload::algoFactor(points[i].kind, points[i].ranks);
          }};
}

void configureCollectives(Numbers& numbers) {
  numbers.configure("Synchronisation barriers",
                    "none between iterations: a rank begins the next one when it has finished its "
                    "own part of the last");
  numbers.configure("Flows are driven by",
                    "the schedule of the algorithm: a step of a rank starts when its data of the "
                    "step before has arrived; no gradients are computed");
  numbers.configure("Stragglers", "not modelled: all ranks start together, reducing takes no time");
}

std::vector<Figure> busBandwidthFigures(const TestConfig& config,
                                        const std::vector<CollectivePoint>& points,
                                        std::uint32_t iterations) {
  const double line = config.scenario.topology.link_rate.toGigabitsPerSecond();
  const auto mean = [points](std::size_t i, const bench::TrialResult& trial) {
    return meanBusBandwidthGbps(trial, 0, points[i].kind, points[i].ranks, points[i].size);
  };
  std::vector<Figure> figures;
  figures.push_back(
      {.column = "BusBW mean",
       .unit = "Gb/s",
       .kpi = "busbw_gbps",
       .of = [mean](std::size_t i,
                    const bench::TrialResult& trial) { return withBatches(trial, mean(i, trial)); },
       .observed = ObservationPoint::kModelled,
       .primary = true});
  const auto quantile = [&](const char* kpi, double q) {
    figures.push_back({.column = quantileColumn(q, iterations),
                       .unit = "Gb/s",
                       .kpi = kpi,
                       .of = [points, q](std::size_t i, const bench::TrialResult& trial) {
                         return busBandwidthGbps(trial, 0, points[i].kind, points[i].ranks,
                                                 points[i].size, q);
                       }});
  };
  quantile("busbw_p50_gbps", 0.5);
  quantile("busbw_p95_gbps", 0.95);
  quantile("busbw_p99_gbps", 0.99);
  figures.push_back({.column = "Efficiency",
                     .unit = "%",
                     .kpi = "efficiency_percent",
                     .of = [mean, line](std::size_t i, const bench::TrialResult& trial) {
                       return withBatches(trial, 100 * mean(i, trial) / line);
                     }});
  figures.push_back(algoFactorFigure(points));
  figures.back().kpi = "algo_factor";
  return figures;
}

std::vector<Figure> fabricFigures() {
  return {figure("ECN marked", "%", "ecn_percent", ecnPercent),
          figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond),
          figure("Paused", "us", "", pausedMicroseconds),
          figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
          figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm),
          figure("Trimmed", "ppm", "trimmed_ppm", trimmedPpm),
          figure("Retransmitted", "%", "retransmission_percent", retransmissionPercent),
          figure("Busiest link", "%", "busiest_link_percent", busiestLinkPercent),
          figure("MMR", "", "link_mmr", linkMmr),
          figure("JFI", "", "link_jfi", linkJfi)};
}

std::vector<std::string> fabricKpis() {
  std::vector<std::string> names;
  for (const Figure& figure : fabricFigures()) {
    if (!figure.kpi.empty()) names.push_back(figure.kpi);
  }
  return names;
}

results::Chart chartOverRanks(std::string id, std::string title, std::string y_label) {
  results::Chart chart;
  chart.id = std::move(id);
  chart.title = std::move(title);
  chart.x_label = "Ranks";
  chart.y_label = std::move(y_label);
  chart.log_x = true;
  return chart;
}

void notePredictions(const std::vector<Measured>& measured, ResultBuilder& builder) {
  for (const Measured& one : measured) {
    const auto& outcome = one.trials.front().fabric->fast_forward;
    if (!outcome) continue;
    builder.anomaly(fmt::format("times are fast-forwarded, not simulated packet by packet: "
                                "calibrated error {:.2g} %; no figures of the fabric",
                                100 * outcome->calibrated_error),
                    one.point.label);
  }
}

std::vector<std::string> CollectiveProcedure::kpis() const {
  return with(fabricKpis(), {"algo_factor", "busbw_gbps", "busbw_p50_gbps", "busbw_p95_gbps",
                             "busbw_p99_gbps", "efficiency_percent"});
}

CollectiveProcedure::Sweep CollectiveProcedure::fullSweep(std::vector<CollectiveKind> kinds) {
  constexpr std::int64_t kMiB = 1 << 20;
  return {std::move(kinds),
          {Bytes(kMiB), Bytes(8 * kMiB), Bytes(64 * kMiB), Bytes(256 * kMiB), Bytes(1024 * kMiB),
           Bytes(4096 * kMiB)},
          {Bytes(kMiB), Bytes(8 * kMiB)},
          {8, 16, 32, 64, 128, 256, 512, 1024},
          {8, 16, 32}};
}

std::vector<Variant> CollectiveProcedure::variants(const TestConfig& config,
                                                   Numbers& numbers) const {
  std::vector<Variant> variants;
  for (const Balancing& balancing : balancingSweep(config, numbers, {"ecmp", "flowlet", "spray"},
                                                   {"ecmp", "flowlet", "spray"})) {
    variants.push_back(defaultVariant(config, balancing));
  }
  return variants;
}

namespace {

// How many hops of a ring of ranks on one leaf after the other cross so many switches.
using RingHops = std::map<std::uint32_t, std::uint32_t>;

RingHops ringHops(const TestConfig& config, const fabric::Topology& topology,
                  fabric::PathSearch& search, std::uint32_t ranks) {
  workload::JobSpec job;
  job.placement = acrossLeaves(config, ranks);
  const std::vector<workload::HostId> hosts =
      workload::placeJobs({job}, config.scenario.topology.hostCount()).front();
  const auto switchOf = [&](workload::HostId host) {
    const fabric::Node& node = topology.nodes()[topology.hosts()[host]];
    return topology.nodes()[topology.links()[node.out_links.front()].to].index;
  };
  RingHops hops;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    search.run(switchOf(hosts[(i + 1) % hosts.size()]));
    ++hops[search.hops(switchOf(hosts[i])) + 1];
  }
  return hops;
}

}  // namespace

void noteRingHops(const TestConfig& config, const std::vector<CollectiveKind>& kinds,
                  const std::vector<std::uint32_t>& ranks, Numbers& numbers) {
  const fabric::TopologyKind kind = config.scenario.topology.kind;
  if (kind == fabric::TopologyKind::kLink || std::none_of(kinds.begin(), kinds.end(), isRing)) {
    return;
  }
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  if (topology.switches().size() < 2) return;
  const auto arcs =
      fabric::arcsBetweenSwitches(topology, std::vector<bool>(topology.links().size(), false));
  fabric::PathSearch search(arcs);
  std::vector<std::string> sharing;
  std::vector<std::string> longer;
  for (const std::uint32_t n : ranks) {
    if (n < 2 || n > config.scenario.topology.hostCount()) continue;
    RingHops hops = ringHops(config, topology, search, n);
    if (hops.contains(1)) sharing.push_back(fmt::format("{} of {}", hops[1], n));
    hops.erase(1);
    if (hops.size() < 2) continue;
    const std::uint32_t least = hops.begin()->first;
    std::uint32_t beyond = 0;
    for (const auto& [switches, count] : hops) beyond += switches > least ? count : 0;
    longer.push_back(
        fmt::format("{} of {} ({} switches, not {})", beyond, n, hops.rbegin()->first, least));
  }
  if (!sharing.empty()) {
    numbers.deviation(fmt::format(
        "{} hops of the ring are between ranks on the same switch: they are shorter than in the "
        "closed forms",
        fmt::join(sharing, ", ")));
  }
  if (!longer.empty()) {
    numbers.deviation(fmt::format(
        "hops of the ring that cross more switches than the others: {}. They are longer than in "
        "the closed forms",
        fmt::join(longer, ", ")));
  }
}

std::vector<CollectivePoint> CollectiveProcedure::points(const TestConfig& config,
                                                         Numbers& numbers) const {
  const scenario::Parameters& own = config.scenario.parameters;
  const auto sizes = numbers.sweep("Buffer sizes", sweep_.sizes, sweep_.quick_sizes, own.sizes);
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const auto ranks = numbers.sweep("Ranks", sweep_.ranks, sweep_.quick_ranks, own.ranks,
                                   [hosts](std::uint32_t n) { return n <= hosts; });
  noteRingHops(config, sweep_.kinds, ranks, numbers);
  const std::vector<Variant> variants = this->variants(config, numbers);
  std::vector<CollectivePoint> points;
  for (const Bytes size : sizes) {
    for (const std::uint32_t n : ranks) {
      for (const Variant& variant : variants) {
        for (const CollectiveKind kind : sweep_.kinds) points.push_back({kind, size, n, variant});
      }
    }
  }
  return points;
}

std::uint32_t CollectiveProcedure::iterationsOf(const TestConfig& config, Numbers& numbers) {
  return numbers.atLeast<std::uint32_t>("Iterations", 100, 3,
                                        config.scenario.parameters.iterations);
}

Design CollectiveProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Collective", ""}, {"Buffer", ""}, {"Ranks", "ranks"}, {"Carried by", ""}};
  Numbers& numbers = design.numbers;
  for (const CollectiveKind kind : sweep_.kinds) {
    numbers.configure(collectiveName(kind), collectiveScheme(kind));
  }
  numbers.configure("Placement", placementText(config));
  configureCollectives(numbers);
  const std::vector<CollectivePoint> points = this->points(config, numbers);
  const std::uint32_t iterations = iterationsOf(config, numbers);
  design.repetitions = numbers.repetitions(3, 1);
  for (const CollectivePoint& point : points) {
    bench::TrialSpec spec = collectiveTrial(config, point, iterations);
    endCollectiveEarly(config, point, spec);
    const double hops = collectiveHops(config, point, spec);
    design.add({collectiveName(point.kind), valueText(point.size), std::to_string(point.ranks),
                point.variant.name},
               std::move(spec), hops, collectiveHopCost(config, point));
  }
  design.carry(CollectiveRuns{points, iterations});
  return design;
}

void CollectiveProcedure::report(const TestConfig& config, const Design& design,
                                 const std::vector<Measured>& measured,
                                 ResultBuilder& builder) const {
  const std::vector<CollectivePoint>& points = design.carried<CollectiveRuns>().points;
  const std::uint32_t iterations = mayEndEarly(config) && !measured.empty()
                                       ? minIterationsToEnd(measured)
                                       : design.carried<CollectiveRuns>().iterations;
  const std::vector<Figure> figures = busBandwidthFigures(config, points, iterations);
  const Figure& bandwidth = figures.front();
  addTable(
      design, measured, figures,
      {"busbw",
       "Bus bandwidth",
       "Per accelerator, of iteration times from the first rank's start to the last one's "
       "finish; P95 and P99 are of the slow iterations. BusBW = S / t * algo_factor. Efficiency "
       "is over the rate of a host's link.",
       {},
       {}},
      builder);
  addTable(design, measured, fabricFigures(),
           {"fabric", "Fabric during the collective", kFabricNote, {}, {}}, builder);
  addChart(design, measured, bandwidth,
           {[&](std::size_t i) { return static_cast<double>(points[i].ranks); },
            [&](std::size_t i) {
              return fmt::format("{}, {}, {}", collectiveName(points[i].kind),
                                 valueText(points[i].size), points[i].variant.name);
            }},
           chartOverRanks("busbw_vs_ranks", "Bus bandwidth over ranks", "BusBW [Gb/s]"), builder);
  // With the largest buffer and the most ranks, as they come last.
  addLinkMaps(
      design, measured,
      [&](std::size_t i) {
        return points[i].kind == points.front().kind ? points[i].variant.name : std::string();
      },
      builder);
  reportMore(config, design, points, measured, builder);
  IterationOverlap overlap;
  for (const Measured& one : measured) overlap.add(one.trials, 0, one.point.label);
  overlap.report(builder);
  notePredictions(measured, builder);
  // Of the collective that the test is about, the last point: largest and sprayed.
  const auto found = std::find_if(measured.rbegin(), measured.rend(), [&](const Measured& one) {
    return points[placeOf(design, one)].kind == points.front().kind;
  });
  if (found == measured.rend()) return;
  const Measured& last = *found;
  const auto figure = meanOf(design, last, bandwidth);
  builder.primary("BusBW, " + last.point.label, *figure);
  builder.result().summary =
      fmt::format("{}: {} bus bandwidth, on hosts' links of {} Gb/s.", last.point.label,
                  builder.text(*figure), config.scenario.topology.link_rate.toGigabitsPerSecond());
}

}  // namespace plumbline::suite
