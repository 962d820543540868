// I7.3 Wide expert parallelism (inference draft, section 7.3).
//
// Swept: size of the group, from one server on, with a fixed number of tokens of each rank.
// Measured: time of a dispatch on the fabric; computed: inside servers, at a rate that is a model
// input, and with the overhead. Efficiency in three readings, because the draft's own grows with N
// by construction when every rank has the same tokens:
//   draft   (latency of the base / latency) x (N / N of the base)
//   weak    latency of the base / latency: tokens of a rank fixed, as in this test
//   strong  (latency of the base / latency) x (N of the base / N)
// The base is the smallest group, which never uses the fabric if it is one server, and the first
// group that does.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suite/framework/expert_metrics.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/inference/experts.h"
#include "suite/inference/inference.h"

namespace plumbline::suite {
namespace {

// Of the smallest group, and of the first on the fabric.
struct EfficiencyBase {
  std::uint32_t ranks = 0;
  double latency = 0;  // us
};

class WideExpertsProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I7.3"; }
  [[nodiscard]] std::string title() const override { return "Wide expert parallelism"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(dispatchKpis(),
                {"efficiency_draft", "efficiency_weak", "efficiency_strong", "busiest_rank_ratio"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ExpertPoint> points(const TestConfig& config, Numbers& numbers);
  static void addEfficiency(const TestConfig& config, const Design& design,
                            const std::vector<ExpertPoint>& points,
                            const std::vector<Measured>& measured, ResultBuilder& builder);
};

std::vector<ExpertPoint> WideExpertsProcedure::points(const TestConfig& config, Numbers& numbers) {
  const scenario::Parameters& own = config.scenario.parameters;
  const std::vector<ExpertModel> models = expertModels(config, numbers, {"M4"}, {"M4"});
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const auto groups =
      numbers.sweep<std::uint32_t>("EP group sizes", {8, 16, 32, 48, 64, 96}, {8, 16, 32},
                                   own.ranks, [hosts](std::uint32_t n) { return n <= hosts; });
  const auto batches =
      numbers.sweep<std::uint32_t>("Batch sizes", {128}, {128}, own.experts.batches);
  std::vector<ExpertPoint> points;
  for (const ExpertModel& model : models) {
    for (const std::uint32_t batch : batches) {
      for (const std::uint32_t ranks : groups) {
        if (ranks <= model.slots()) points.push_back({model, ranks, batch});
      }
    }
  }
  return points;
}

Design WideExpertsProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Model", ""}, {"Batch", "tokens"}, {"EP group", "ranks"}};
  design.hop_cost = kExpertHopCost;
  configureExperts(config, design.numbers);
  design.numbers.configure("Routing", "top-k, uniform over the experts, drawn for every dispatch");
  design.numbers.configure("Mode", "low-latency: a message for each token and expert");
  const std::vector<ExpertPoint> points = WideExpertsProcedure::points(config, design.numbers);
  const std::uint32_t dispatches = design.numbers.atLeast<std::uint32_t>(
      "Dispatches of a trial", 20, 2, config.scenario.parameters.iterations);
  design.repetitions = design.numbers.repetitions(3, 1);
  for (const ExpertPoint& point : points) {
    bench::TrialSpec spec =
        expertTrial(config, dispatchProgram(config, point, dispatches), point.ranks);
    const double hops = expertHops(spec);
    design.add({point.model.name, std::to_string(point.batch), std::to_string(point.ranks)},
               std::move(spec), hops);
  }
  return design;
}

void WideExpertsProcedure::addEfficiency(const TestConfig& config, const Design& design,
                                         const std::vector<ExpertPoint>& points,
                                         const std::vector<Measured>& measured,
                                         ResultBuilder& builder) {
  const std::uint32_t server = config.scenario.parameters.experts.ranks_per_server;
  // By model and batch: values of the smallest group, and of the smallest group of several servers.
  using Key = std::pair<std::string, std::uint32_t>;
  std::map<Key, EfficiencyBase> smallest;
  std::map<Key, EfficiencyBase> first_on_fabric;
  const auto keyOf = [](const ExpertPoint& point) { return Key{point.model.name, point.batch}; };
  for (const Measured& one : measured) {
    const ExpertPoint& point = points[placeOf(design, one)];
    double latency = 0;
    for (const bench::TrialResult& trial : one.trials) latency += expertLatency(config, trial);
    latency /= static_cast<double>(one.trials.size());
    const auto keep = [&](EfficiencyBase& base) {
      if (base.ranks == 0 || point.ranks < base.ranks) base = {point.ranks, latency};
    };
    keep(smallest[keyOf(point)]);
    if (point.ranks > server) keep(first_on_fabric[keyOf(point)]);
  }
  // Latency of the base / latency x (N / N of the base)^power.
  const auto efficiency = [&](std::string column, std::string kpi,
                              const std::map<Key, EfficiencyBase>& bases, int power) {
    return Figure{
        .column = std::move(column),
        .unit = "",
        .kpi = std::move(kpi),
        .of = [&config, &points, bases, power, keyOf](
                  std::size_t i, const bench::TrialResult& trial) -> std::optional<Reading> {
          const auto base = bases.find(keyOf(points[i]));
          if (base == bases.end() || points[i].ranks < base->second.ranks) return std::nullopt;
          const double ratio = static_cast<double>(points[i].ranks) / base->second.ranks;
          return base->second.latency / expertLatency(config, trial) * std::pow(ratio, power);
        },
        .absent = "-",
        .baseline =
            [&points, bases, keyOf](std::size_t i) {
              const auto base = bases.find(keyOf(points[i]));
              return base != bases.end() && points[i].ranks == base->second.ranks;
            }};
  };
  addTable(design, measured,
           {efficiency("Draft, of the smallest", "efficiency_draft", smallest, 1),
            efficiency("Weak, of the smallest", "efficiency_weak", smallest, 0),
            efficiency("Strong, of the smallest", "efficiency_strong", smallest, -1),
            efficiency("Draft, of the first on the fabric", "", first_on_fabric, 1),
            efficiency("Weak, of the first on the fabric", "", first_on_fabric, 0),
            efficiency("Strong, of the first on the fabric", "", first_on_fabric, -1)},
           {"efficiency",
            "Scaling efficiency",
            "Efficiency of the latency with overhead. Draft: (latency of the base / latency) x (N "
            "/ N of the base); it grows with N if every rank has the same number of tokens. Weak: "
            "without the factor of N. Strong: with the inverse factor, for a fixed number of "
            "tokens of the group. A group of one server sends nothing over the fabric, so the "
            "smallest group that does is a second base.",
            {},
            {}},
           builder);
}

void WideExpertsProcedure::report(const TestConfig& config, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<ExpertPoint> points = WideExpertsProcedure::points(config, unused);
  const std::uint32_t server = config.scenario.parameters.experts.ranks_per_server;
  std::vector<Figure> times = dispatchTimeFigures(config);
  times.push_back({.column = "Fabric, share of the latency",
                   .unit = "%",
                   .kpi = "",
                   .of = [&config](std::size_t, const bench::TrialResult& trial) {
                     const auto fabric =
                         meanMicroseconds(expertsOf(trial).dispatch.durations).value_or(0);
                     return std::optional<Reading>(100 * fabric / expertLatency(config, trial));
                   }});
  times.push_back({.column = "Inside servers, share of the latency",
                   .unit = "%",
                   .kpi = "",
                   .of = [&config](std::size_t, const bench::TrialResult& trial) {
                     return std::optional<Reading>(
                         100 * expertsOf(trial).dispatch.intra.toMicroseconds() /
                         expertLatency(config, trial));
                   }});
  addTable(design, measured, times,
           {"latency",
            "Latency of a dispatch",
            "Dispatch, P50, P99: on the fabric; a group of one server has none there. Inside "
            "servers: modelled, in parallel, so that the "
            "longer of both counts. The overhead is a model input and is added; it is the rest up "
            "to 100 %.",
            {},
            {}},
           builder);
  std::vector<Figure> bandwidths = dispatchBandwidthFigures();
  bandwidths.push_back({.column = "Remote share",
                        .unit = "%",
                        .kpi = "",
                        .of = [](std::size_t, const bench::TrialResult& trial) {
                          const workload::MoePhaseResult& dispatch = expertsOf(trial).dispatch;
                          return std::optional<Reading>(100 * dispatch.fabric_bytes /
                                                        dispatch.logical_bytes);
                        }});
  // Of N ranks, g in each server and r in the last.
  bandwidths.push_back({.column = "Expected",
                        .unit = "%",
                        .kpi = "",
                        .of = [&points, server](std::size_t i, const bench::TrialResult&) {
                          const double n = points[i].ranks;
                          const double rest = std::fmod(n, server);
                          const double inside = (n - rest) * server + rest * rest;
                          return std::optional<Reading>(100 * (1 - inside / (n * n)));
                        }});
  bandwidths.push_back(busiestRankFigure());
  addTable(design, measured, bandwidths,
           {"bandwidth",
            "Three bandwidths of a dispatch",
            "GB/s are 10^9 B/s of a rank, over the time on the fabric; a group of one server has "
            "none. Remote share: bytes across the fabric over all logical bytes. Expected: that of "
            "uniform routing, 1 less the sum of (ranks of a server / all ranks) squared; with N "
            "ranks in full servers of g, (N - g)/N. If N does "
            "not divide E, the ranks with one expert more are the busiest.",
            {},
            {}},
           builder);
  addTable(design, measured, expertFabricFigures(),
           {"fabric", "Fabric during dispatches", "", {}, {}}, builder);
  addEfficiency(config, design, points, measured, builder);
  results::Chart chart;
  chart.id = "latency_over_ranks";
  chart.title = "Latency of a dispatch over the size of the group";
  chart.x_label = "EP group [ranks]";
  chart.y_label = "us";
  const auto addSeries = [&](const std::string& name, const Figure& figure) {
    results::Series series{name, {}, {}, false};
    for (const Measured& one : measured) {
      const std::size_t at = placeOf(design, one);
      if (points[at].model.name != points.front().model.name ||
          points[at].batch != points.front().batch) {
        continue;
      }
      const auto mean = meanOf(design, one, figure);
      if (!mean) continue;
      series.x.push_back(points[at].ranks);
      series.y.push_back(mean->value);
    }
    chart.series.push_back(std::move(series));
  };
  addSeries("on the fabric", times[0]);
  addSeries("inside servers (modelled)", times[5]);
  addSeries("with overhead (partly modelled)", times[6]);
  builder.result().charts.push_back(std::move(chart));
  noteLateLayers(measured, builder);
  if (measured.empty()) return;
  const auto time = meanOf(design, measured.back(), times[6]);
  if (!time) return;
  builder.primary("Latency with overhead, " + measured.back().point.label, *time);
  builder.result().summary =
      fmt::format("{}: {} with overhead.", measured.back().point.label, builder.text(*time));
}

}  // namespace

const Procedure& wideExpertsProcedure() {
  static const WideExpertsProcedure test;
  return test;
}

}  // namespace plumbline::suite
