// I6.3 Heterogeneous parallelism (inference draft, section 6.3).
//
// Three ways to divide a model over the accelerators of prefill and decode servers, under one load:
// number of flows of a request's KV cache, how they meet at the receiving NICs, and the cost. DP of
// the draft's third configuration is a second prefill worker in each server.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

struct Parallelism {
  const char* name;
  std::uint32_t prefill_tp;
  std::uint32_t decode_tp;  // of an attention group
};
constexpr std::array<Parallelism, 3> kConfigurations{{
    {"P TP 8, D TP 8", 8, 8},
    {"P TP 8, D TP 4 x DP attention 2", 8, 4},
    {"P TP 4 x DP 2, D TP 2 x DP attention 4", 4, 2},
}};
constexpr std::uint32_t kGpus = 8;

std::vector<std::string> parallelismKpis() {
  return {"ttft_p50_ms",
          "ttft_p99_ms",
          "itl_p50_ms",
          "itl_p99_ms",
          "ttft_fabric_ms",
          "request_transfer_p50_ms",
          "request_transfer_p99_ms",
          "kv_gigabytes_per_s"};
}

serving::MappingSpec serversOf(serving::MappingSpec servers, const Parallelism& one) {
  const std::uint32_t prefill_servers = servers.prefill.workers;
  const std::uint32_t decode_servers = servers.decode.workers;
  servers.prefill = {prefill_servers * (kGpus / one.prefill_tp), one.prefill_tp, 1};
  servers.decode = {decode_servers, kGpus, kGpus / one.decode_tp};
  return servers;
}

class ParallelismProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I6.3"; }
  [[nodiscard]] std::string title() const override { return "Heterogeneous parallelism"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(parallelismKpis(), {"kv_flows", "kv_incast", "kv_request_bytes"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design ParallelismProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Parallelism", ""}};
  design.repetitions = design.numbers.repetitions(20, 2);
  const serving::ServingProgram& section = servingSection(config).program;
  const serving::MappingSpec& servers = section.system.servers;
  if (servers.gpus != kGpus || servers.prefill.tp != kGpus || servers.decode.tp != kGpus) {
    design.refusals.emplace_back(
        "the draft's configurations divide servers of 8 accelerators: serving.servers needs gpus 8 "
        "and TP 8 in both pools");
    return design;
  }
  serving::WorkloadSpec defaults = defaultLoad(config);
  defaults.prompt = {};
  defaults.prompt.low = 4096;
  defaults.output.low = 32;
  defaults.arrivals.rate = design.numbers.isStandard() ? 4 : 15;
  serving::ServingProgram program = section;
  program.workload = loadOr(config, defaults);
  program.system.window = steadyWindow(config, design.numbers);
  for (const Parallelism& one : kConfigurations) {
    program.system.servers = serversOf(servers, one);
    addSteadyPoint(config, design, {one.name}, program);
  }
  return design;
}

void ParallelismProcedure::report(const TestConfig& config, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  const auto loads = [&] {
    std::vector<serving::MappingLoad> all;
    for (const SweepPoint& point : design.points)
      all.push_back(requestLoad(*point.spec.serving, 1));
    return all;
  }();
  const auto flowsOf = [](const serving::MappingLoad& load) {
    double flows = 0;
    for (const serving::NicShare& share : load.receivers) flows += share.flows;
    return flows;
  };
  const auto planned = [&](const char* column, const char* kpi, auto of) {
    Figure figure{.column = column, .unit = "", .kpi = kpi};
    figure.of = [of](std::size_t point, const bench::TrialResult&) -> std::optional<Reading> {
      return Reading(of(point));
    };
    return figure;
  };
  std::vector<Figure> figures{
      planned("Flows of a request", "kv_flows", [&](std::size_t i) { return flowsOf(loads[i]); }),
      planned("Flows into the busiest NIC", "kv_incast",
              [&](std::size_t i) { return loads[i].incast; })};
  append(figures, chosen(servingFigures(slo), parallelismKpis()));
  figures.back().primary = true;
  addSteadyTable(design, measured, figures,
                 {"parallelism", "Parallelism of prefill and decode", kServingNote, {}, {}},
                 builder);
  results::Chart chart;
  chart.id = "transfer_over_parallelism";
  chart.title = "KV transfer by parallelism";
  chart.kind = results::ChartKind::kBar;
  chart.y_label = "KV transfer P50 [ms]";
  addBars(design, measured, chosen(servingFigures(slo), {"request_transfer_p50_ms"}).front(),
          {[&](std::size_t i) { return design.points[i].values[0]; },
           [](std::size_t) { return std::string("KV transfer P50"); }},
          std::move(chart), builder);
}

}  // namespace

const Procedure& parallelismProcedure() {
  static const ParallelismProcedure test;
  return test;
}

}  // namespace plumbline::suite
