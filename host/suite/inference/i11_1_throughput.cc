// I11.1 Aggregate tokens per second (inference draft, section 11.1).
//
// Request rates from 1 per second up to beyond the capacity of the pools. Reported at each: tokens
// per second in and out, goodput, all latencies, use of the hosts' links; the highest rate up to
// which TTFT P99 and ITL P99 keep the limits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

std::vector<std::string> aggregateKpis() {
  return {"ttft_p50_ms",         "ttft_p99_ms",        "itl_p50_ms",
          "itl_p99_ms",          "e2e_p99_ms",         "request_transfer_p99_ms",
          "output_tokens_per_s", "input_tokens_per_s", "goodput_tokens_per_s",
          "slo_percent",         "requests_not_done",  "itl_p95_ms",
          "tpot_p99_ms",         "e2e_p50_ms"};
}

double rateOf(const SweepPoint& point) { return requestRate(point.spec.serving->workload); }

// How far the rates of the sweep keep the limits, from the lowest one on.
struct Kept {
  std::optional<double> up_to;       // the highest rate; nothing: not the lowest one
  std::optional<double> broken_at;   // the next rate, which does not keep them
  std::optional<double> unknown_at;  // the next rate, a trial of which was not valid
};

// Points without requests in their window are skipped.
Kept keptRates(const Design& design, const std::vector<Measured>& measured,
               const serving::SloSpec& slo) {
  std::vector<const SweepPoint*> rising;
  for (const SweepPoint& point : design.points) rising.push_back(&point);
  std::stable_sort(rising.begin(), rising.end(), [](const SweepPoint* a, const SweepPoint* b) {
    return rateOf(*a) < rateOf(*b);
  });
  Kept kept;
  for (const SweepPoint* point : rising) {
    const double rate = rateOf(*point);
    const auto one = std::find_if(measured.begin(), measured.end(), [&](const Measured& candidate) {
      return &candidate.point == point;
    });
    if (one == measured.end()) {
      kept.unknown_at = rate;
      break;
    }
    if (!hasRequests(*one)) continue;
    if (!keepsLimits(design, *one, slo)) {
      kept.broken_at = rate;
      break;
    }
    kept.up_to = rate;
  }
  return kept;
}

std::string textOf(const Kept& kept) {
  if (!kept.up_to) {
    if (kept.broken_at) {
      return fmt::format("The limits are not kept at the lowest rate, {:g} requests/s.",
                         *kept.broken_at);
    }
    return kept.unknown_at ? fmt::format("No valid result at {:g} requests/s, the lowest rate.",
                                         *kept.unknown_at)
                           : "No request arrived in any window.";
  }
  if (kept.broken_at) {
    return fmt::format("The limits are kept up to {:g} requests/s, not at {:g}.", *kept.up_to,
                       *kept.broken_at);
  }
  return kept.unknown_at
             ? fmt::format("The limits are kept up to {:g} requests/s; no valid result at {:g}.",
                           *kept.up_to, *kept.unknown_at)
             : fmt::format("The limits are kept up to the highest rate, {:g} requests/s.",
                           *kept.up_to);
}

void reportKept(const Kept& kept, ResultBuilder& builder) {
  constexpr const char* kKpi = "slo_bounded_requests_per_s";
  constexpr const char* kPlace = "limits of goodput";
  builder.result().summary = textOf(kept);
  if (!kept.up_to) return;
  Reading rate = *kept.up_to;
  if (kept.broken_at) {
    rate = within(rate.value, *kept.broken_at - rate.value, "step to the next rate");
  } else {
    builder.anomaly(
        fmt::format(
            "{} is a lower bound: {}", kKpi,
            kept.unknown_at
                ? fmt::format("no valid result at {:g} requests/s, the next rate", *kept.unknown_at)
                : "it is the highest rate of the sweep"),
        kPlace);
  }
  const std::vector<Reading> readings{rate};
  builder.kpi(kKpi, kPlace, quantityOf(readings, "/s", ObservationPoint::kModelled));
}

class AggregateTokensProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I11.1"; }
  [[nodiscard]] std::string title() const override { return "Aggregate tokens per second"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(aggregateKpis(), {"kv_link_percent", "slo_bounded_requests_per_s"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design AggregateTokensProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Rate", "requests/s"}};
  design.repetitions = design.numbers.repetitions(3, 1);
  serving::ServingProgram program = servingSection(config).program;
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = steadyWindow(config, design.numbers);
  const double capacity = requestCapacity(program);
  design.numbers.configure("Capacity of the pools", fmt::format("{:.3g} requests/s", capacity));
  std::vector<double> rates;
  std::vector<double> shares{0.2, 0.5, 0.8, 1.1};
  if (const auto& own = config.scenario.parameters.rates) {
    design.numbers.deviation(
        fmt::format("rates: {} requests/s, instead of 1 and more until a limit is broken",
                    fmt::join(*own, ", ")));
  }
  if (design.numbers.isStandard()) {
    rates.push_back(1);
    shares = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.1};
  } else if (!config.scenario.parameters.rates) {
    // In the short window of the quick profile no request may arrive at 1 per second.
    design.numbers.deviation("rates begin at 20 % of the pools' capacity, not at 1 request/s");
  }
  for (const double share : shares) {
    if (share * capacity > 1) rates.push_back(std::stod(fmt::format("{:.3g}", share * capacity)));
  }
  for (const double rate : config.scenario.parameters.rates.value_or(rates)) {
    setRequestRate(program.workload, rate);
    addSteadyPoint(config, design, {valueText(rate)}, program);
  }
  return design;
}

void AggregateTokensProcedure::report(const TestConfig& config, const Design& design,
                                      const std::vector<Measured>& measured,
                                      ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  const std::vector<Figure> all = servingFigures(slo);
  std::vector<Figure> figures = chosen(all, aggregateKpis());
  figures[6].primary = true;
  Figure use{.column = "Use of receiving NICs", .unit = "%", .kpi = "kv_link_percent"};
  use.of = [&](std::size_t point, const bench::TrialResult& trial) -> std::optional<Reading> {
    if (!trial.serving) return std::nullopt;
    const double rate = receivingRate(config, *design.points[point].spec.serving);
    const auto throughput = kvThroughput(*trial.serving);
    if (!throughput) return std::nullopt;
    const double factor = 100 * 1e9 / rate;
    return within(throughput->value * factor, throughput->width * factor, throughput->width_of);
  };
  figures.push_back(use);
  addSteadyTable(design, measured, figures,
                 {"rates", "Tokens per second over the request rate", kServingNote, {}, {}},
                 builder);
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
  } else {
    reportKept(keptRates(design, measured, slo), builder);
  }
  for (const char* kpi : {"ttft_p99_ms", "itl_p99_ms", "output_tokens_per_s"}) {
    const Figure figure = chosen(all, {kpi}).front();
    results::Chart chart;
    chart.id = std::string(kpi) + "_over_rate";
    chart.title = figure.column + " over the request rate";
    chart.x_label = "Requests/s";
    chart.y_label = fmt::format("{} [{}]", figure.column, figure.unit);
    addChart(design, measured, figure,
             {[&](std::size_t i) { return rateOf(design.points[i]); },
              [&](std::size_t) { return figure.column; }},
             std::move(chart), builder);
  }
}

}  // namespace

const Procedure& aggregateTokensProcedure() {
  static const AggregateTokensProcedure test;
  return test;
}

}  // namespace plumbline::suite
