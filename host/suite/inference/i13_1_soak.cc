// I13.1 24-hour sustained inference load (inference draft, section 13.1).
//
// A day at 80 % of the load that the system can sustain, sampled every 15 minutes, on a compressed
// clock (serving_soak.h). Reported per window: TTFT P99, ITL P99, TPS output, KV transfer P99, use
// of the receiving NICs, marks, pauses, retransmissions, errors of queue pairs, requests in the
// system with Little's law; the trend of each; the variation of TTFT P99 beside the variation
// expected from sampling alone.
#include <fmt/format.h>

#include <algorithm>

#include "stats/summary.h"
#include "suite/inference/inference.h"
#include "suite/inference/requests.h"
#include "suite/inference/serving_soak.h"

namespace plumbline::suite {
namespace {

constexpr double kDraftVariation = 0.01;  // of TTFT P99 over the day

std::vector<std::string> windowKpis() {
  return {"ttft_p99_ms",     "itl_p99_ms",      "output_tokens_per_s",
          "kv_link_percent", "ecn_marks_per_s", "request_transfer_p99_ms",
          "pfc_per_s",       "packets_dropped", "retransmissions_per_s",
          "qp_errors",       "queue_max_bytes"};
}

class ServingSoakProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I13.1"; }
  [[nodiscard]] std::string title() const override { return "24-hour sustained inference load"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(windowKpis(),
                {"significant_drifts", "ttft_p99_variation_percent", "requests_per_window"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 13.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override {
    ServingSoakDesign soak(config);
    soak.design.numbers.deviation(
        "CPU and memory of switches not collected: the DUT is a model that has neither");
    return std::move(soak.design);
  }
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

// Every window with every figure.
void addWindows(const SoakClock& clock, const std::vector<WindowFigure>& figures,
                ResultBuilder& builder) {
  results::Table table{
      "windows",
      "The soak, window by window",
      "Requests count in the window in which they arrived, tokens, gaps and packets in the one in "
      "which they came. Requests in the system: mean over the window, counted; beside it Little's "
      "law with the requests that arrived in it, which differs by those that cross its edges. "
      "Longest queue: of the intervals of the time series that touch the window. Not observed: no "
      "request arrived in the window, or one of its requests did not get there.",
      {"Time"},
      {}};
  for (const WindowFigure& figure : figures) table.columns.push_back(figure.column);
  for (std::uint32_t k = 0; k < clock.windows; ++k) {
    std::vector<results::Cell> row{windowClock(clock, k)};
    for (const WindowFigure& figure : figures) {
      if (figure.values[k]) {
        row.emplace_back(figure.inWindow(k));
      } else {
        row.emplace_back(std::string("not observed"));
      }
    }
    table.rows.push_back(std::move(row));
  }
  builder.result().tables.push_back(std::move(table));
}

void addKpis(const std::vector<WindowFigure>& figures, ResultBuilder& builder) {
  for (const WindowFigure& figure : figures) {
    if (figure.kpi.empty()) continue;
    const std::vector<double> values = figure.present();
    if (values.size() < figure.values.size()) {
      builder.notMeasured(figure.kpi, "worst window");
      continue;
    }
    const stats::Summary summary = stats::summarize(values);
    // Windows are not repetitions: how they scatter is in the tables.
    builder.kpi(figure.kpi, "mean of the windows", figure.overWindows(summary.mean));
    builder.kpi(figure.kpi, "worst window",
                figure.overWindows(figure.more_is_better ? summary.minimum : summary.maximum));
  }
}

// TTFT P99 over the day against the draft's 1 %, with the variation expected from sampling alone.
void addVariation(const WindowFigure& requests, const WindowFigure& ttft, ResultBuilder& builder) {
  const std::vector<double> values = ttft.present();
  const std::vector<double> counts = requests.present();
  const double count = stats::summarize(counts).mean;
  builder.kpi("requests_per_window", "mean of the windows", modelled(count, {}));
  results::Table table{
      "variation",
      "Variation of TTFT P99 over the soak",
      fmt::format("The draft expects less than 1 %. From sampling alone, the relative standard "
                  "error of a P99 of n requests with an exponential tail is sqrt(99 / n) / ln 100: "
                  "1 % takes {:.0f} requests a window.",
                  std::ceil(requestsForP99(kDraftVariation))),
      {"Requests a window", "Mean", "Smallest", "Largest", "Largest less smallest", "CV",
       "Standard error from sampling"},
      {}};
  if (values.size() < ttft.values.size()) {
    builder.notMeasured("ttft_p99_variation_percent", "windows");
    builder.anomaly(
        fmt::format(
            "TTFT P99 has no value in {} of {} windows: no request arrived in them, or one of "
            "theirs got no token",
            ttft.values.size() - values.size(), ttft.values.size()),
        "variation");
    return;
  }
  const stats::Summary summary = stats::summarize(values);
  const double variation = 100 * (summary.maximum - summary.minimum) / summary.mean;
  table.rows.push_back(
      {modelled(count, {}), modelled(summary.mean, "ms"), modelled(summary.minimum, "ms"),
       modelled(summary.maximum, "ms"),
       builder.kpi("ttft_p99_variation_percent", "windows", modelled(variation, "%")),
       modelled(100 * summary.standard_deviation / summary.mean, "%"),
       modelled(100 * errorOfP99(count), "%")});
  builder.result().tables.push_back(std::move(table));
  if (count < requestsForP99(kDraftVariation)) {
    builder.deviation(
        fmt::format("{:.4g} requests a window cannot show a variation of 1 %: the standard error "
                    "of TTFT P99 is {:.2g} %{}",
                    count, 100 * errorOfP99(count),
                    count < 100 ? ", and the P99 is the largest of them" : ""),
        "variation");
  }
}

void ServingSoakProcedure::report(const TestConfig& config, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const SoakClock clock = ServingSoakDesign(config).clock;
  if (measured.empty()) return;
  const bench::TrialResult& trial = measured.front().trials.front();
  const std::vector<WindowFigure> figures =
      servedWindows(config, clock, design.points.front().spec, trial);
  addWindows(clock, figures, builder);
  for (const std::uint32_t window : littleViolations(clock, *trial.serving)) {
    builder.anomaly(
        "requests in the system are not the sum of the requests' times: a fault of the "
        "model",
        windowClock(clock, window));
  }
  addRequestData(design, measured, builder);
  addKpis(figures, builder);
  addVariation(figures[0], figures[1], builder);
  const WindowTrends trends = addWindowTrends(clock, figures, builder);
  const results::Quantity drifts =
      builder.kpi("significant_drifts", "", modelled(static_cast<double>(trends.significant), {}));
  if (trends.judged < figures.size()) builder.notMeasured("significant_drifts", "");
  builder.primary("Figures with a significant trend", drifts);
  const auto chart = [&](const char* id, const char* title, const char* y,
                         std::initializer_list<std::size_t> which) {
    results::Chart heading;
    heading.id = id;
    heading.title = title;
    heading.y_label = y;
    std::vector<WindowFigure> shown;
    for (const std::size_t i : which) shown.push_back(figures[i]);
    addWindowChart(clock, shown, std::move(heading), builder);
  };
  chart("latency_over_day", "Latency over the soak", "P99 [ms]", {1, 2, 4});
  chart("tokens_over_day", "Output over the soak", "TPS output [tokens/s]", {3});
  chart("fabric_over_day", "Marks, pauses and retransmissions over the soak", "per second",
        {6, 7, 9});
  builder.result().summary = fmt::format(
      "{} windows, {:.4g} requests each: {} of {} figures that were judged have a significant "
      "trend.",
      clock.windows, stats::summarize(figures[0].present()).mean, trends.significant,
      trends.judged);
}

}  // namespace

const Procedure& servingSoakProcedure() {
  static const ServingSoakProcedure test;
  return test;
}

}  // namespace plumbline::suite
