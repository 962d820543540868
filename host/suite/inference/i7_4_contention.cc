// I7.4 Expert parallelism beside KV cache transfers (inference draft, section 7.4).
//
// N hosts send KV caches, each to the one half the group further on, at random times (Poisson),
// with a swept share of their links. N ranks of an expert-parallel group dispatch once in the time
// of a layer: on the same NICs, or each on the NIC beside (hosts 0, 2, … and 1, 3, …), so that both
// share links between switches only. Each of the two runs alone first, with the same seeds.
// Measured: P99 of a KV transfer (post to acknowledgement) and of a dispatch for single ranks,
// alone and together; ECN and PFC. Computed: penalty = P99 together / P99 alone, sum of the
// repetitions over sum of the repetitions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "stats/paired_ratio.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/profile.h"
#include "suite/inference/experts.h"
#include "suite/inference/inference.h"

namespace plumbline::suite {
namespace {

enum class ContendingTraffic { kExperts, kKv, kBoth };

std::string contendingName(ContendingTraffic traffic) {
  switch (traffic) {
    case ContendingTraffic::kExperts:
      return "dispatches alone";
    case ContendingTraffic::kKv:
      return "KV alone";
    case ContendingTraffic::kBoth:
      break;
  }
  return "both";
}

struct ExpertContentionPoint {
  bool separate = false;  // NICs
  Fraction load;          // of KV; of dispatches alone 0
  ContendingTraffic traffic = ContendingTraffic::kBoth;
};

constexpr const char* kSeparateNics = "separate";

std::string nicsName(const ExpertContentionPoint& point) {
  return point.separate ? kSeparateNics : "shared";
}

// 61 layers in 30 ms (draft, Appendix E).
constexpr Picoseconds kMoeLayer = microseconds(490);

class ExpertContentionProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I7.4"; }
  [[nodiscard]] std::string title() const override { return "Expert parallelism and KV transfer"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"dispatch_p99_us", "message_p99_us", "dispatch_penalty", "kv_penalty",
            "ecn_percent",     "pfc_per_s",      "fabric_drops_ppm", "queue_max_bytes"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.4"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ExpertContentionPoint> points(const TestConfig& config, std::uint32_t ranks,
                                                   Numbers& numbers);
  static std::uint32_t groupSize(const TestConfig& config, Numbers& numbers);
};

std::uint32_t ExpertContentionProcedure::groupSize(const TestConfig& config, Numbers& numbers) {
  return numbers.sweep<std::uint32_t>("EP group size", {32}, {16}, config.scenario.parameters.ranks)
      .front();
}

std::vector<ExpertContentionPoint> ExpertContentionProcedure::points(const TestConfig& config,
                                                                     std::uint32_t ranks,
                                                                     Numbers& numbers) {
  const std::vector<Fraction> draft{Fraction::percent(50), Fraction::percent(75)};
  const std::vector<Fraction> loads =
      numbers.sweep("KV load", draft, draft, config.scenario.parameters.loads);
  const std::vector<std::string> both{"shared", kSeparateNics};
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  std::vector<ExpertContentionPoint> points;
  for (const std::string& nics : numbers.sweep(
           "NICs", both, both, config.scenario.parameters.experts.nics,
           [&](const std::string& word) { return word != kSeparateNics || 2 * ranks <= hosts; })) {
    const bool separate = nics == kSeparateNics;
    points.push_back({separate, Fraction(), ContendingTraffic::kExperts});
    for (const Fraction load : loads) {
      points.push_back({separate, load, ContendingTraffic::kKv});
      points.push_back({separate, load, ContendingTraffic::kBoth});
    }
  }
  return points;
}

// The first hosts for both, or every second one for each. Hosts are named, because jobs that name
// theirs may share them.
workload::Placement nicsOf(const ExpertContentionPoint& point, bool kv, std::uint32_t ranks) {
  workload::Placement placement;
  placement.rule = workload::PlacementRule::kExplicit;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    placement.hosts.push_back(point.separate ? 2 * rank + (kv ? 1 : 0) : rank);
  }
  return placement;
}

workload::JobSpec contendingKvJob(const TestConfig& config, const ExpertContentionPoint& point,
                                  std::uint32_t ranks, Bytes size, Picoseconds until) {
  workload::JobSpec job;
  job.name = "kv";
  // Separate queue pairs, so that the messages of the two are ordered separately.
  job.first_flow = 1;
  job.placement = nicsOf(point, true, ranks);
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kShift;
  program.shift = ranks / 2;
  program.bytes = static_cast<std::uint64_t>(size.count());
  const Int128 alone = serializationTime(size, config.scenario.topology.link_rate).count();
  program.load = workload::Arrivals{Picoseconds(static_cast<std::int64_t>(
                                        alone * Fraction::kOne / point.load.partsPerTrillion())),
                                    true};
  program.until = until;
  job.program = program;
  return job;
}

Design ExpertContentionProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"NICs", ""}, {"KV load", ""}, {"Running", ""}};
  const scenario::Parameters& own = config.scenario.parameters;
  configureExperts(config, design.numbers);
  const std::vector<ExpertModel> models = expertModels(config, design.numbers, {"M4"}, {"M4"});
  const std::uint32_t ranks = groupSize(config, design.numbers);
  const std::uint32_t batch =
      design.numbers.sweep<std::uint32_t>("Batch size", {8}, {8}, own.experts.batches).front();
  const Bytes size =
      design.numbers.sweep<Bytes>("KV message", {Bytes(16 << 20)}, {Bytes(1 << 20)}, own.sizes)
          .front();
  const std::uint32_t dispatches =
      design.numbers.atLeast<std::uint32_t>("Dispatches of a trial", 200, 8, own.iterations);
  design.repetitions = design.numbers.repetitions(3, 1);
  design.numbers.configure("Time of a layer", durationText(kMoeLayer));
  design.numbers.configure("Contention",
                           "one traffic class, queue pairs apart; on separate NICs (hosts 0, 2, … "
                           "and 1, 3, …) both share links between switches only");
  design.numbers.configure("KV transfer", "post to acknowledgement, as its sender sees it");
  const std::vector<ExpertContentionPoint> points =
      ExpertContentionProcedure::points(config, ranks, design.numbers);
  if (ranks > config.scenario.topology.hostCount() || ranks > models.front().slots() ||
      ranks <= own.experts.ranks_per_server) {
    design.refusals.push_back(counted(ranks, "rank") +
                              ": more than one server's, at most one for each host and expert");
    return design;
  }
  const bool separate = std::any_of(points.begin(), points.end(),
                                    [](const ExpertContentionPoint& one) { return one.separate; });
  if (separate && 2 * ranks > config.scenario.topology.hostCount()) {
    design.refusals.push_back(fmt::format("{} ranks on separate NICs have {} hosts, of {}", ranks,
                                          2 * ranks, config.scenario.topology.hostCount()));
    return design;
  }
  for (const ExpertContentionPoint& point : points) {
    bench::TrialSpec spec = expertTrial(
        config, dispatchProgram(config, {models.front(), ranks, batch}, dispatches), ranks);
    auto& program = std::get<workload::MoeProgram>(spec.workload->jobs.front().program);
    program.period = kMoeLayer;
    if (point.separate) spec.workload->jobs.front().placement = nicsOf(point, false, ranks);
    if (point.traffic == ContendingTraffic::kKv) spec.workload->jobs.clear();
    if (point.traffic != ContendingTraffic::kExperts) {
      spec.workload->jobs.push_back(
          contendingKvJob(config, point, ranks, size, kMoeLayer * std::int64_t{dispatches}));
    }
    const double hops = expertHops(spec);
    design.add({nicsName(point),
                point.traffic == ContendingTraffic::kExperts ? "none" : valueText(point.load),
                contendingName(point.traffic)},
               std::move(spec), hops);
  }
  return design;
}

void ExpertContentionProcedure::report(const TestConfig& config, const Design& design,
                                       const std::vector<Measured>& measured,
                                       ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<ExpertContentionPoint> points =
      ExpertContentionProcedure::points(config, groupSize(config, unused), unused);
  // The job of either kind, whatever its index in the trial.
  const auto dispatchTime = [](const bench::TrialResult& trial) -> std::optional<Reading> {
    const auto& moe = trial.fabric->jobs.front().moe;
    if (!moe || moe->dispatch.rank_time.count() == 0) return std::nullopt;
    return quantileMicroseconds(moe->dispatch.rank_time, 0.99);
  };
  const auto kvTime = [](const bench::TrialResult& trial) -> std::optional<Reading> {
    const bench::JobOutcome& job = trial.fabric->jobs.back();
    if (job.moe || job.message_time.count() == 0) return std::nullopt;
    return quantileMicroseconds(job.message_time, 0.99);
  };
  const auto figureOf = [](std::string column, std::string kpi, auto of) {
    return Figure{.column = std::move(column),
                  .unit = "us",
                  .kpi = std::move(kpi),
                  .of = [of](std::size_t, const bench::TrialResult& trial) { return of(trial); },
                  .absent = "-"};
  };
  std::vector<Figure> figures{figureOf("Dispatch P99", "dispatch_p99_us", dispatchTime),
                              figureOf("KV transfer P99", "message_p99_us", kvTime)};
  for (Figure& one : expertFabricFigures()) figures.push_back(std::move(one));
  addTable(design, measured, figures,
           {"times",
            "Alone and together",
            "Dispatch as each rank sees it, on the fabric alone. KV load: payload, of a host's "
            "link. ECN is the share of data packets of both that arrived marked.",
            {},
            {}},
           builder);

  const auto valuesOf = [](const Measured& one, const auto& of) {
    std::vector<double> values;
    values.reserve(one.trials.size());
    for (const bench::TrialResult& trial : one.trials) {
      if (const std::optional<Reading> value = of(trial)) values.push_back(value->value);
    }
    return values;
  };
  std::map<bool, std::vector<double>> dispatch_alone;  // by "separate"
  std::map<std::pair<bool, std::int64_t>, std::vector<double>> kv_alone;
  for (const Measured& one : measured) {
    const ExpertContentionPoint& point = points[placeOf(design, one)];
    if (point.traffic == ContendingTraffic::kExperts) {
      dispatch_alone[point.separate] = valuesOf(one, dispatchTime);
    }
    if (point.traffic == ContendingTraffic::kKv) {
      kv_alone[{point.separate, point.load.partsPerTrillion()}] = valuesOf(one, kvTime);
    }
  }
  results::Table table{"penalty",
                       "Penalty",
                       "P99 of both together over P99 alone, with the same seeds; sum over the "
                       "repetitions divided by the sum over the repetitions. Values below 1 mean "
                       "that random variation exceeds the effect.",
                       {"NICs", "KV load", "Penalty of dispatches", "Penalty of KV transfers"},
                       {}};
  results::Chart chart;
  chart.id = "penalty";
  chart.title = "Penalty over the KV load";
  chart.kind = results::ChartKind::kBar;
  chart.x_label = "KV load [%]";
  chart.y_label = "P99 together / P99 alone";
  // For shared NICs, then for separate ones, where both exist.
  for (const ExpertContentionPoint& point : points) {
    if (point.traffic != ContendingTraffic::kExperts) continue;
    chart.series.push_back({"dispatches, " + nicsName(point) + " NICs", {}, {}, false});
    chart.series.push_back({"KV transfers, " + nicsName(point) + " NICs", {}, {}, false});
  }
  const bool separate_first = points.front().separate;
  for (const Measured& one : measured) {
    const ExpertContentionPoint& point = points[placeOf(design, one)];
    if (point.traffic != ContendingTraffic::kBoth) continue;
    std::vector<results::Cell> row{nicsName(point), valueText(point.load)};
    const std::size_t first_series = point.separate == separate_first ? 0 : 2;
    for (const bool kv : {false, true}) {
      const std::vector<double> together = kv ? valuesOf(one, kvTime) : valuesOf(one, dispatchTime);
      const std::vector<double>& alone =
          kv ? kv_alone[{point.separate, point.load.partsPerTrillion()}]
             : dispatch_alone[point.separate];
      const bool nothing =
          std::any_of(alone.begin(), alone.end(), [](double value) { return value <= 0; });
      if (alone.empty() || nothing || alone.size() != together.size()) {
        row.emplace_back(std::string("not observed"));
        continue;
      }
      const results::Quantity factor = ratioOf(together, alone, ObservationPoint::kModelled);
      builder.repeated(one.point.label, kv ? "Penalty of KV transfers" : "Penalty of dispatches",
                       stats::pairedRatio(together, alone).ratios, "");
      row.emplace_back(
          builder.kpi(kv ? "kv_penalty" : "dispatch_penalty", one.point.label, factor));
      builder.primary(
          fmt::format("penalty of {}, {}", kv ? "KV transfers" : "dispatches", one.point.label),
          factor);
      results::Series& series = chart.series[first_series + (kv ? 1 : 0)];
      series.x.push_back(point.load.toDouble() * 100);
      series.y.push_back(factor.value);
      builder.result().summary += fmt::format(
          "{}KV at {}, {} NICs: P99 of {} x {:.3f}.", builder.result().summary.empty() ? "" : " ",
          valueText(point.load), nicsName(point), kv ? "KV transfers" : "dispatches", factor.value);
    }
    table.rows.push_back(std::move(row));
  }
  builder.result().tables.insert(builder.result().tables.begin(), std::move(table));
  builder.result().charts.push_back(std::move(chart));
  noteLateLayers(measured, builder);
}

}  // namespace

const Procedure& expertContentionProcedure() {
  static const ExpertContentionProcedure test;
  return test;
}

}  // namespace plumbline::suite
