// I7.2 Routing and dispatch modes (inference draft, section 7.2).
//
// Swept: selection of experts by tokens (the draft's table 8, and two skews), normal and
// low-latency dispatch, tokens of a rank. Measured: dispatch, combine and round trip; three
// bandwidths; distribution of the traffic over pairs and ranks; selections dropped; ECN and PFC. A
// table for each routing, as the draft requires.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "suite/framework/expert_metrics.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/inference/experts.h"
#include "suite/inference/inference.h"

namespace plumbline::suite {
namespace {

using workload::MoeMode;
using workload::MoeRouting;

struct ExpertRoutingPoint {
  ExpertPoint point;
  std::string routing;  // a word of kExpertRoutingWords
  MoeMode mode = MoeMode::kLowLatency;
};

std::string moeModeName(MoeMode mode) {
  return mode == MoeMode::kNormal ? "normal" : "low-latency";
}

// Capacity of an expert in the draft's mode with token drop, relative to the mean.
constexpr Fraction kMoeDropCapacity = Fraction::percent(125);

void applyMoeRouting(const std::string& word, workload::MoeProgram& program) {
  if (word == "expert-choice") program.routing = MoeRouting::kExpertChoice;
  if (word == "aux-loss") program.routing = MoeRouting::kAuxLoss;
  if (word == "zipf") program.routing = MoeRouting::kZipf;
  if (word == "lognormal") program.routing = MoeRouting::kLognormal;
  if (word == "token-drop") {
    // A skew without balancing, so that selections are dropped.
    program.routing = MoeRouting::kZipf;
    program.zipf_exponent = 0.5;
    program.capacity = kMoeDropCapacity;
  }
}

class ExpertRoutingProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I7.2"; }
  [[nodiscard]] std::string title() const override { return "MoE routing and dispatch modes"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(dispatchKpis(), {"combine_us", "expert_round_trip_us", "expert_pair_cv",
                                 "busiest_rank_ratio", "dropped_selections_percent"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ExpertRoutingPoint> points(const TestConfig& config, Numbers& numbers);
};

std::vector<ExpertRoutingPoint> ExpertRoutingProcedure::points(const TestConfig& config,
                                                               Numbers& numbers) {
  const scenario::Parameters& own = config.scenario.parameters;
  const std::vector<ExpertModel> models = expertModels(config, numbers, {"M4"}, {"M4"});
  const auto groups = numbers.sweep<std::uint32_t>("EP group sizes", {32}, {32}, own.ranks);
  const auto batches =
      numbers.sweep<std::uint32_t>("Batch sizes", {8, 128}, {32}, own.experts.batches);
  const std::vector<std::string> draft{"top-k", "expert-choice", "token-drop", "aux-loss"};
  const auto routings = numbers.sweep<std::string>("Routing", draft, draft, own.experts.routings);
  std::vector<ExpertRoutingPoint> points;
  for (const std::string& routing : routings) {
    for (const ExpertModel& model : models) {
      for (const std::uint32_t ranks : groups) {
        for (const std::uint32_t batch : batches) {
          for (const MoeMode mode : {MoeMode::kLowLatency, MoeMode::kNormal}) {
            points.push_back({{model, ranks, batch}, routing, mode});
          }
        }
      }
    }
  }
  return points;
}

Design ExpertRoutingProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {
      {"Routing", ""}, {"Mode", ""}, {"Model", ""}, {"EP group", "ranks"}, {"Batch", "tokens"}};
  design.hop_cost = kExpertHopCost;
  configureExperts(config, design.numbers);
  design.numbers.configure("Combine",
                           "a result has as many bytes as a token; combine starts at once");
  design.numbers.configure("Token drop",
                           "Zipf weights with exponent 0.5, capacity 1.25 times the mean");
  design.numbers.configure("Auxiliary loss", "uniform, CV of the experts' loads at most 5 %");
  const std::vector<ExpertRoutingPoint> points =
      ExpertRoutingProcedure::points(config, design.numbers);
  const std::uint32_t dispatches = design.numbers.atLeast<std::uint32_t>(
      "Dispatches of a trial", 20, 2, config.scenario.parameters.iterations);
  design.repetitions = design.numbers.repetitions(3, 1);
  for (const ExpertRoutingPoint& one : points) {
    if (one.point.ranks > config.scenario.topology.hostCount()) continue;
    if (one.point.ranks > one.point.model.slots() ||
        (one.mode == MoeMode::kNormal &&
         one.point.ranks % config.scenario.parameters.experts.ranks_per_server != 0)) {
      design.refusals.push_back(
          fmt::format("{}: at most one for each expert, and whole servers in normal mode",
                      counted(one.point.ranks, "rank")));
      return design;
    }
    workload::MoeProgram program = dispatchProgram(config, one.point, dispatches);
    program.mode = one.mode;
    program.combine_bytes = program.dispatch_bytes;
    applyMoeRouting(one.routing, program);
    bench::TrialSpec spec = expertTrial(config, std::move(program), one.point.ranks);
    const double hops = expertHops(spec);
    design.add({one.routing, moeModeName(one.mode), one.point.model.name,
                std::to_string(one.point.ranks), std::to_string(one.point.batch)},
               std::move(spec), hops);
  }
  return design;
}

void ExpertRoutingProcedure::report(const TestConfig& config, const Design& design,
                                    const std::vector<Measured>& measured,
                                    ResultBuilder& builder) const {
  const auto routingOf = [&design](const Measured& one) {
    return design.points[placeOf(design, one)].values[0];
  };
  std::vector<Figure> figures = dispatchTimeFigures(config);
  figures.push_back(expertFigure("Combine", "us", "combine_us", [](const workload::MoeResult& moe) {
    return meanMicroseconds(moe.combine.durations);
  }));
  figures.push_back(
      expertFigure("Round trip", "us", "expert_round_trip_us", roundTripMicroseconds));
  for (Figure& one : dispatchBandwidthFigures()) figures.push_back(std::move(one));
  figures.push_back(expertFigure("Size CV of pairs", "", "expert_pair_cv",
                                 [](const workload::MoeResult& moe) { return moe.pair_cv; }));
  figures.push_back(busiestRankFigure());
  figures.push_back(expertFigure(
      "Dropped", "%", "dropped_selections_percent",
      [](const workload::MoeResult& moe) { return std::optional(droppedPercent(moe)); }));
  for (Figure& one : expertFabricFigures()) figures.push_back(std::move(one));
  std::vector<std::string> seen;
  for (const Measured& first : measured) {
    const std::string routing = routingOf(first);
    if (std::find(seen.begin(), seen.end(), routing) != seen.end()) continue;
    seen.push_back(routing);
    std::vector<Measured> rows;
    for (const Measured& one : measured) {
      if (routingOf(one) == routing) rows.push_back(one);
    }
    addTable(design, rows, figures,
             {"routing_" + routing,
              "Routing " + routing,
              "Times are of the fabric, mean over dispatches. GB/s of a rank over the dispatch: "
              "logical of all selections, across the fabric of what goes to another server, once; "
              "on the wire over dispatch and combine. Size CV: of the payload between two ranks "
              "that may send to each other; busiest rank: of the selections that ranks get.",
              {},
              {}},
             builder);
  }
  results::Chart chart;
  chart.id = "dispatch_by_routing";
  chart.title = "Dispatch by routing";
  chart.kind = results::ChartKind::kBar;
  chart.x_label = "Routing";
  chart.y_label = "Dispatch [us]";
  addBars(design, measured, dispatchFigure(),
          {[&](std::size_t i) { return design.points[i].values[0]; },
           [&](std::size_t i) {
             const std::vector<std::string>& values = design.points[i].values;
             return fmt::format("{}, {} tokens", values[1], values[4]);
           }},
          chart, builder);
  noteLateLayers(measured, builder);
  if (measured.empty()) return;
  const auto time = meanOf(design, measured.back(), dispatchFigure());
  if (!time) return;
  builder.primary("Dispatch, " + measured.back().point.label, *time);
  builder.result().summary =
      fmt::format("{}: {} on the fabric.", measured.back().point.label, builder.text(*time));
}

}  // namespace

const Procedure& expertRoutingProcedure() {
  static const ExpertRoutingProcedure test;
  return test;
}

}  // namespace plumbline::suite
