// I9.4 Fairness over decode workers (inference draft, section 9.4).
//
// A growing number of decode workers, prefill workers in proportion and the load with them. Over
// the decode workers: Jain's index and max/min of the KV cache received, the time in steps, and the
// tokens.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "stats/summary.h"
#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

constexpr std::array<std::uint32_t, 4> kDraftWorkers{8, 16, 32, 64};

std::optional<Reading> jain(const std::vector<double>& shares) {
  const auto index = stats::jainIndex(shares);
  return index ? std::optional<Reading>(*index) : std::nullopt;
}
std::optional<Reading> maxOverMin(const std::vector<double>& shares) {
  const auto [min, max] = std::minmax_element(shares.begin(), shares.end());
  if (min == shares.end() || *min <= 0) return std::nullopt;
  return Reading(*max / *min);
}

class DecodeFairnessProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I9.4"; }
  [[nodiscard]] std::string title() const override { return "Fairness over decode workers"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"kv_received_jfi",   "kv_received_max_min",   "decode_busy_jfi", "decode_busy_max_min",
            "decode_tokens_jfi", "decode_tokens_max_min", "ttft_p99_ms",     "output_tokens_per_s"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.4"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design DecodeFairnessProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Decode workers", "workers"}};
  design.repetitions = design.numbers.repetitions(3, 1);
  const serving::ServingProgram& section = servingSection(config).program;
  serving::ServingProgram program = section;
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = steadyWindow(config, design.numbers);
  const double per_worker = requestRate(program.workload) / section.system.servers.decode.workers;
  const auto sized = [&](std::uint32_t decode) {
    serving::MappingSpec servers = section.system.servers;
    servers.decode.workers = decode;
    // Rounded up, so that no count has a busier prefill pool than the scenario's.
    const std::uint32_t all = section.system.servers.decode.workers;
    servers.prefill.workers = (section.system.servers.prefill.workers * decode + all - 1) / all;
    return servers;
  };
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const std::vector<std::uint32_t> draft(kDraftWorkers.begin(), kDraftWorkers.end());
  const auto counts = design.numbers.sweep<std::uint32_t>(
      "Decode workers", draft, {section.system.servers.decode.workers}, std::nullopt,
      [&](std::uint32_t count) {
        return serving::Mapping(sized(count), section.system.model).nics() <= hosts;
      });
  for (const std::uint32_t count : counts) {
    program.system.servers = sized(count);
    setRequestRate(program.workload, per_worker * count);
    addSteadyPoint(config, design, {std::to_string(count)}, program);
  }
  if (counts.empty()) {
    design.refusals.push_back(
        fmt::format("the topology's {} hosts have no room for 8 decode workers", hosts));
  }
  return design;
}

void DecodeFairnessProcedure::report(const TestConfig& config, const Design& design,
                                     const std::vector<Measured>& measured,
                                     ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  const auto over = [&](const char* column, const char* kpi, WorkerShare share,
                        std::optional<Reading> (*of)(const std::vector<double>&)) {
    Figure figure = servingFigure(
        column, "", kpi, slo,
        [share, of](const serving::ServingMetrics&, const serving::ServingResult& result) {
          return of(decodeShares(result, share));
        });
    figure.absent = "a worker had none";
    return figure;
  };
  std::vector<Figure> figures{
      over("JFI of KV received", "kv_received_jfi", WorkerShare::kBytes, jain),
      over("Max/min of KV received", "kv_received_max_min", WorkerShare::kBytes, maxOverMin),
      over("JFI of time in steps", "decode_busy_jfi", WorkerShare::kBusy, jain),
      over("Max/min of time in steps", "decode_busy_max_min", WorkerShare::kBusy, maxOverMin),
      over("JFI of tokens", "decode_tokens_jfi", WorkerShare::kTokens, jain),
      over("Max/min of tokens", "decode_tokens_max_min", WorkerShare::kTokens, maxOverMin)};
  figures.front().primary = true;
  append(figures, chosen(servingFigures(slo), {"ttft_p99_ms", "output_tokens_per_s"}));
  addSteadyTable(design, measured, figures,
                 {"fairness", "Decode workers against each other", kServingNote, {}, {}}, builder);
  results::Chart chart;
  chart.id = "jfi";
  chart.title = "Jain's index of KV cache received";
  chart.x_label = "Decode workers";
  chart.y_label = "JFI";
  addChart(design, measured, figures.front(),
           {[&](std::size_t i) { return std::stod(design.points[i].values[0]); },
            [](std::size_t) { return std::string("KV received"); }},
           std::move(chart), builder);
}

}  // namespace

const Procedure& decodeFairnessProcedure() {
  static const DecodeFairnessProcedure test;
  return test;
}

}  // namespace plumbline::suite
