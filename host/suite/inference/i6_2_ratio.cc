// I6.2 xPyD ratio optimisation (inference draft, section 6.2).
//
// A fixed number of workers, divided between prefill and decode in several ways, under swept
// request rates. Reported: TTFT P99, ITL P99, output tokens per second and goodput of each ratio
// and rate; the ratios that keep the limits with the most tokens, and the Pareto-optimal ones in
// the three figures.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "suite/inference/inference.h"
#include "suite/inference/pareto.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

constexpr std::array<std::uint32_t, 8> kDraftPrefill{1, 2, 3, 4, 6, 8, 10, 11};  // of 12

std::vector<std::string> ratioKpis() {
  return {"ttft_p99_ms",          "itl_p99_ms",  "output_tokens_per_s",
          "goodput_tokens_per_s", "slo_percent", "request_transfer_p99_ms",
          "requests_not_done"};
}

std::string ratioText(std::uint32_t prefill, std::uint32_t all) {
  return fmt::format("{}P{}D", prefill, all - prefill);
}

// Prefill workers out of `all`, in the draft's shares of twelve; quick: three of them.
std::vector<std::uint32_t> prefillWorkers(std::uint32_t all, Numbers& numbers) {
  std::vector<std::string> standard;
  std::vector<std::string> quick;
  std::map<std::string, std::uint32_t> counts;
  for (const std::uint32_t of_twelve : kDraftPrefill) {
    const std::uint32_t count = std::clamp((of_twelve * all + 6) / 12, 1U, all - 1);
    const std::string text = ratioText(count, all);
    if (!counts.emplace(text, count).second) continue;
    standard.push_back(text);
    if (of_twelve == 1 || of_twelve == 6 || of_twelve == 11) quick.push_back(text);
  }
  std::vector<std::uint32_t> chosen;
  for (const std::string& text :
       numbers.sweep<std::string>("Ratios", standard, quick, std::nullopt)) {
    chosen.push_back(counts.at(text));
  }
  return chosen;
}

std::optional<double> valueOf(const Design& design, const Measured& one,
                              const serving::SloSpec& slo, const std::string& kpi) {
  const auto mean = meanOf(design, one, chosen(servingFigures(slo), {kpi}).front());
  return mean ? std::optional(mean->value) : std::nullopt;
}

class RatioProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I6.2"; }
  [[nodiscard]] std::string title() const override { return "xPyD ratio optimisation"; }
  [[nodiscard]] std::vector<std::string> kpis() const override { return ratioKpis(); }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design RatioProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Rate", "requests/s"}, {"Ratio", ""}};
  design.repetitions = design.numbers.repetitions(3, 1);
  serving::ServingProgram program = servingSection(config).program;
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = steadyWindow(config, design.numbers);
  serving::MappingSpec& servers = program.system.servers;
  const std::uint32_t all = servers.prefill.workers + servers.decode.workers;
  if (servers.prefill.tp != servers.decode.tp) {
    design.refusals.emplace_back("workers of both pools need the same TP to be exchanged");
  }
  if (all < 3)
    design.refusals.emplace_back(
        "two workers allow only one ratio: serving.servers needs at least 3");
  if (all != 12) design.numbers.deviation(fmt::format("{} workers instead of 12", all));
  if (!design.refusals.empty()) return design;
  const std::vector<std::uint32_t> counts = prefillWorkers(all, design.numbers);
  for (const double rate : design.numbers.sweep<double>("Rates", {5, 10, 20, 30}, {20, 40},
                                                        config.scenario.parameters.rates)) {
    for (const std::uint32_t prefill : counts) {
      servers.prefill.workers = prefill;
      servers.decode.workers = all - prefill;
      setRequestRate(program.workload, rate);
      addSteadyPoint(config, design, {valueText(rate), ratioText(prefill, all)}, program);
    }
  }
  return design;
}

// The points of one rate, in the order of the ratios.
struct RatePoints {
  std::string rate;
  std::vector<const Measured*> points;
};

std::vector<RatePoints> byRate(const std::vector<Measured>& measured) {
  std::vector<RatePoints> rates;
  for (const Measured& one : measured) {
    const std::string& rate = one.point.values[0];
    const auto known = std::find_if(rates.begin(), rates.end(),
                                    [&](const RatePoints& other) { return other.rate == rate; });
    if (known == rates.end()) {
      rates.push_back({rate, {&one}});
    } else {
      known->points.push_back(&one);
    }
  }
  return rates;
}

// TTFT and ITL at the left, tokens at the right, with a ring around the ratios of the Pareto set.
void addRatioChart(const Design& design, const serving::SloSpec& slo, const RatePoints& rate,
                   const std::vector<std::size_t>& pareto, std::size_t number,
                   ResultBuilder& builder) {
  results::Chart chart;
  chart.id = fmt::format("ratio_at_rate_{}", number);
  chart.title = fmt::format(
      "TTFT, ITL and TPS over the ratio at {} requests/s (marked: Pareto-optimal)", rate.rate);
  chart.x_label = "Prefill workers";
  chart.y_label = "P99 [ms]";
  chart.right_label = "TPS output [tokens/s]";
  chart.log_y = true;
  for (const char* kpi : {"ttft_p99_ms", "itl_p99_ms", "output_tokens_per_s"}) {
    const Figure figure = chosen(servingFigures(slo), {kpi}).front();
    results::Series series;
    series.name = figure.column;
    series.right = std::string_view(kpi) == "output_tokens_per_s";
    for (std::size_t i = 0; i < rate.points.size(); ++i) {
      const auto mean = meanOf(design, *rate.points[i], figure);
      if (!mean) continue;
      const bool best = std::binary_search(pareto.begin(), pareto.end(), i);
      if (series.right && best) series.marked.push_back(series.x.size());
      series.add(rate.points[i]->point.spec.serving->system.servers.prefill.workers, *mean);
    }
    chart.series.push_back(std::move(series));
  }
  builder.result().charts.push_back(std::move(chart));
}

// "1P3D keeps the limits with the most output tokens"
std::string bestText(const std::vector<std::string>& best, bool measured, bool scatter_known) {
  if (!measured) return "no request arrived in any window";
  if (best.empty()) return "no ratio keeps the limits";
  return fmt::format("{} {} the limits with the most output tokens{}", fmt::join(best, ", "),
                     best.size() == 1 ? "keeps" : "keep",
                     scatter_known ? "" : " in one repetition (scatter is not known)");
}

// Of ratios and their tokens: the one with the most, and those that do not differ from it within
// both uncertainties.
std::vector<std::string> ratiosWithMost(
    const std::vector<std::pair<std::string, results::Quantity>>& kept) {
  if (kept.empty()) return {};
  const auto half = [](const results::Quantity& tokens) {
    const auto expanded = results::expandedUncertainty(tokens);
    return expanded ? expanded->half : 0;
  };
  const results::Quantity& most =
      std::max_element(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
        return a.second.value < b.second.value;
      })->second;
  std::vector<std::string> names;
  for (const auto& [name, tokens] : kept) {
    if (most.value - tokens.value <= std::hypot(half(most), half(tokens))) names.push_back(name);
  }
  return names;
}

// The Pareto-optimal ratios, and those that keep the limits with the most tokens.
void reportRate(const Design& design, const serving::SloSpec& slo, const RatePoints& rate,
                std::size_t number, ResultBuilder& builder) {
  // A percentile that is not reached is worse than any number.
  constexpr double kNotReached = std::numeric_limits<double>::infinity();
  std::vector<GainAndCosts> all;
  std::vector<std::pair<std::string, results::Quantity>> kept;  // ratios that keep the limits
  const std::vector<Figure> figures = servingFigures(slo);
  bool measured = false;
  bool scatter_known = true;
  for (const Measured* one : rate.points) {
    scatter_known = scatter_known && one->trials.size() > 1;
    measured = measured || hasRequests(*one);
    const auto tokens = meanOf(design, *one, chosen(figures, {"output_tokens_per_s"}).front());
    const double ttft = valueOf(design, *one, slo, "ttft_p99_ms").value_or(kNotReached);
    // Without gaps there is none that is too long.
    const bool no_gaps = std::all_of(one->trials.begin(), one->trials.end(), hasNoGaps);
    const double itl = no_gaps ? 0 : valueOf(design, *one, slo, "itl_p99_ms").value_or(kNotReached);
    all.push_back({tokens ? tokens->value : 0, {ttft, itl}});
    if (!tokens || tokens->value == 0 || !keepsLimits(design, *one, slo)) continue;
    kept.emplace_back(one->point.values[1], *tokens);
  }
  const std::vector<std::size_t> pareto = paretoSet(all);
  std::vector<std::string> names;
  names.reserve(pareto.size());
  for (const std::size_t place : pareto) names.push_back(rate.points[place]->point.values[1]);
  results::TestResult& result = builder.result();
  result.configuration.emplace_back(fmt::format("Pareto-optimal at {} requests/s", rate.rate),
                                    fmt::format("{}", fmt::join(names, ", ")));
  result.summary += fmt::format("{}At {} requests/s {}.", number == 1 ? "" : " ", rate.rate,
                                bestText(ratiosWithMost(kept), measured, scatter_known));
  addRatioChart(design, slo, rate, pareto, number, builder);
}

void RatioProcedure::report(const TestConfig& config, const Design& design,
                            const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  std::vector<Figure> figures = chosen(servingFigures(slo), ratioKpis());
  figures[2].primary = true;
  addSteadyTable(design, measured, figures,
                 {"ratios", "Ratios of prefill to decode workers", kServingNote, {}, {}}, builder);
  if (measured.empty()) return;
  builder.result().summary.clear();
  std::size_t number = 0;
  for (const RatePoints& rate : byRate(measured)) reportRate(design, slo, rate, ++number, builder);
}

}  // namespace

const Procedure& ratioProcedure() {
  static const RatioProcedure test;
  return test;
}

}  // namespace plumbline::suite
