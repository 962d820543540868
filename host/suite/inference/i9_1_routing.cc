// I9.1 KV-aware request routing (inference draft, section 9.1).
//
// Round robin and KV-aware routing to decode workers over request rates. Reported: variation of the
// decode workers' memory, TTFT and ITL P99, evictions, goodput.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

std::vector<std::string> routingKpis() {
  return {"ttft_p99_ms", "itl_p99_ms", "goodput_tokens_per_s", "request_transfer_p99_ms",
          "requests_not_done"};
}

constexpr std::array<std::pair<const char*, serving::RouterPolicy>, 2> kPolicies{
    {{"round robin", serving::RouterPolicy::kRoundRobin},
     {"KV-aware", serving::RouterPolicy::kKvAware}}};

class RoutingProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I9.1"; }
  [[nodiscard]] std::string title() const override { return "KV-aware request routing"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    std::vector<std::string> names = with({"decode_memory_cv_percent"}, routingKpis());
    return with(std::move(names), memoryKpis());
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design RoutingProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Rate", "requests/s"}, {"Routing", ""}};
  design.repetitions = design.numbers.repetitions(3, 1);
  serving::ServingProgram program = servingSection(config).program;
  if (program.system.servers.decode.workers < 2) {
    design.refusals.emplace_back(
        "one decode worker leaves no choice: serving.servers.decode needs 2");
    return design;
  }
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = steadyWindow(config, design.numbers);
  design.numbers.configure("Capacity", fmt::format("{:.3g} requests/s of this load at most; beyond "
                                                   "it requests queue without end",
                                                   requestCapacity(program)));
  for (const double rate : design.numbers.sweep<double>("Rates", {10, 50, 100, 200}, {10, 50},
                                                        config.scenario.parameters.rates)) {
    for (const auto& [name, policy] : kPolicies) {
      setRequestRate(program.workload, rate);
      program.system.router.decode = policy;
      addSteadyPoint(config, design, {valueText(rate), name}, program);
    }
  }
  return design;
}

void RoutingProcedure::report(const TestConfig& config, const Design& design,
                              const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  Figure variation =
      servingFigure("CV of decode memory", "%", "decode_memory_cv_percent", slo,
                    [](const serving::ServingMetrics&, const serving::ServingResult& result) {
                      return memoryVariation(result);
                    });
  variation.primary = true;
  std::vector<Figure> figures{variation};
  append(figures, chosen(servingFigures(slo), routingKpis()));
  append(figures, memoryFigures(slo));
  addSteadyTable(
      design, measured, figures,
      {"routing",
       "Routing policies over the request rate",
       std::string(kServingNote) +
           " CV of decode memory is over the workers, of the pages in use in the mean over "
           "the run.",
       {},
       {}},
      builder);
  results::Chart chart;
  chart.id = "memory_cv";
  chart.title = "Variation of decode memory";
  chart.kind = results::ChartKind::kBar;
  chart.y_label = "CV [%]";
  addBars(design, measured, variation,
          {[&](std::size_t i) { return design.points[i].values[0] + " requests/s"; },
           [&](std::size_t i) { return design.points[i].values[1]; }},
          std::move(chart), builder);
}

}  // namespace

const Procedure& routingProcedure() {
  static const RoutingProcedure test;
  return test;
}

}  // namespace plumbline::suite
