// I7.1 AlltoAll dispatch throughput (inference draft, section 7.1).
//
// Swept: the models of the draft's table 7, size of the group, tokens of a rank. Every dispatch
// routes its tokens anew; all ranks begin it together. Measured: time of a dispatch, over all ranks
// and for each rank; three bandwidths (expert_metrics.h); time that ranks wait for the slowest.
// Computed: T_dispatch of the draft in its three readings; latency including the model inputs.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/counted.h"
#include "suite/framework/expert_metrics.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/inference/experts.h"
#include "suite/inference/inference.h"

namespace plumbline::suite {
namespace {

class ExpertDispatchProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I7.1"; }
  [[nodiscard]] std::string title() const override { return "MoE dispatch throughput"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(dispatchKpis(), {"busiest_rank_ratio"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ExpertPoint> points(const TestConfig& config, Numbers& numbers);
  static void addPayload(const Design& design, const std::vector<ExpertPoint>& points,
                         const std::vector<Measured>& measured, ResultBuilder& builder);
  static void addHeatMaps(const Design& design, const std::vector<ExpertPoint>& points,
                          const std::vector<Measured>& measured, ResultBuilder& builder);
};

std::vector<ExpertPoint> ExpertDispatchProcedure::points(const TestConfig& config,
                                                         Numbers& numbers) {
  const scenario::Parameters& own = config.scenario.parameters;
  const std::vector<ExpertModel> models =
      expertModels(config, numbers, {"M1", "M2", "M3", "M4"}, {"M4"});
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const auto groups =
      numbers.sweep<std::uint32_t>("EP group sizes", {8, 16, 32, 48, 64, 96}, {16, 32}, own.ranks,
                                   [hosts](std::uint32_t n) { return n <= hosts; });
  const auto batches = numbers.sweep<std::uint32_t>("Batch sizes", {1, 8, 16, 128, 256, 512},
                                                    {8, 128}, own.experts.batches);
  std::vector<ExpertPoint> points;
  std::vector<std::string> impossible;
  for (const ExpertModel& model : models) {
    for (const std::uint32_t ranks : groups) {
      if (ranks > model.slots()) {
        impossible.push_back(fmt::format("{} with {}", model.name, counted(ranks, "rank")));
        continue;
      }
      for (const std::uint32_t batch : batches) points.push_back({model, ranks, batch});
    }
  }
  if (!impossible.empty()) {
    numbers.deviation("more ranks than experts, so that some would have none: " +
                      listText(impossible));
  }
  return points;
}

Design ExpertDispatchProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Model", ""}, {"EP group", "ranks"}, {"Batch", "tokens"}};
  design.hop_cost = kExpertHopCost;
  configureExperts(config, design.numbers);
  design.numbers.configure("Routing", "top-k, uniform over the experts, drawn for every dispatch");
  design.numbers.configure("Mode", "low-latency: a message for each token and expert");
  design.numbers.configure("algo_factor", "(N - 1)/N, as of AlltoAll; bus bandwidth is not used");
  const std::vector<ExpertPoint> points = ExpertDispatchProcedure::points(config, design.numbers);
  if (points.empty()) {
    design.refusals.emplace_back("no model has an expert for each rank of a group that fits");
    return design;
  }
  const std::uint32_t dispatches = design.numbers.atLeast<std::uint32_t>(
      "Dispatches of a trial", 20, 3, config.scenario.parameters.iterations);
  design.repetitions = design.numbers.repetitions(3, 1);
  for (const ExpertPoint& point : points) {
    bench::TrialSpec spec =
        expertTrial(config, dispatchProgram(config, point, dispatches), point.ranks);
    const double hops = expertHops(spec);
    design.add({point.model.name, std::to_string(point.ranks), std::to_string(point.batch)},
               std::move(spec), hops);
  }
  design.carry(points);
  return design;
}

// B k H P.
double dispatchEgress(const ExpertPoint& point) {
  return static_cast<double>(point.batch) * point.model.top_k *
         static_cast<double>(point.model.token_bytes);
}

// B k H P as the bytes of a rank, of a pair of ranks, and of the group; measured bytes beside it.
void ExpertDispatchProcedure::addPayload(const Design& design,
                                         const std::vector<ExpertPoint>& points,
                                         const std::vector<Measured>& measured,
                                         ResultBuilder& builder) {
  const auto computed = [&points](std::string column, double (*of)(const ExpertPoint&)) {
    return Figure{.column = std::move(column),
                  .unit = "B",
                  .kpi = "",
                  .of = [&points, of](std::size_t i, const bench::TrialResult&) {
                    return std::optional<Reading>(of(points[i]));
                  }};
  };
  const auto plain = [&points](std::string column, double (*of)(const ExpertPoint&)) {
    return Figure{.column = std::move(column),
                  .unit = "",
                  .kpi = "",
                  .of = [&points, of](std::size_t i, const bench::TrialResult&) {
                    return std::optional<Reading>(of(points[i]));
                  }};
  };
  const auto bytes = [](std::string column, double workload::MoePhaseResult::*member) {
    return Figure{.column = std::move(column),
                  .unit = "B",
                  .kpi = "",
                  .of = [member](std::size_t, const bench::TrialResult& trial) {
                    const workload::MoeResult& moe = expertsOf(trial);
                    return std::optional<Reading>(moe.dispatch.*member / moe.ranks);
                  }};
  };
  addTable(design, measured,
           {plain("E", [](const ExpertPoint& point) -> double { return point.model.experts; }),
            plain("k", [](const ExpertPoint& point) -> double { return point.model.top_k; }),
            computed("H x P",
                     [](const ExpertPoint& point) {
                       return static_cast<double>(point.model.token_bytes);
                     }),
            computed("B k H P (egress of a rank)", dispatchEgress),
            computed("B k H P / N (of a pair)",
                     [](const ExpertPoint& point) { return dispatchEgress(point) / point.ranks; }),
            computed("B k H P N (of the group)",
                     [](const ExpertPoint& point) { return dispatchEgress(point) * point.ranks; }),
            bytes("Logical, of a rank", &workload::MoePhaseResult::logical_bytes),
            bytes("Across the fabric, of a rank", &workload::MoePhaseResult::fabric_bytes),
            bytes("Inside the server, of a rank", &workload::MoePhaseResult::intra_bytes),
            busiestRankFigure()},
           {"payload",
            "Payload of a dispatch",
            "The draft's text gives B k H P / N for what a GPU sends, its Appendix E for what a "
            "pair of GPUs exchanges. With B tokens of each GPU the appendix is right. The printed "
            "column of the draft's table 7 is not divided by N. Below: computed values, then those "
            "of the drawn routing, mean over dispatches.",
            {},
            {}},
           builder);
}

// EP group by batch, a map for each model.
void ExpertDispatchProcedure::addHeatMaps(const Design& design,
                                          const std::vector<ExpertPoint>& points,
                                          const std::vector<Measured>& measured,
                                          ResultBuilder& builder) {
  const Figure bandwidth = dispatchBandwidthFigures()[1];
  const auto placeIn = [](std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  };
  for (const Measured& first : measured) {
    const std::string& model = points[placeOf(design, first)].model.name;
    const std::string id = "bandwidth_" + model;
    auto& maps = builder.result().heat_maps;
    if (std::any_of(maps.begin(), maps.end(), [&](const auto& map) { return map.id == id; })) {
      continue;
    }
    results::HeatMap map;
    map.id = id;
    map.title = model + ": bandwidth across the fabric";
    map.note = "Payload that a rank sends to other servers over the time of the dispatch.";
    map.row_label = "EP group [ranks]";
    map.column_label = "Batch [tokens of a rank]";
    map.value_label = "across the fabric [GB/s]";
    for (const Measured& one : measured) {
      const std::size_t at = placeOf(design, one);
      if (points[at].model.name != model) continue;
      const std::size_t row = placeIn(map.rows, std::to_string(points[at].ranks));
      const std::size_t column = placeIn(map.columns, std::to_string(points[at].batch));
      map.values.resize(map.rows.size());
      for (auto& values : map.values) values.resize(map.columns.size());
      const auto mean = meanOf(design, one, bandwidth);
      if (mean) map.values[row][column] = mean->value;
    }
    maps.push_back(std::move(map));
  }
}

void ExpertDispatchProcedure::report(const TestConfig& config, const Design& design,
                                     const std::vector<Measured>& measured,
                                     ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<ExpertPoint>>();
  addTable(design, measured, dispatchTimeFigures(config),
           {"latency",
            "Latency of a dispatch",
            "Fabric: from the common start until the last rank has its tokens, mean over "
            "dispatches; P50 and P99 over ranks and dispatches. Inside servers: modelled time of "
            "the busiest rank. With overhead: the longer of both plus the model input. A GPU "
            "without other work is idle during the whole dispatch. The last column has the time "
            "that it waits for other ranks after its own tokens have arrived.",
            {},
            {}},
           builder);
  addTable(design, measured, dispatchBandwidthFigures(),
           {"bandwidth",
            "Three bandwidths of a dispatch",
            "GB/s are 10^9 B/s of a rank, over the time on the fabric. Logical: of all selections, "
            "a rank's own included, as expert-parallel libraries print it. Across the fabric: "
            "payload to other servers, once. On the wire: one way, with headers, gaps and "
            "acknowledgements.",
            {},
            {}},
           builder);
  addPayload(design, points, measured, builder);
  addTable(design, measured, expertFabricFigures(),
           {"fabric", "Fabric during dispatches", "", {}, {}}, builder);
  addHeatMaps(design, points, measured, builder);
  results::Chart chart;
  chart.id = "dispatch_over_batch";
  chart.title = "Time of a dispatch over the batch";
  chart.x_label = "Batch [tokens of a rank]";
  chart.y_label = "Dispatch [us]";
  chart.log_x = true;
  chart.log_y = true;
  addChart(design, measured, dispatchFigure(),
           {[&](std::size_t i) { return static_cast<double>(points[i].batch); },
            [&](std::size_t i) {
              return fmt::format("{}, EP {}", points[i].model.name, points[i].ranks);
            }},
           chart, builder);
  noteLateLayers(measured, builder);
  if (measured.empty()) return;
  const Measured& last = measured.back();
  const auto time = meanOf(design, last, dispatchFigure());
  if (!time) return;
  builder.primary("Dispatch, " + last.point.label, *time);
  builder.result().summary =
      fmt::format("{}: {} on the fabric.", last.point.label, builder.text(*time));
}

}  // namespace

const Procedure& expertDispatchProcedure() {
  static const ExpertDispatchProcedure test;
  return test;
}

}  // namespace plumbline::suite
