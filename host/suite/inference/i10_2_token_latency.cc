// I10.2 Inter-token latency of a mixture of experts (inference draft, section 10.2).
//
// An expert-parallel group decodes: in every step each rank computes one token for each sequence of
// its batch, and in every MoE layer of the step tokens go to their experts (dispatch) and results
// come back (combine) over the fabric. Computing takes T_step of the serving model's roofline, the
// same part of it in each MoE layer, and nothing overlaps. A repetition is one request: each step's
// end, when the last rank has its results, is a token. Three loads: none; half of every NIC's rate
// from each host to the one half the group further on; 90 % of it and a second group's dispatches.
// Reported: percentiles of the gaps between tokens, gaps longer than `parameters.stall`, dispatch
// and combine of a layer beside its computing. Without other load
//   ITL = layers * (T_layer + 2 overhead) + sum of dispatches and combines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/profile.h"
#include "suite/inference/decode_group.h"
#include "suite/inference/experts.h"
#include "suite/inference/inference.h"
#include "suite/inference/serving_trial.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

const std::array<DecodeLoad, 3> kDecodeLoads{{{"none", Fraction(), false},
                                              {"50 %", Fraction::percent(50), false},
                                              {"90 % and EP", Fraction::percent(90), true}}};

double meanGap(const std::vector<double>& gaps) {
  double sum = 0;
  for (const double gap : gaps) sum += gap;
  return sum / static_cast<double>(gaps.size());
}

class TokenLatencyProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I10.2"; }
  [[nodiscard]] std::string title() const override { return "Inter-token latency"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"itl_mean_ms",      "itl_p50_ms",      "itl_p95_ms",       "itl_p99_ms",
            "itl_p999_ms",      "itl_max_ms",      "itl_fabric_ms",    "itl_stalls",
            "dispatch_mean_us", "dispatch_p99_us", "combine_mean_us",  "combine_p99_us",
            "ecn_percent",      "pfc_per_s",       "fabric_drops_ppm", "queue_max_bytes"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 10.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<Figure> figures(const TestConfig& config, const DecodeGroup& group);
};

Design TokenLatencyProcedure::design(const TestConfig& config) const {
  Design design(config);
  labelDut(DutLabel::kSystem, design.numbers);
  design.axes = {{"Background", ""}};
  design.repetitions = design.numbers.repetitions(5, 2);
  const scenario::Parameters& own = config.scenario.parameters;
  const DecodeGroup group = decodeGroup(config, design.numbers);
  const auto tokens =
      design.numbers.atLeast<std::uint32_t>("Output tokens of a request", 2048, 16, own.output);
  if (auto why = decodeGroupRefusal(config, group, tokens)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  Numbers& numbers = design.numbers;
  numbers.configure("Model",
                    fmt::format("{}, {:.3g} parameters, {} experts, {} of them per token, "
                                "{} MoE layers",
                                group.model.name, serving::totalParameters(group.model),
                                group.model.experts, group.model.top_k, group.model.moe_layers));
  numbers.configure("Decode pool",
                    fmt::format("{} x {}, a NIC each, expert-parallel; attention data-parallel, {} "
                                "sequences and {} cached tokens each",
                                group.ranks, group.accelerator.name, group.batch, group.context));
  numbers.configure("Step without the fabric (modelled)",
                    fmt::format("{:.4g} ms of all layers, {:.4g} us of an MoE layer",
                                group.step.toSeconds() * 1e3, group.layer.toMicroseconds()));
  numbers.configure("Bytes of a token",
                    fmt::format("{} to an expert and as many back", group.token_bytes));
  numbers.configure("Overhead (model input)", fmt::format("{} of each dispatch and combine",
                                                          durationText(own.experts.overhead)));
  const Picoseconds draft_stall = scenario::Parameters().stall;
  if (own.stall != draft_stall) {
    numbers.deviation(fmt::format("Stall: a gap above {} instead of {}", durationText(own.stall),
                                  durationText(draft_stall)));
  }
  numbers.configure("Overlap", "none: every dispatch and combine is exposed");
  numbers.configure("Background",
                    "messages of 1 MiB, Poisson arrivals, from each host to the one "
                    "half the group further on");
  for (const DecodeLoad& load : kDecodeLoads) {
    bench::TrialSpec spec = decodeTrial(config, group, tokens, load);
    const double hops = decodeHops(config, group, tokens, spec);
    design.add({load.name}, std::move(spec), hops, kExpertHopCost);
  }
  return design;
}

std::vector<Figure> TokenLatencyProcedure::figures(const TestConfig& config,
                                                   const DecodeGroup& group) {
  const Picoseconds overhead = config.scenario.parameters.experts.overhead;
  using OfGaps = std::function<std::optional<Reading>(const std::vector<double>& gaps)>;
  const auto figureOf = [&](const char* column, const char* unit, const char* kpi, OfGaps of) {
    Figure figure{.column = column, .unit = unit, .kpi = kpi};
    figure.of = [group, of = std::move(of)](
                    std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
      return of(tokenGaps(group, trial));
    };
    return figure;
  };
  const auto percentile = [&](const char* column, const char* kpi, double quantile) {
    return figureOf(column, "ms", kpi, [quantile](const std::vector<double>& gaps) {
      return percentileMs(serving::distribution(gaps, 0), quantile);
    });
  };
  const double model = (group.compute() + overhead * 2 * std::int64_t{group.layers}).toSeconds();
  const auto in_model = static_cast<double>(group.model.moe_layers) / group.layers;
  const double stall = config.scenario.parameters.stall.toSeconds() / in_model;
  std::vector<Figure> figures{
      figureOf("ITL mean", "ms", "itl_mean_ms",
               [](const std::vector<double>& gaps) { return inMilliseconds(meanGap(gaps)); }),
      percentile("ITL P50", "itl_p50_ms", 0.5),
      percentile("ITL P95", "itl_p95_ms", 0.95),
      percentile("ITL P99", "itl_p99_ms", 0.99),
      percentile("ITL P99.9", "itl_p999_ms", 0.999),
      figureOf("ITL max", "ms", "itl_max_ms",
               [](const std::vector<double>& gaps) {
                 return inMilliseconds(*std::max_element(gaps.begin(), gaps.end()));
               }),
      figureOf("Stalls", "", "itl_stalls",
               [stall](const std::vector<double>& gaps) -> std::optional<Reading> {
                 return Reading(static_cast<double>(std::count_if(
                     gaps.begin(), gaps.end(), [&](double gap) { return gap > stall; })));
               }),
      figureOf("Gaps", "", "",
               [](const std::vector<double>& gaps) -> std::optional<Reading> {
                 return Reading(static_cast<double>(gaps.size()));
               }),
      figureOf("ITL of the fabric", "ms", "itl_fabric_ms",
               [model](const std::vector<double>& gaps) {
                 return inMilliseconds(meanGap(gaps) - model);
               }),
      figureOf("ITL mean, all layers", "ms", "", [in_model](const std::vector<double>& gaps) {
        return inMilliseconds(meanGap(gaps) * in_model);
      })};
  figures[3].primary = true;
  return figures;
}

// Points, by their place in the design, at which a request outlasted its load: they are none of
// that load.
std::vector<bool> loadEndedEarly(const DecodeGroup& group, const Design& design,
                                 const std::vector<Measured>& measured, ResultBuilder& builder) {
  std::vector<bool> early(design.points.size());
  for (const Measured& one : measured) {
    std::size_t late = 0;
    for (const bench::TrialResult& trial : one.trials) {
      late = std::max(late, tokensAfterLoad(group, one.point.spec, trial));
    }
    if (late == 0) continue;
    early[placeOf(design, one)] = true;
    builder.anomaly(fmt::format("figures not observed: the last {} of a request came after the "
                                "end of the background or of the second group's dispatches",
                                counted(late, "token")),
                    one.point.label);
  }
  return early;
}

// Percentiles of the gaps of all requests together, their distribution and its complement.
void addPooledGaps(const TestConfig& config, const DecodeGroup& group, const Design& design,
                   const std::vector<Measured>& measured, const std::vector<bool>& hidden,
                   ResultBuilder& builder) {
  results::Table pooled{"pooled",
                        "Gaps of all requests",
                        "Percentiles of the gaps of all requests together.",
                        {"Background", "Gaps", "P50", "P95", "P99", "P99.9", "Max", "Stalls"},
                        {}};
  results::Chart ccdf;
  ccdf.id = "itl_ccdf";
  ccdf.title = "Gaps longer than a time";
  ccdf.kind = results::ChartKind::kStep;
  ccdf.x_label = "Time between tokens [ms]";
  ccdf.y_label = "Share of the gaps that are longer [%]";
  ccdf.log_y = true;
  const double stall =
      config.scenario.parameters.stall.toSeconds() * group.layers / group.model.moe_layers;
  for (const Measured& one : measured) {
    if (hidden[placeOf(design, one)]) continue;
    std::vector<double> gaps;
    for (const bench::TrialResult& trial : one.trials) {
      const std::vector<double> more = tokenGaps(group, trial);
      gaps.insert(gaps.end(), more.begin(), more.end());
    }
    std::sort(gaps.begin(), gaps.end());
    const auto ms = [](double seconds) { return modelled(seconds * 1e3, "ms"); };
    const auto count = [](std::size_t number) { return modelled(static_cast<double>(number), {}); };
    std::vector<results::Cell> row{one.point.values[0], count(gaps.size())};
    for (const double p : {0.5, 0.95, 0.99, 0.999}) {
      row.push_back(modelledPercentile(*serving::percentile(gaps, gaps.size(), p).value * 1e3, "ms",
                                       p, gaps.size()));
    }
    row.push_back(ms(gaps.back()));
    row.push_back(count(
        static_cast<std::size_t>(gaps.end() - std::upper_bound(gaps.begin(), gaps.end(), stall))));
    pooled.rows.push_back(std::move(row));
    stats::Histogram histogram;
    for (const double gap : gaps) {
      histogram.record(static_cast<std::uint64_t>(std::llround(gap * 1e12)));
    }
    builder.result().distributions.push_back({fmt::format("itl_{}", placeOf(design, one)),
                                              one.point.label + ": time between tokens", "ps",
                                              ObservationPoint::kModelled, std::move(histogram)});
    results::Series series{one.point.label, {}, {}, false};
    constexpr std::size_t kPoints = 400;
    const std::size_t each = std::max<std::size_t>(1, gaps.size() / kPoints);
    for (std::size_t i = 0; i + 1 < gaps.size(); i += i + each * 10 < gaps.size() ? each : 1) {
      series.x.push_back(gaps[i] * 1e3);
      series.y.push_back(100 * static_cast<double>(gaps.size() - 1 - i) /
                         static_cast<double>(gaps.size()));
    }
    ccdf.series.push_back(std::move(series));
  }
  builder.result().tables.push_back(std::move(pooled));
  builder.result().charts.push_back(std::move(ccdf));
}

void TokenLatencyProcedure::report(const TestConfig& config, const Design& design,
                                   const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  Numbers unused(config);
  const DecodeGroup group = decodeGroup(config, unused);
  const scenario::Parameters& own = config.scenario.parameters;
  const std::vector<bool> early = loadEndedEarly(group, design, measured, builder);
  const auto hide = [&early](std::vector<Figure>& figures) {
    for (Figure& figure : figures) {
      figure.hidden = [&early](std::size_t point) { return early[point]; };
    }
  };
  std::vector<Figure> figures = TokenLatencyProcedure::figures(config, group);
  hide(figures);
  const bool whole = group.layers == group.model.moe_layers;
  const std::string limit =
      whole ? fmt::format("Stalls are gaps above {}.", durationText(own.stall))
            : fmt::format(
                  "Of {} of the model's {} MoE layers: gaps are of so many layers, and "
                  "stalls those above that share of {}.",
                  group.layers, group.model.moe_layers, durationText(own.stall));
  addTable(
      design, measured, figures,
      {"itl",
       "Time between tokens",
       limit + " Means over the requests, with the interval of batch means: gaps of one request "
               "depend on each other. ITL of the fabric is the mean without computing and "
               "overhead; ITL of all layers counts every layer as the mean of the simulated ones.",
       {},
       {}},
      builder);
  addMainFigure(design, measured, figures, builder);
  const auto rankMean = [](const char* column, const char* kpi,
                           workload::MoePhaseResult workload::MoeResult::*phase) {
    Figure figure{.column = column, .unit = "us", .kpi = kpi};
    figure.of = [phase](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
      const stats::Histogram& times = (expertsOf(trial).*phase).rank_time;
      if (times.count() == 0) return std::nullopt;
      return Reading(times.mean() / 1e6);
    };
    return figure;
  };
  Figure combine_p99{.column = "Combine P99", .unit = "us", .kpi = "combine_p99_us"};
  combine_p99.of = [](std::size_t, const bench::TrialResult& trial) {
    return std::optional(quantileMicroseconds(expertsOf(trial).combine.rank_time, 0.99));
  };
  std::vector<Figure> layer{
      rankMean("Dispatch", "dispatch_mean_us", &workload::MoeResult::dispatch),
      rankTimeFigure("Dispatch P99", "dispatch_p99_us", 0.99),
      rankMean("Combine", "combine_mean_us", &workload::MoeResult::combine), combine_p99};
  const auto constant = [](const char* column, double microseconds) {
    Figure figure{.column = column, .unit = "us", .kpi = {}};
    figure.of = [microseconds](std::size_t, const bench::TrialResult&) {
      return std::optional<Reading>(microseconds);
    };
    return figure;
  };
  layer.push_back(constant("Computing", group.layer.toMicroseconds()));
  layer.push_back(constant("Overhead", 2 * own.experts.overhead.toMicroseconds()));
  append(layer, expertFabricFigures());
  hide(layer);
  addTable(design, measured, layer,
           {"layers",
            "A layer on the fabric",
            "Dispatch and combine as each rank sees them, from its own start until it has "
            "everything, on the fabric alone: their means are what a layer adds to ITL. Computing "
            "and overhead are model inputs.",
            {},
            {}},
           builder);
  addPooledGaps(config, group, design, measured, early, builder);
}

}  // namespace

const Procedure& tokenLatencyProcedure() {
  static const TokenLatencyProcedure test;
  return test;
}

}  // namespace plumbline::suite
