// I13.2 KV cache memory leak detection (inference draft, section 13.2).
//
// The soak of I13.1 (in one run it is the same trial): pages of KV cache in use, pages pinned until
// they are sent, transfers, messages and queue pairs over the windows. A figure is a potential leak
// when it rises (Mann-Kendall, one-sided, 1 % for all figures together) or is not zero after the
// last request: pages in use without a request at the end of a soak are lost. `serving.memory.leak`
// simulates a leak.
#include <fmt/format.h>

#include <algorithm>

#include "serving/mapping.h"
#include "stats/summary.h"
#include "suite/inference/inference.h"
#include "suite/inference/serving_soak.h"

namespace plumbline::suite {
namespace {

// The first figures of memoryWindows(), whose rise is a leak. Cached pages are free ones, and queue
// pairs are used in turn until all have been.
constexpr std::size_t kJudged = 7;

class KvLeakProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I13.2"; }
  [[nodiscard]] std::string title() const override { return "KV cache memory leak detection"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"potential_leaks",   "pages_left",   "prefill_pages_used",
            "decode_pages_used", "pages_pinned", "queue_pairs_used"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 13.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override {
    ServingSoakDesign soak(config);
    const double leak = servingSection(config).program.system.memory.leak;
    soak.design.numbers.configure(
        "Planted leak", leak > 0 ? fmt::format("{:g} of the pages given back", leak) : "none");
    soak.design.numbers.deviation(
        "memory of accelerators, hosts and NICs not collected: the model has pages of KV cache, "
        "and one registration for the cache of each worker");
    return std::move(soak.design);
  }
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

// The judged figures after the last request; nothing if the trial ended before that.
std::optional<std::vector<double>> leftOf(const SoakClock& clock,
                                          const serving::ServingResult& result) {
  const serving::ServingSample& end = result.samples.back();
  const bool quiet = result.samples.size() == std::size_t{clock.warmup} + clock.windows + 1 &&
                     std::all_of(end.in_stage.begin(), end.in_stage.end(),
                                 [](std::uint64_t requests) { return requests == 0; });
  if (!quiet) return std::nullopt;
  const auto prefill = static_cast<double>(end.prefill.used);
  const auto decode = static_cast<double>(end.decode.used);
  return std::vector<double>{prefill,
                             prefill,
                             decode,
                             decode,
                             static_cast<double>(end.pinned),
                             0,
                             static_cast<double>(end.messages_open)};
}

void KvLeakProcedure::report(const TestConfig& config, const Design& design,
                             const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const SoakClock clock = ServingSoakDesign(config).clock;
  if (measured.empty()) return;
  const bench::TrialResult& trial = measured.front().trials.front();
  const serving::ServingResult& result = *trial.serving;
  const serving::ServingProgram& program = *design.points.front().spec.serving;
  const std::vector<WindowFigure> figures = memoryWindows(clock, trial);
  const std::optional<std::vector<double>> left = leftOf(clock, result);
  const serving::PoolPages& prefill = result.samples.back().prefill;
  const serving::PoolPages& decode = result.samples.back().decode;
  const double level = kSoakFalseAlarm / kJudged;
  results::Table table{
      "memory",
      "Memory over the soak",
      fmt::format("Pages of all workers of a pool: prefill has {}, decode {}. Pages not in use are "
                  "free, with or without cached content. A figure rises if the one-sided p of "
                  "Mann-Kendall is below {:.2g}; without a leak, this happens in 1 % of all soaks. "
                  "At quiescence: after the last request. Cached pages are free and therefore not "
                  "judged; queue pairs have a fixed maximum.",
                  prefill.total, decode.total, level),
      {"Figure", "Mean", "Largest", "Last window", "At quiescence", "Slope", "Mann-Kendall z",
       "p of a rise", "Potential leak"},
      {}};
  const bool enough = leastMannKendallP(clock.windows) / 2 < level;
  if (!enough) {
    builder.anomaly(fmt::format("{} windows are too few to find a rise: the least p that they can "
                                "have is {:.2g}, and a significant one is below {:.2g}",
                                clock.windows, leastMannKendallP(clock.windows) / 2, level),
                    "memory over the soak");
  }
  std::vector<double> hours;
  hours.reserve(clock.windows);
  for (std::uint32_t k = 0; k < clock.windows; ++k) hours.push_back(clock.hour(k));
  std::size_t leaks = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const WindowFigure& figure = figures[i];
    const std::vector<double> values = figure.present();
    if (values.size() < clock.windows) continue;
    const results::Quantity mean = quantityOf(values, figure.unit, ObservationPoint::kModelled);
    const double largest = stats::summarize(values).maximum;
    std::vector<results::Cell> row{figure.column, mean, modelled(largest, {}),
                                   modelled(values.back(), {})};
    const bool judged = i < kJudged;
    if (judged && left) {
      row.emplace_back(modelled((*left)[i], {}));
    } else {
      row.emplace_back(std::string(judged ? "not quiet" : "-"));
    }
    const std::optional<Trend> trend = trendOf(hours, values);
    const std::optional<MannKendall> order = mannKendall(values);
    row.emplace_back(modelled(trend->slope, "/h"));
    row.emplace_back(modelled(order->z, {}));
    row.emplace_back(modelled(order->rising, {}));
    const bool rises = judged && order->rising < level;
    const bool remains = judged && left && (*left)[i] > 0;
    row.emplace_back(std::string(rises || remains     ? "yes"
                                 : !judged || !enough ? "not judged"
                                                      : "no"));
    table.rows.push_back(std::move(row));
    if (!figure.kpi.empty()) {
      builder.kpi(figure.kpi, "mean of the windows", modelled(mean.value, {}));
      builder.kpi(figure.kpi, "largest", modelled(largest, {}));
    }
    if (!rises && !remains) continue;
    ++leaks;
    builder.anomaly(
        fmt::format(
            "potential leak: {} {}{}", figure.column,
            rises ? fmt::format("rises by {:.4g} /h (p = {:.2g})", trend->slope, order->rising)
                  : std::string("does not rise significantly"),
            remains ? fmt::format(", {:.0f} left when the last request is over", (*left)[i])
                    : std::string()),
        "memory over the soak");
  }
  builder.result().tables.push_back(std::move(table));
  const serving::Mapping mapping(program.system.servers, program.system.model);
  results::Table constants{"constants",
                           "What cannot change in the model",
                           "Registered once when a worker starts, and counted as the model has it.",
                           {"What", "Count"},
                           {}};
  const std::uint32_t workers =
      program.system.servers.prefill.workers + program.system.servers.decode.workers;
  constants.rows.push_back(
      {std::string("Memory registrations, one per worker's cache"), modelled(workers, {})});
  constants.rows.push_back({std::string("NICs"), modelled(mapping.nics(), {})});
  constants.rows.push_back(
      {std::string("Queue pairs between two NICs"), modelled(program.queue_pairs, {})});
  builder.result().tables.push_back(std::move(constants));
  if (left) {
    builder.kpi("pages_left", "", modelled((*left)[0] + (*left)[2], {}));
  } else {
    builder.notMeasured("pages_left", "");
    builder.anomaly(
        "requests are left at the end of the trial: what is in use at quiescence is "
        "not known (serving.drain)",
        "memory over the soak");
  }
  const results::Quantity count =
      builder.kpi("potential_leaks", "", modelled(static_cast<double>(leaks), {}));
  if (!enough || !left) builder.notMeasured("potential_leaks", "");
  if (result.requests.empty()) {
    builder.result().valid = false;
    builder.anomaly("no request arrived: there was nothing that could leak",
                    "memory over the soak");
  }
  builder.primary("Potential leaks", count);
  results::Chart chart;
  chart.id = "pages_over_day";
  chart.title = "Pages of KV cache over the soak";
  chart.y_label = "Pages";
  addWindowChart(clock, {figures.begin(), figures.begin() + 5}, std::move(chart), builder);
  builder.result().summary =
      leaks == 0 ? fmt::format("No potential leak in {} windows.", clock.windows)
                 : fmt::format("{} of {} figures of memory are potential leaks.", leaks, kJudged);
}

}  // namespace

const Procedure& kvLeakProcedure() {
  static const KvLeakProcedure test;
  return test;
}

}  // namespace plumbline::suite
