// I11.1 Aggregate tokens per second (inference draft, section 11.1).
//
// Request rates from 1 per second up to beyond the capacity of the pools. Reported at each: tokens
// per second in and out, goodput, all latencies, use of the hosts' links; the highest rate up to
// which TTFT P99 and ITL P99 keep the limits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

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

bool hasRequests(const Measured& one) {
  return std::any_of(one.trials.begin(), one.trials.end(), [](const bench::TrialResult& trial) {
    return trial.serving &&
           std::any_of(trial.serving->requests.begin(), trial.serving->requests.end(),
                       [](const serving::RequestRecord& record) { return record.measured; });
  });
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
    return Reading(100 * throughput->value * 1e9 / rate);
  };
  figures.push_back(use);
  addSteadyTable(design, measured, figures,
                 {"rates", "Tokens per second over the request rate", kServingNote, {}, {}},
                 builder);
  const auto keeps = [&](const Measured& one) {
    const auto within = [&](const char* kpi, const std::optional<Picoseconds>& limit) {
      const auto value = meanOf(design, one, chosen(all, {kpi}).front());
      return value && (!limit || value->value <= static_cast<double>(limit->count()) * 1e-9);
    };
    // A rate is not sustained if one request in a hundred is unfinished after window and drain;
    // answers of one token have no gaps to check.
    bool done = true;
    bool gaps = false;
    for (const bench::TrialResult& trial : one.trials) {
      const serving::ServingMetrics metrics = serving::metricsOf(*trial.serving, slo);
      done = done && metrics.e2e.p99.value.has_value();
      gaps = gaps || metrics.itl.count > 0;
    }
    return done && within("ttft_p99_ms", slo.ttft) && (!gaps || within("itl_p99_ms", slo.tpot));
  };
  // From the lowest rate on; points without requests in their window are skipped.
  std::vector<const Measured*> rising;
  for (const Measured& one : measured) {
    if (hasRequests(one)) rising.push_back(&one);
  }
  std::stable_sort(rising.begin(), rising.end(), [](const Measured* a, const Measured* b) {
    return rateOf(a->point) < rateOf(b->point);
  });
  const Measured* last = nullptr;
  const Measured* beyond = nullptr;
  for (const Measured* one : rising) {
    if (!keeps(*one)) {
      beyond = one;
      break;
    }
    last = one;
  }
  if (rising.empty()) {
    builder.result().summary = "No request arrived in any window.";
  } else if (last == nullptr) {
    builder.result().summary = fmt::format(
        "The limits are not kept at the lowest rate, {:g} "
        "requests/s.",
        rateOf(rising.front()->point));
  } else {
    Reading bound = rateOf(last->point);
    if (beyond != nullptr) {
      bound = within(bound.value, rateOf(beyond->point) - bound.value, "step to the next rate");
    }
    const std::vector<Reading> readings{bound};
    builder.kpi("slo_bounded_requests_per_s", "limits of goodput",
                quantityOf(readings, "/s", ObservationPoint::kModelled));
    builder.result().summary =
        beyond == nullptr
            ? fmt::format("The limits are kept up to the highest rate, {:g} requests/s.",
                          bound.value)
            : fmt::format("The limits are kept up to {:g} requests/s, not at {:g}.", bound.value,
                          rateOf(beyond->point));
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
