// I11.3 Goodput under preemption and eviction (inference draft, section 11.3).
//
// 110 to 200 % of the rate that the system can sustain: the first of `parameters.rates` (I11.1
// finds it), or the capacity of its pools. Unless the scenario has another `scheduler.preemption`,
// preempted requests go through the prefill pool again, so that their KV cache crosses the fabric
// again. Unfinished requests count as not reached in every percentile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

constexpr std::array<std::uint32_t, 4> kDraftLoads{110, 125, 150, 200};  // %

std::vector<std::string> overloadKpis() {
  return {"goodput_tokens_per_s", "output_tokens_per_s", "goodput_share_percent",
          "ttft_p99_ms",          "itl_p99_ms",          "requests_not_done"};
}

const char* preemptionText(serving::Preemption preemption) {
  switch (preemption) {
    case serving::Preemption::kRecomputePrefill:
      return "through the prefill pool again, their KV cache over the fabric again";
    case serving::Preemption::kRecomputeDecode:
      return "computed again on the decode worker: nothing is sent again";
    case serving::Preemption::kSwap:
      break;
  }
  return "swapped to the host's memory: nothing is sent again";
}

class OverloadProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I11.3"; }
  [[nodiscard]] std::string title() const override {
    return "Goodput under preemption and eviction";
  }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(overloadKpis(), memoryKpis());
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design OverloadProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Offered load", "%"}};
  design.repetitions = design.numbers.repetitions(3, 1);
  serving::ServingProgram program = servingSection(config).program;
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = steadyWindow(config, design.numbers);
  auto& preemption = program.system.scheduler.preemption;
  preemption = preemption.value_or(serving::Preemption::kRecomputePrefill);
  design.numbers.configure("Preempted requests", preemptionText(*preemption));
  const auto& rates = config.scenario.parameters.rates;
  const double base = rates ? rates->front() : requestCapacity(program);
  design.numbers.configure("100 %",
                           fmt::format("{:.3g} requests/s, {}", base,
                                       rates ? "the scenario's" : "capacity of the pools"));
  if (!rates) {
    design.numbers.deviation(
        "100 % is the capacity of the pools, not the rate that I11.1 found (parameters.rates)");
  }
  const std::vector<std::uint32_t> draft(kDraftLoads.begin(), kDraftLoads.end());
  for (const std::uint32_t load :
       design.numbers.sweep<std::uint32_t>("Loads", draft, {110, 200}, std::nullopt)) {
    setRequestRate(program.workload, base * load / 100);
    addSteadyPoint(config, design, {std::to_string(load)}, program);
  }
  return design;
}

void OverloadProcedure::report(const TestConfig& config, const Design& design,
                               const std::vector<Measured>& measured,
                               ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  std::vector<Figure> figures = chosen(servingFigures(slo), overloadKpis());
  figures.front().primary = true;
  append(figures, memoryFigures(slo));
  addSteadyTable(design, measured, figures,
                 {"overload", "Beyond the system's capacity", kServingNote, {}, {}}, builder);
  results::Chart chart;
  chart.id = "goodput_over_load";
  chart.title = "Goodput over the offered load";
  chart.x_label = "Offered load [%]";
  chart.y_label = "Goodput [tokens/s]";
  addChart(design, measured, figures.front(),
           {[&](std::size_t i) { return std::stod(design.points[i].values[0]); },
            [](std::size_t) { return std::string("Goodput"); }},
           std::move(chart), builder);
}

}  // namespace

const Procedure& overloadProcedure() {
  static const OverloadProcedure test;
  return test;
}

}  // namespace plumbline::suite
