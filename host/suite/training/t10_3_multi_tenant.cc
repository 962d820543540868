// T10.3 Multi-tenant interference (training draft, section 10.3).
//
// Two jobs of ring AllReduces, each on its own hosts of the same number of leaves; a swept share of
// the leaves is common to both: there they share the leaf's uplinks and the spines behind them.
// Every job runs alone first, on the same hosts. Switches balance as the scenario says. Computed:
// interference factor = JCT beside the other / JCT alone, each repetition against the one with the
// same seeds alone; over the repetitions the ratio of the sums.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "stats/paired_ratio.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"
#include "workload/formulas.h"

namespace plumbline::suite {
namespace {

// Active jobs at a point.
enum class Tenants { kFirst, kSecond, kBoth };

struct TenantPoint {
  std::uint32_t common = 0;  // leaves that both jobs use
  Fraction share;            // of a job's leaves
  Tenants tenants = Tenants::kBoth;
};

std::string tenantsName(Tenants tenants) {
  switch (tenants) {
    case Tenants::kFirst:
      return "job A alone";
    case Tenants::kSecond:
      return "job B alone";
    case Tenants::kBoth:
      break;
  }
  return "both jobs";
}

class MultiTenantProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T10.3"; }
  [[nodiscard]] std::string title() const override { return "Multi-tenant interference"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(fabricKpis(), {"interference_a", "interference_b", "timeouts"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 10.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<TenantPoint> pointsOf(std::uint32_t leaves, Numbers& numbers);
};

// `common` of a job's `leaves`, to a tenth of a per cent.
Fraction shareOf(std::uint32_t common, std::uint32_t leaves) {
  constexpr std::int64_t kTenth = Fraction::kOne / 1000;
  return Fraction::partsPerTrillion((std::int64_t{1000} * common + leaves / 2) / leaves * kTenth);
}

// The draft's shares. Jobs of a number of leaves that does not divide so have the nearest ones
// instead, under their own names.
std::vector<TenantPoint> MultiTenantProcedure::pointsOf(std::uint32_t leaves, Numbers& numbers) {
  const std::vector<Fraction> draft{Fraction::percent(0), Fraction::percent(25),
                                    Fraction::percent(50), Fraction::percent(75)};
  std::set<std::uint32_t> commons;
  std::vector<Fraction> shares;
  for (const Fraction share : draft) {
    const auto common = static_cast<std::uint32_t>(std::lround(share.toDouble() * leaves));
    if (commons.insert(common).second) shares.push_back(shareOf(common, leaves));
  }
  numbers.sweep<Fraction>("Common leaves", draft, draft, shares);
  for (const Fraction share : shares) {
    if (std::find(draft.begin(), draft.end(), share) != draft.end()) continue;
    numbers.deviation(
        fmt::format("{} of common leaves is none of the draft's shares: it is the "
                    "nearest that {} leaves of a job allow",
                    valueText(share), leaves));
  }
  std::vector<TenantPoint> points;
  for (const std::uint32_t common : commons) {
    for (const Tenants tenants : {Tenants::kFirst, Tenants::kSecond, Tenants::kBoth}) {
      points.push_back({common, shareOf(common, leaves), tenants});
    }
  }
  return points;
}

// Hosts of a job: `half` of every leaf from `first` on, one of every leaf in turn.
std::vector<workload::HostId> hostsOf(const fabric::TopologySpec& topology, std::uint32_t first,
                                      std::uint32_t leaves, bool second) {
  const std::uint32_t each = topology.hosts_per_leaf / 2;
  std::vector<workload::HostId> hosts;
  for (std::uint32_t place = 0; place < each; ++place) {
    for (std::uint32_t leaf = first; leaf < first + leaves; ++leaf) {
      hosts.push_back(leaf * topology.hosts_per_leaf + (second ? each : 0) + place);
    }
  }
  return hosts;
}

Design MultiTenantProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Common leaves", "common"}, {"Running", ""}};
  const fabric::TopologySpec& topology = config.scenario.topology;
  const std::uint32_t leaves = topology.leaves / 2;  // of each job
  const std::uint32_t ranks = leaves * (topology.hosts_per_leaf / 2);
  if (topology.kind != fabric::TopologyKind::kClos2 || leaves < 2 || ranks < 2) {
    design.refusals.emplace_back(
        "two tenants need a two-tier Clos of four leaves with two hosts each at least: each has "
        "half of the hosts of half of the leaves, and the hosts of one leaf share no spine links");
    return design;
  }
  const Bytes size =
      design.numbers.sweep<Bytes>("Buffer", {Bytes(std::int64_t{1} << 30)}, {Bytes(8 << 20)},
                                  config.scenario.parameters.sizes)[0];
  const std::uint32_t iterations = design.numbers.atLeast<std::uint32_t>(
      "Iterations", 100, 3, config.scenario.parameters.iterations);
  design.repetitions = design.numbers.repetitions(3, 2);
  const CollectivePoint collective{workload::CollectiveKind::kAllReduce, size, ranks,
                                   scenarioVariant(config)};
  design.numbers.configure("Leaves of each job", std::to_string(leaves));
  design.numbers.configure("Ranks of each job", std::to_string(collective.ranks));
  design.numbers.configure("Spine links in common",
                           "those of the common leaves: so many per cent of a job's uplinks");
  const std::vector<TenantPoint> points = pointsOf(leaves, design.numbers);
  for (const TenantPoint& point : points) {
    bench::TrialSpec spec = collectiveTrial(config, collective, iterations);
    spec.fast_forward.reset();
    workload::JobSpec job = std::move(spec.workload->jobs.front());
    spec.workload->jobs.clear();
    const auto add = [&](const char* name, std::uint32_t first, bool second) {
      job.name = name;
      job.placement.rule = workload::PlacementRule::kExplicit;
      job.placement.hosts = hostsOf(topology, first, leaves, second);
      spec.workload->jobs.push_back(job);
    };
    if (point.tenants != Tenants::kSecond) add("job A", 0, false);
    if (point.tenants != Tenants::kFirst) add("job B", leaves - point.common, true);
    const double jobs = static_cast<double>(spec.workload->jobs.size());
    const double hops = jobs * collectiveHops(config, collective, iterations, spec);
    design.add({valueText(point.share), tenantsName(point.tenants)}, std::move(spec), hops,
               collectiveHopCost(config, collective));
  }
  design.carry(points);
  return design;
}

void MultiTenantProcedure::report(const TestConfig& /*config*/, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<TenantPoint>>();
  const auto completion = [](const bench::TrialResult& trial, std::size_t job) {
    return trial.fabric->jobs.at(job).completion.toMicroseconds();
  };
  const auto completions = [&](const Measured& measured_point, std::size_t job) {
    std::vector<double> times;
    times.reserve(measured_point.trials.size());
    for (const bench::TrialResult& trial : measured_point.trials) {
      times.push_back(completion(trial, job));
    }
    return times;
  };
  // JCT alone by common leaves, of A and B, by repetition.
  std::map<std::uint32_t, std::array<std::vector<double>, 2>> alone;
  for (const Measured& one : measured) {
    const TenantPoint& point = points[placeOf(design, one)];
    if (point.tenants == Tenants::kBoth) continue;
    alone[point.common][point.tenants == Tenants::kSecond ? 1 : 0] = completions(one, 0);
  }
  const auto jct = [&](std::size_t job, std::string column, std::string kpi) {
    return Figure{.column = std::move(column),
                  .unit = "us",
                  .kpi = std::move(kpi),
                  .of = [&completion, job](std::size_t, const bench::TrialResult& trial) {
                    return completion(trial, job);
                  }};
  };
  const auto rowsOf = [&](Tenants tenants) {
    std::vector<Measured> rows;
    for (const Measured& one : measured) {
      if (points[placeOf(design, one)].tenants == tenants) rows.push_back(one);
    }
    return rows;
  };
  std::vector<Figure> fabric = fabricFigures();
  fabric.push_back(figure("Timeouts", "", "timeouts", timeouts));
  const auto withFabric = [&](std::vector<Figure> figures) {
    figures.insert(figures.end(), fabric.begin(), fabric.end());
    return figures;
  };
  addTable(design, rowsOf(Tenants::kFirst), withFabric({jct(0, "JCT", "")}),
           {"alone_a", "Job A alone", "", {}, {}}, builder);
  addTable(design, rowsOf(Tenants::kSecond), withFabric({jct(0, "JCT", "")}),
           {"alone_b", "Job B alone", "", {}, {}}, builder);
  const std::vector<Measured> together = rowsOf(Tenants::kBoth);
  addTable(design, together, withFabric({jct(0, "JCT of A", ""), jct(1, "JCT of B", "")}),
           {"both", "Both jobs at once", "", {}, {}}, builder);

  results::Table table{
      "interference",
      "Interference",
      "Interference factor: JCT beside the other job over the JCT alone on the same hosts and with "
      "the same seeds, sum of the repetitions over sum of the repetitions. Common leaves are a "
      "share of the leaves of a job; there, and on the spines behind, the jobs share links.",
      {"Common leaves", "Interference of A", "Interference of B"},
      {}};
  results::Series series{"job A", {}, {}, false};
  for (const Measured& one : together) {
    const TenantPoint& point = points[placeOf(design, one)];
    const auto base = alone.find(point.common);
    std::vector<results::Cell> row{valueText(point.share)};
    for (std::size_t job = 0; job < 2; ++job) {
      if (base == alone.end() || base->second[job].empty()) {
        row.emplace_back(std::string("not observed"));
        continue;
      }
      const std::vector<double> beside = completions(one, job);
      const results::Quantity factor =
          ratioOf(beside, base->second[job], ObservationPoint::kModelled);
      const std::string name = job == 0 ? "A" : "B";
      builder.repeated(one.point.label, "Interference of " + name,
                       stats::pairedRatio(beside, base->second[job]).ratios, "");
      builder.kpi(job == 0 ? "interference_a" : "interference_b", one.point.label, factor);
      builder.primary(fmt::format("interference of {}, {}", name, one.point.label), factor);
      row.emplace_back(factor);
      if (job > 0) continue;
      series.x.push_back(point.share.toDouble() * 100);
      series.y.push_back(factor.value);
      builder.result().summary = fmt::format("{}: job A takes {} times as long as alone.",
                                             one.point.label, builder.text(factor));
    }
    table.rows.push_back(std::move(row));
  }
  builder.result().tables.insert(builder.result().tables.begin(), std::move(table));
  results::Chart chart;
  chart.id = "interference";
  chart.title = "Interference factor over common leaves";
  chart.kind = results::ChartKind::kBar;
  chart.x_label = "Common leaves [%]";
  chart.y_label = "Interference factor of job A";
  chart.series.push_back(std::move(series));
  builder.result().charts.push_back(std::move(chart));
}

}  // namespace

const Procedure& multiTenantProcedure() {
  static const MultiTenantProcedure test;
  return test;
}

}  // namespace plumbline::suite
