// I12.1 Fabric scale limits for inference clusters (inference draft, section 12.1).
//
// Swept: servers of a cluster on one fabric, by powers of two, half of them prefill. Measured at
// each scale: KV cache between pairs of servers, dispatches of groups of experts, and a serving
// system under 80 % of its pools' capacity. Small scales packet by packet, all scales except for
// experts at flow level (docs/model/flow-level.md). Where both exist, the difference is the error
// of the flow level. Percentiles of KV transfers exist at packet level only. Every figure is
// compared with the smallest scale of its level: the limit is the first scale that is more than 10
// % worse including its confidence interval.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "suite/framework/expert_metrics.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/inference/experts.h"
#include "suite/inference/inference.h"
#include "suite/inference/requests.h"
#include "suite/inference/scale_trials.h"
#include "suite/inference/serving_trial.h"
#include "suite/inference/steady_load.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

constexpr double kWorse = 0.10;  // draft
constexpr const char* kNoFlowTimes = "not at flow level, which has no queues";

// A figure that is compared with the smallest scale.
struct Tracked {
  Figure figure;
  ScaleMeasure measure = ScaleMeasure::kPairs;
  bool more_is_better = false;
  bool flows = true;  // also exists at flow level
};

double gigabytesPerSecond(const bench::TrialResult& trial) {
  const auto rate = [](std::uint64_t bytes, Picoseconds time) {
    return time > Picoseconds() ? static_cast<double>(bytes) / time.toSeconds() * 1e-9
                                : kNotMeasured;
  };
  if (trial.flow_level) {
    const bench::FlowJob& job = trial.flow_level->jobs.front();
    return rate(job.bytes_arrived, job.active);
  }
  const bench::JobOutcome& job = trial.fabric->jobs.front();
  return rate(job.bytes_arrived, job.active);
}

double busiestAtLevel(const bench::TrialResult& trial) {
  if (!trial.flow_level) return busiestLinkPercent(trial);
  double max = kNotMeasured;
  for (const bench::FlowLink& link : trial.flow_level->links) {
    if (link.between_switches) max = std::fmax(max, 100 * link.utilisation);
  }
  return max;
}

Figure scaleFigure(std::string column, std::string unit, std::string kpi,
                   double (*of)(const bench::TrialResult&)) {
  return {.column = std::move(column),
          .unit = std::move(unit),
          .kpi = std::move(kpi),
          .of = [of](std::size_t, const bench::TrialResult& trial) {
            return std::optional<Reading>(of(trial));
          }};
}

// Mean over the groups, and a percentile over the ranks of all of them [us].
double dispatchMean(const bench::TrialResult& trial) {
  double sum = 0;
  for (std::size_t job = 0; job < trial.fabric->jobs.size(); ++job) {
    sum += meanMicroseconds(expertsOf(trial, job).dispatch.durations).value_or(kNotMeasured);
  }
  return sum / static_cast<double>(trial.fabric->jobs.size());
}

std::optional<Reading> dispatchP99(std::size_t /*point*/, const bench::TrialResult& trial) {
  stats::Histogram all;
  for (std::size_t job = 0; job < trial.fabric->jobs.size(); ++job) {
    all.merge(expertsOf(trial, job).dispatch.rank_time);
  }
  if (all.count() == 0) return std::nullopt;
  return quantileMicroseconds(all, 0.99);
}

class ScaleLimitProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I12.1"; }
  [[nodiscard]] std::string title() const override { return "Fabric scale limits"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"kv_gigabytes_per_s",
            "kv_transfer_p50_us",
            "kv_transfer_p99_us",
            "busiest_link_percent",
            "dispatch_us",
            "dispatch_p99_us",
            "ttft_mean_ms",
            "ttft_p99_ms",
            "output_tokens_per_s",
            "requests_not_done",
            "request_transfer_p50_ms",
            "request_transfer_p99_ms",
            "flow_level_error_percent",
            "scale_limit_nodes"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 12.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design ScaleLimitProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureModel(config, design);
  design.axes = {{"Nodes", "nodes"}, {"Measured", ""}, {"Level", ""}};
  design.repetitions = design.numbers.repetitions(3, 3);
  const std::vector<ScaleCell> cells = scaleCells(config, design.numbers);
  addScalePoints(config, cells, design);
  return design;
}

// The measured points of one kind, with their descriptions.
class Scales {
 public:
  Scales(const Design& design, std::vector<ScaleCell> cells, const std::vector<Measured>& measured)
      : design_(design), cells_(std::move(cells)), measured_(measured) {}

  [[nodiscard]] const ScaleCell& cellOf(const Measured& one) const {
    return cells_[placeOf(design_, one)];
  }
  [[nodiscard]] std::span<const Measured> of(ScaleMeasure measure, bool flows) const {
    return those(
        [=](const ScaleCell& cell) { return cell.measure == measure && cell.flows == flows; });
  }
  // Packets first.
  [[nodiscard]] std::span<const Measured> of(ScaleMeasure measure) const {
    return those([=](const ScaleCell& cell) { return cell.measure == measure; });
  }
  [[nodiscard]] const ScaleCell& cell(std::size_t point) const { return cells_[point]; }
  [[nodiscard]] const Design& design() const { return design_; }

 private:
  // Cells that are alike follow each other.
  template <typename Is>
  [[nodiscard]] std::span<const Measured> those(const Is& is) const {
    const auto wanted = [&](const Measured& one) { return is(cellOf(one)); };
    const auto first = std::find_if(measured_.begin(), measured_.end(), wanted);
    const auto last = std::find_if_not(first, measured_.end(), wanted);
    return {first, last};
  }

  const Design& design_;
  std::vector<ScaleCell> cells_;
  const std::vector<Measured>& measured_;
};

// A table at packet level, with rows of the flow level that state why they have no figures.
void addTransferTimes(const Scales& scales, ScaleMeasure measure,
                      const std::vector<Figure>& figures, results::Table heading,
                      ResultBuilder& builder) {
  addTable(scales.design(), scales.of(measure, false), figures, std::move(heading), builder);
  results::Table& table = builder.result().tables.back();
  for (const Measured& one : scales.of(measure, true)) {
    std::vector<results::Cell> row(one.point.values.begin(), one.point.values.end());
    for (std::size_t i = 0; i < figures.size(); ++i) row.emplace_back(std::string(kNoFlowTimes));
    table.rows.push_back(std::move(row));
  }
}

// Value over base, with an interval where both have one.
results::Quantity againstSmallest(const results::Quantity& value, const results::Quantity& base) {
  results::Quantity ratio = modelled(100 * value.value / base.value, "%");
  const auto half_width = [](const results::Quantity& one) -> std::optional<double> {
    if (!one.confidence_low || !one.confidence_high) {
      // Identical repetitions have no scatter; with one repetition it is unknown.
      return one.repetitions > 1 ? std::optional(0.0) : std::nullopt;
    }
    return (*one.confidence_high - *one.confidence_low) / 2;
  };
  const auto of_value = half_width(value);
  const auto of_base = half_width(base);
  if (!of_value || !of_base) return ratio;
  const double half =
      100 / std::abs(base.value) * std::hypot(*of_value, value.value / base.value * *of_base);
  ratio.confidence_low = ratio.value - half;
  ratio.confidence_high = ratio.value + half;
  return ratio;
}

// With all of its interval within 10 % of the smallest scale or better, worse, across the limit, or
// without an interval.
enum class ScaleVerdict { kWithin, kWorse, kOpen, kUnknown };

ScaleVerdict scaleVerdict(const results::Quantity& ratio, bool more_is_better) {
  if (!ratio.confidence_low) return ScaleVerdict::kUnknown;
  // As a change for the worse.
  const double best = more_is_better ? 100 - *ratio.confidence_high : *ratio.confidence_low - 100;
  const double worst = more_is_better ? 100 - *ratio.confidence_low : *ratio.confidence_high - 100;
  if (best > 100 * kWorse) return ScaleVerdict::kWorse;
  return worst > 100 * kWorse ? ScaleVerdict::kOpen : ScaleVerdict::kWithin;
}

std::string limitText(const std::optional<std::uint32_t>& limit,
                      const std::vector<ScaleVerdict>& verdicts) {
  const auto has = [&](ScaleVerdict one) {
    return std::find(verdicts.begin(), verdicts.end(), one) != verdicts.end();
  };
  if (limit) return fmt::format("{} nodes", *limit);
  if (verdicts.empty()) return "one scale only";
  if (has(ScaleVerdict::kUnknown)) return "not judged: no confidence interval";
  if (has(ScaleVerdict::kOpen)) return "undecided: an interval reaches beyond 10 %";
  return "none up to the largest";
}

// Compares one figure at one level with its smallest scale: a row of the table of limits, a line of
// the chart. Returns the first scale that is worse.
std::optional<std::uint32_t> addLimit(const Scales& scales, const Tracked& tracked, bool flows,
                                      results::Table& table, results::Chart& chart,
                                      ResultBuilder& builder) {
  std::optional<results::Quantity> base;
  std::uint32_t base_nodes = 0;
  std::optional<results::Quantity> last;
  std::uint32_t last_nodes = 0;
  std::optional<std::uint32_t> limit;
  std::vector<ScaleVerdict> verdicts;
  const std::string name = fmt::format("{}, {}", tracked.figure.column, levelText(flows));
  results::Series line{name, {}, {}, false};
  for (const Measured& one : scales.of(tracked.measure, flows)) {
    const auto value = meanOf(scales.design(), one, tracked.figure);
    if (!value) continue;
    const std::uint32_t nodes = scales.cellOf(one).nodes;
    if (!base) {
      base = value;
      base_nodes = nodes;
    }
    if (base->value == 0) {
      table.rows.push_back({tracked.figure.column, levelText(flows), std::to_string(nodes), *base,
                            std::string("-"), std::string("-"),
                            std::string("not judged: 0 at the smallest scale")});
      return std::nullopt;
    }
    const results::Quantity ratio = againstSmallest(*value, *base);
    line.add(nodes, ratio);
    last = ratio;
    last_nodes = nodes;
    if (nodes == base_nodes) continue;
    const ScaleVerdict verdict = scaleVerdict(ratio, tracked.more_is_better);
    verdicts.push_back(verdict);
    if (verdict == ScaleVerdict::kWorse && !limit) limit = nodes;
  }
  if (!base) return std::nullopt;
  table.rows.push_back({tracked.figure.column, levelText(flows), std::to_string(base_nodes), *base,
                        std::to_string(last_nodes), *last, limitText(limit, verdicts)});
  if (line.x.size() > 1) chart.series.push_back(std::move(line));
  if (limit) builder.kpi("scale_limit_nodes", name, modelled(*limit, ""));
  return limit;
}

// A scale in the table below: a cell for each figure, and the largest of the errors there are.
struct OverlapRow {
  std::vector<results::Cell> cells;
  std::optional<double> largest;
};

// Flow level against packets, where a scale has both.
void addOverlap(const Scales& scales, const std::vector<Tracked>& all, ResultBuilder& builder) {
  std::vector<const Tracked*> both;
  for (const Tracked& one : all) {
    if (one.flows) both.push_back(&one);
  }
  results::Table table{
      "overlap",
      "Error of the flow level where packets were simulated too",
      "Flow level less packets, of packets; means over the same seeds. Larger scales have no such "
      "check: their error is not known, and grows where queues and congestion control matter more.",
      {"Nodes"},
      {}};
  for (const Tracked* one : both) table.columns.push_back(one->figure.column);
  table.columns.emplace_back("Largest");
  std::map<std::uint32_t, OverlapRow> rows;
  for (std::size_t i = 0; i < both.size(); ++i) {
    std::map<std::uint32_t, double> packets;
    for (const Measured& one : scales.of(both[i]->measure, false)) {
      if (const auto value = meanOf(scales.design(), one, both[i]->figure)) {
        packets[scales.cellOf(one).nodes] = value->value;
      }
    }
    for (const Measured& one : scales.of(both[i]->measure, true)) {
      const std::uint32_t nodes = scales.cellOf(one).nodes;
      const auto value = meanOf(scales.design(), one, both[i]->figure);
      const auto simulated = packets.find(nodes);
      if (!value || simulated == packets.end()) continue;
      OverlapRow& row = rows[nodes];
      row.cells.resize(both.size(), std::string("not measured at both levels"));
      if (simulated->second == 0) {
        row.cells[i] = std::string(value->value == 0 ? "0 at both levels" : "0 with packets only");
        continue;
      }
      const double error = 100 * (value->value - simulated->second) / simulated->second;
      row.cells[i] = modelled(error, "%");
      row.largest = std::max(row.largest.value_or(0), std::abs(error));
    }
  }
  for (auto& [nodes, row] : rows) {
    row.cells.insert(row.cells.begin(), std::to_string(nodes));
    if (row.largest) {
      row.cells.emplace_back(builder.kpi("flow_level_error_percent", fmt::format("{} nodes", nodes),
                                         modelled(*row.largest, "%")));
    } else {
      row.cells.emplace_back(std::string("-"));
    }
    table.rows.push_back(std::move(row.cells));
  }
  builder.result().tables.push_back(std::move(table));
}

void ScaleLimitProcedure::report(const TestConfig& config, const Design& design,
                                 const std::vector<Measured>& measured,
                                 ResultBuilder& builder) const {
  if (measured.empty()) return;
  Numbers unused(config);
  const Scales scales(design, scaleCells(config, unused), measured);
  const std::uint32_t nics = servingSection(config).program.system.servers.nics;
  const serving::SloSpec& slo = servingSection(config).slo;

  const Figure pairs = scaleFigure("Aggregate", "GB/s", "kv_gigabytes_per_s", gigabytesPerSecond);
  const Figure pair{.column = "KV throughput of a pair",
                    .unit = "GB/s",
                    .kpi = "",
                    .of = [&scales, nics](std::size_t point, const bench::TrialResult& trial) {
                      const double of = scales.cell(point).nodes / 2.0 * nics;
                      return std::optional<Reading>(gigabytesPerSecond(trial) / of);
                    }};
  const Figure link = scaleFigure("Busiest link", "%", "busiest_link_percent", busiestAtLevel);
  std::vector<Figure> pair_times = kvTransferTimes(0);
  for (Figure& one : pair_times) one.primary = false;
  addTable(design, scales.of(ScaleMeasure::kPairs), {pairs, pair, link},
           {"kv_pairs",
            "KV cache between pairs",
            "Payload that arrived per second, from the first post until the last transfer is done. "
            "Busiest link: between switches, over the whole trial; at flow level of what a link "
            "carries of payload.",
            {},
            {}},
           builder);
  addTransferTimes(scales, ScaleMeasure::kPairs,
                   chosen(pair_times, {"kv_transfer_p50_us", "kv_transfer_p99_us"}),
                   {"kv_pair_times",
                    "Times of a transfer between pairs",
                    "From the post of a message to its last byte at the receiver.",
                    {},
                    {}},
                   builder);

  const Figure dispatch = scaleFigure("Dispatch", "us", "dispatch_us", dispatchMean);
  const Figure dispatch_p99{
      .column = "Dispatch P99 of ranks", .unit = "us", .kpi = "dispatch_p99_us", .of = dispatchP99};
  addTable(design, scales.of(ScaleMeasure::kExperts), {dispatch, dispatch_p99},
           {"experts",
            "Dispatches of groups of experts",
            "All groups at the same time, with no other traffic, simulated packet by packet. The "
            "flow level has no dispatches: larger scales have no row here. Scales smaller than a "
            "group have none either. NICs that are too few for one more group send nothing.",
            {},
            {}},
           builder);
  noteLateLayers(scales.of(ScaleMeasure::kExperts), builder);

  const std::vector<Figure> all = servingFigures(slo);
  std::vector<Figure> requests =
      chosen(all, {"ttft_mean_ms", "ttft_p99_ms", "output_tokens_per_s"});
  requests[0].primary = true;
  Figure tokens = requests[2];
  tokens.column = "TPS output of a node";
  tokens.kpi.clear();
  tokens.of = [&scales, whole = requests[2].of](
                  std::size_t point, const bench::TrialResult& trial) -> std::optional<Reading> {
    const auto value = whole(point, trial);
    if (!value) return std::nullopt;
    return value->times(1.0 / scales.cell(point).nodes);
  };
  std::vector<Figure> serving_figures = requests;
  serving_figures.push_back(tokens);
  append(serving_figures, chosen(all, {"requests_not_done"}));
  serving_figures.push_back(link);
  addTable(design, scales.of(ScaleMeasure::kServing), serving_figures,
           {"serving",
            "Serving systems",
            "Requests, steps and queues are modelled; KV cache crosses the fabric packet by packet "
            "or, at flow level, as shares of links. Requests come in proportion to the nodes.",
            {},
            {}},
           builder);
  addTransferTimes(
      scales, ScaleMeasure::kServing,
      chosen(all, {"request_transfer_p50_ms", "request_transfer_p99_ms"}),
      {"kv_requests", "Times of a request's KV transfer", "First post to last arrival.", {}, {}},
      builder);

  Figure pair_p99 = chosen(pair_times, {"kv_transfer_p99_us"}).front();
  pair_p99.column = "KV transfer P99 of a pair";
  const std::vector<Tracked> tracked{
      {pair, ScaleMeasure::kPairs, true},
      {pair_p99, ScaleMeasure::kPairs, false, false},
      {dispatch_p99, ScaleMeasure::kExperts, false, false},
      {requests[0], ScaleMeasure::kServing},
      {requests[1], ScaleMeasure::kServing},
      {tokens, ScaleMeasure::kServing, true},
      {chosen(all, {"request_transfer_p99_ms"}).front(), ScaleMeasure::kServing, false, false}};
  results::Table limits{
      "limits",
      "Against the smallest scale",
      "Each level (packets, flows) is compared with its own smallest scale, with the 95 % "
      "intervals of both. Limit: the first scale whose whole interval is more than 10 % worse. "
      "Undecided: the interval includes 10 %.",
      {"Figure", "Level", "Smallest scale", "There", "Largest scale", "Of the smallest", "Limit"},
      {}};
  results::Chart chart;
  chart.id = "scale";
  chart.title = "Figures over the scale, of the smallest one";
  chart.x_label = "Nodes";
  chart.y_label = "Of the smallest scale [%]";
  chart.log_x = true;
  std::vector<std::string> reached;
  for (const Tracked& one : tracked) {
    for (const bool flows : {false, true}) {
      if (flows && !one.flows) continue;
      const auto limit = addLimit(scales, one, flows, limits, chart, builder);
      if (!limit) continue;
      reached.push_back(
          fmt::format("{} at {} nodes ({})", one.figure.column, *limit, levelText(flows)));
    }
  }
  builder.result().summary =
      reached.empty() ? "No figure has a whole interval that is more than 10 % worse than at the "
                        "smallest scale."
                      : fmt::format("More than 10 % worse than at the smallest scale: {}.",
                                    fmt::join(reached, "; "));
  builder.result().tables.push_back(std::move(limits));
  builder.result().charts.push_back(std::move(chart));
  addOverlap(scales, tracked, builder);
  addRequests(design, scales.of(ScaleMeasure::kServing, false), builder);
  addMainFigure(design, measured, serving_figures, builder);
}

}  // namespace

const Procedure& scaleLimitProcedure() {
  static const ScaleLimitProcedure test;
  return test;
}

}  // namespace plumbline::suite
