// I13.3 Long-running serving stability (inference draft, section 13.3).
//
// The soak of I13.1 with one flap of a link that carries KV cache: down early in the middle window,
// up again after `parameters.soak.flap`, which is simulated time and not compressed with the day.
// It is compared with the soak without the flap, which has the same requests (link_impact.h).
// Reported: recovery, packets lost, retransmissions, errors of queue pairs, longest queue; and
// whether the windows after the flap are like those without it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stats/summary.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/inference/inference.h"
#include "suite/inference/link_impact.h"
#include "suite/inference/requests.h"
#include "suite/inference/serving_soak.h"

namespace plumbline::suite {
namespace {

constexpr std::int64_t kIntoWindow = 10;  // the flap begins a tenth of a window into it

class ServingFlapProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I13.3"; }
  [[nodiscard]] std::string title() const override { return "Long-running serving stability"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"serving_recovery_ms",   "kv_disruption_ms", "packets_lost",   "qp_errors",
            "retransmissions_per_s", "queue_max_bytes",  "windows_changed"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 13.3"; }
  [[nodiscard]] bool reportsInvalid() const override { return true; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design ServingFlapProcedure::design(const TestConfig& config) const {
  ServingSoakDesign soak(config);
  Design& design = soak.design;
  if (!design.refusals.empty()) return std::move(design);
  if (auto why = failuresRefusal(config)) {
    design.refusals.push_back(*std::move(why));
    return std::move(design);
  }
  Numbers& numbers = design.numbers;
  const auto failures = servingFailures(config, *design.points.front().spec.serving);
  if (failures.size() == 1) {
    design.refusals.emplace_back(
        "there is no link between switches that KV cache crosses and that another one could stand "
        "in for: prefill and decode servers need leaves of their own, with two uplinks");
    return std::move(design);
  }
  const std::string element = failures[1].elements.front();
  const Picoseconds length = config.scenario.parameters.soak.flap.value_or(
      numbers.isStandard() ? seconds(1) : milliseconds(100));
  // Within the window, so that immediate losses are not counted at its edge.
  const Picoseconds down = soak.clock.begin(soak.clock.windows / 2) +
                           Picoseconds(soak.clock.window.count() / kIntoWindow);
  bench::TrialSpec spec = design.points.front().spec;
  // Two windows after the outage at least.
  if (outageOf(spec, down, down + length).settled > soak.clock.begin(soak.clock.windows - 2)) {
    design.refusals.push_back(fmt::format(
        "a flap of {} leaves less than two windows after its outage: parameters.soak.flap",
        valueText(length)));
    return std::move(design);
  }
  numbers.configure(
      "Flap", fmt::format("{}, down for {} in window {} of 0 to {}", element, valueText(length),
                          soak.clock.windows / 2, soak.clock.windows - 1));
  numbers.configure("Routing convergence", valueText(config.scenario.convergence));
  numbers.deviation(
      "the flap is in a soak of its own, so that the trends of I13.1 are those of a day without "
      "one");
  numbers.deviation(
      "FEC errors and adjacencies of BGP or OSPF not collected: a simulated link is up or down, "
      "and routing converges in a time that is a parameter");
  spec.dut.failures.push_back({element, down, down + length});
  design.add({"link flap"}, std::move(spec), design.points.front().packet_hops);
  return std::move(design);
}

double windowMean(const WindowFigure& figure, std::uint32_t from, std::uint32_t to) {
  std::vector<double> values;
  for (std::uint32_t k = from; k < to; ++k) {
    if (figure.values[k]) values.push_back(*figure.values[k]);
  }
  return values.empty() ? kNotMeasured : stats::summarize(values).mean;
}

// A number, or a word instead.
results::Cell cellFor(double value, const std::string& unit) {
  if (std::isfinite(value)) return modelled(value, unit);
  return std::string("not observed");
}

// The windows after the outage against those without the flap, with the same requests: all
// differences are effects of the flap. Returns how many figures differ.
std::size_t addComparison(const SoakClock& clock, const std::vector<WindowFigure>& with,
                          const std::vector<WindowFigure>& without, std::uint32_t first,
                          std::uint32_t settled, ResultBuilder& builder) {
  results::Table table{
      "before_after",
      "Windows before and after the flap",
      fmt::format(
          "Before: mean of windows 0 to {}, the same with and without the flap. After: windows {} "
          "to {}. Difference: of each of these windows to the same one without the flap, mean with "
          "its 95 % interval. Equal: 0 is in it; of figures that are, one in twenty is not.",
          first - 1, settled, clock.windows - 1),
      {"Figure", "Before", "After", "After, without the flap", "Difference", "95 % from", "95 % to",
       "Equal"},
      {}};
  std::size_t changed = 0;
  bool all_judged = true;
  for (std::size_t i = 0; i < with.size(); ++i) {
    std::vector<double> differences;
    for (std::uint32_t k = settled; k < clock.windows; ++k) {
      if (with[i].values[k] && without[i].values[k]) {
        differences.push_back(*with[i].values[k] - *without[i].values[k]);
      }
    }
    const std::string& unit = with[i].unit;
    std::vector<results::Cell> row{with[i].column, cellFor(windowMean(with[i], 0, first), unit),
                                   cellFor(windowMean(with[i], settled, clock.windows), unit),
                                   cellFor(windowMean(without[i], settled, clock.windows), unit)};
    const bool all = differences.size() == clock.windows - settled && differences.size() >= 2;
    if (all) {
      const stats::Summary summary = stats::summarize(differences);
      const bool equal = summary.ci95->low <= 0 && summary.ci95->high >= 0;
      row.emplace_back(modelled(summary.mean, unit));
      row.emplace_back(modelled(summary.ci95->low, unit));
      row.emplace_back(modelled(summary.ci95->high, unit));
      row.emplace_back(std::string(equal ? "yes" : "no"));
      if (!equal) ++changed;
    } else {
      row.insert(row.end(), 3, std::string("-"));
      row.emplace_back(std::string("not judged"));
      all_judged = false;
    }
    table.rows.push_back(std::move(row));
  }
  builder.result().tables.push_back(std::move(table));
  if (!all_judged) builder.notMeasured("windows_changed", "link flap");
  return changed;
}

void ServingFlapProcedure::report(const TestConfig& config, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const SoakClock clock = ServingSoakDesign(config).clock;
  if (measured.size() < 2) {
    builder.result().summary =
        "One of the two soaks is not valid: there is nothing to compare the flap with.";
    return;
  }
  const Measured& flapped = measured[1];
  const bench::TrialSpec& spec = flapped.point.spec;
  const fabric::FailureSpec& failure = spec.dut.failures.back();
  const Outage outage = outageOf(spec, failure.down, *failure.up);
  const std::uint32_t first = clock.windows / 2;
  std::uint32_t settled = first + 1;
  while (settled < clock.windows && clock.begin(settled) < outage.settled) ++settled;
  const bench::TrialResult& trial = flapped.trials.front();
  const bench::TrialResult& intact = measured[0].trials.front();
  const std::vector<WindowFigure> figures = servedWindows(config, clock, spec, trial);
  const std::vector<WindowFigure> quiet =
      servedWindows(config, clock, measured[0].point.spec, intact);
  const LinkImpact impact = linkImpact(*trial.serving, *intact.serving, outage);
  results::Table table{
      "flap",
      "The flap",
      fmt::format(
          "Against the same soak without it. Recovery: from the moment the link goes down until "
          "the last transfer has arrived that took a tenth of the convergence longer than without "
          "the flap. Transfers up to {} after that moment count: the flap, twice the "
          "convergence, and the first timeout.",
          roundedTimeText(outage.settled - outage.down)),
      {"Figure", "Value"},
      {}};
  const std::string absent = impact.transfers == 0 ? "no transfer in the outage" : "not reached";
  const auto row = [&](const char* what, const char* kpi, std::optional<double> value,
                       const char* unit) {
    if (!value) {
      table.rows.push_back({std::string(what), absent});
      if (*kpi != '\0') builder.notMeasured(kpi, "link flap");
      return;
    }
    results::Quantity quantity = modelled(*value, unit);
    if (*kpi != '\0') quantity = builder.kpi(kpi, "link flap", std::move(quantity));
    table.rows.push_back({std::string(what), std::move(quantity)});
  };
  const auto in = [&](const char* column, std::uint32_t from, std::uint32_t to,
                      const std::vector<WindowFigure>& of) -> std::optional<double> {
    std::optional<double> largest;
    for (const WindowFigure& figure : of) {
      if (figure.column != column) continue;
      for (std::uint32_t k = from; k < to; ++k) {
        if (figure.values[k]) largest = std::max(largest.value_or(0), *figure.values[k]);
      }
    }
    return largest;
  };
  row("Recovery", "serving_recovery_ms", impact.recovery_ms, "ms");
  row("Longest delay of a transfer", "kv_disruption_ms", impact.disruption_ms, "ms");
  row("Transfers in the outage", "", static_cast<double>(impact.transfers), "");
  row("Of them delayed", "", static_cast<double>(impact.delayed), "");
  row("Packets lost", "packets_lost", static_cast<double>(trial.fabric->total.dropped()), "");
  row("Errors of queue pairs", "qp_errors",
      static_cast<double>(trial.fabric->endpoints.messages_failed), "");
  row("Retransmitted in the outage, largest of a window", "retransmissions_per_s",
      in("Retransmitted", first, settled, figures), "packets/s");
  row("The same without the flap", "", in("Retransmitted", first, settled, quiet), "packets/s");
  row("Longest queue in the outage", "queue_max_bytes",
      in("Longest queue", first, settled, figures), "B");
  row("Longest queue before it", "", in("Longest queue", 0, first, figures), "B");
  row("Longest queue after it", "", in("Longest queue", settled, clock.windows, figures), "B");
  builder.result().tables.push_back(std::move(table));
  const std::size_t changed = addComparison(clock, figures, quiet, first, settled, builder);
  builder.kpi("windows_changed", "link flap", modelled(static_cast<double>(changed), {}));
  for (const auto& [id, title, y, place] :
       {std::tuple("ttft_over_day", "TTFT P99 with and without the flap", "TTFT P99 [ms]", 1),
        std::tuple("retransmissions_over_day", "Retransmissions with and without the flap",
                   "Retransmitted [packets/s]", 9),
        std::tuple("queue_over_day", "Longest queue with and without the flap", "Longest queue [B]",
                   12)}) {
    results::Chart chart;
    chart.id = id;
    chart.title = title;
    chart.y_label = y;
    WindowFigure with = figures[static_cast<std::size_t>(place)];
    WindowFigure without = quiet[static_cast<std::size_t>(place)];
    with.column = "link flap";
    without.column = "none";
    addWindowChart(clock, {with, without}, std::move(chart), builder);
  }
  builder.result().failed_elements.push_back(failure.element);
  addRequestData(design, measured, builder);
  std::string& summary = builder.result().summary;
  if (impact.transfers == 0) {
    builder.anomaly(kNoTransfer, "link flap");
    summary = "What the flap does to transfers is not observed: none was in progress.";
  } else if (impact.recovery_ms) {
    builder.primary("Recovery", modelled(*impact.recovery_ms, "ms"));
    summary = fmt::format(
        "Transfers recover {:.4g} ms after the link goes down; {} figures differ afterwards.",
        *impact.recovery_ms, changed);
  } else {
    summary = "Transfers do not recover from the flap.";
  }
}

}  // namespace

const Procedure& servingFlapProcedure() {
  static const ServingFlapProcedure test;
  return test;
}

}  // namespace plumbline::suite
