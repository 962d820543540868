// I11.2 Batch size and continuous batching (inference draft, section 11.2).
//
// The largest decode batch is swept, with static batches (one begins when the previous one has
// ended completely) and with continuous ones. Reported: tokens per second, TTFT P99, KV cache per
// second, simultaneous transfers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

constexpr std::array<std::uint32_t, 7> kDraftBatches{1, 4, 8, 16, 32, 64, 128};

std::vector<std::string> batchingKpis() {
  return {"output_tokens_per_s", "ttft_p99_ms", "itl_p99_ms", "requests_not_done"};
}

class BatchingProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I11.2"; }
  [[nodiscard]] std::string title() const override { return "Batch size and continuous batching"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(batchingKpis(), {"kv_mean_gigabytes_per_s", "peak_transfers"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design BatchingProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Largest batch", "requests"}, {"Batching", ""}};
  design.repetitions = design.numbers.repetitions(3, 1);
  serving::ServingProgram program = servingSection(config).program;
  serving::WorkloadSpec defaults = defaultLoad(config);
  defaults.output.kind = serving::LengthKind::kUniform;
  defaults.output.low = 16;
  defaults.output.high = 128;
  program.workload = loadOr(config, defaults);
  program.system.window = steadyWindow(config, design.numbers);
  const std::vector<std::uint32_t> draft(kDraftBatches.begin(), kDraftBatches.end());
  const auto batches =
      design.numbers.sweep<std::uint32_t>("Batches", draft, {1, 8, 64}, std::nullopt);
  for (const std::uint32_t batch : batches) {
    for (const bool continuous : {false, true}) {
      serving::SchedulerSpec& scheduler = program.system.scheduler;
      scheduler = servingSection(config).program.system.scheduler;
      scheduler.max_batch = batch;
      if (!continuous) {
        scheduler.batching = serving::Batching::kStatic;
        scheduler.reserve = serving::Reserve::kPromptMax;
        if (scheduler.max_output == 0) {
          scheduler.max_output = serving::maxOutput(program.workload);
        }
      }
      addSteadyPoint(config, design, {std::to_string(batch), continuous ? "continuous" : "static"},
                     program);
    }
  }
  return design;
}

void BatchingProcedure::report(const TestConfig& config, const Design& design,
                               const std::vector<Measured>& measured,
                               ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  std::vector<Figure> figures = chosen(servingFigures(slo), batchingKpis());
  figures.front().primary = true;
  figures.push_back(
      servingFigure("KV cache", "GB/s", "kv_mean_gigabytes_per_s", slo,
                    [](const serving::ServingMetrics&, const serving::ServingResult& result) {
                      return kvThroughput(result);
                    }));
  figures.push_back(
      servingFigure("Transfers at a time", "", "peak_transfers", slo,
                    [](const serving::ServingMetrics&, const serving::ServingResult& result) {
                      return std::optional<Reading>(peakTransfers(result));
                    }));
  addSteadyTable(design, measured, figures, {"batches", "Decode batches", kServingNote, {}, {}},
                 builder);
  for (const char* kpi : {"output_tokens_per_s", "ttft_p99_ms"}) {
    const Figure figure = chosen(servingFigures(slo), {kpi}).front();
    results::Chart chart;
    chart.id = std::string(kpi) + "_over_batch";
    chart.title = figure.column + " over the largest batch";
    chart.x_label = "Largest batch";
    chart.y_label = fmt::format("{} [{}]", figure.column, figure.unit);
    chart.log_x = true;
    addChart(design, measured, figure,
             {[&](std::size_t i) { return std::stod(design.points[i].values[0]); },
              [&](std::size_t i) { return design.points[i].values[1]; }},
             std::move(chart), builder);
  }
}

}  // namespace

const Procedure& batchingProcedure() {
  static const BatchingProcedure test;
  return test;
}

}  // namespace plumbline::suite
