// T11.1 Scale limits (training draft, section 11.1).
//
// Ring AllReduce of one large buffer among a growing number of ranks, up to all hosts of the DUT.
// Measured as in T9.1; besides, per number of ranks, the JCT ratio: time per iteration over the
// serialisation time of a ring's bytes (S algo_factor / line rate). Switches balance as the
// scenario says. CPU and memory of switches and the convergence of a routing protocol are not
// modelled.
#include <fmt/format.h>

#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"
#include "workload/formulas.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

class ScaleProcedure final : public CollectiveProcedure {
 public:
  ScaleProcedure()
      : CollectiveProcedure({{CollectiveKind::kAllReduce},
                             {Bytes(std::int64_t{1} << 30)},
                             {Bytes(4 << 20)},
                             {64, 128, 256, 512, 1024},
                             {8, 16, 32, 64}}) {}

  [[nodiscard]] std::string id() const override { return "T11.1"; }
  [[nodiscard]] std::string title() const override { return "Scale limits"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(CollectiveProcedure::kpis(), {"jct_ratio"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 11.1"; }
  [[nodiscard]] std::vector<Variant> variants(const TestConfig& config,
                                              Numbers& numbers) const override {
    numbers.deviation("CPU and memory of switches not collected: the DUT is a model");
    numbers.deviation(fmt::format(
        "Routing convergence after clearing all adjacencies not measured: the model has no routing "
        "protocol; its routes change `convergence` ({}) after a link's state does",
        valueText(config.scenario.convergence)));
    const Variant variant = scenarioVariant(config);
    return {variant};
  }
  void reportMore(const TestConfig& config, const Design& design,
                  const std::vector<CollectivePoint>& points, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override {
    const BitRate rate = config.scenario.topology.link_rate;
    const Figure ratio{.column = "JCT ratio",
                       .unit = "",
                       .kpi = "jct_ratio",
                       .of = [&](std::size_t i, const bench::TrialResult& trial) {
                         const double ideal = workload::idealSeconds(
                             points[i].kind, points[i].ranks,
                             static_cast<std::uint64_t>(points[i].size.count()), rate);
                         const bench::JobOutcome& job = trial.fabric->jobs.at(0);
                         const auto iterations = static_cast<double>(job.iterations.size());
                         return workload::jctRatio(job.completion, iterations * ideal);
                       }};
    addTable(design, measured, {ratio},
             {"jct_ratio",
              "JCT ratio",
              "Time of the job over the serialisation of what each rank sends in its iterations. "
              "Where iterations overlap, the job takes less time than they do together.",
              {},
              {}},
             builder);
    addChart(design, measured, ratio,
             {[&](std::size_t i) { return static_cast<double>(points[i].ranks); },
              [&](std::size_t i) { return valueText(points[i].size); }},
             chartOverRanks("jct_ratio_vs_ranks", "JCT ratio over ranks", "JCT ratio"), builder);
  }
};

}  // namespace

const Procedure& scaleProcedure() {
  static const ScaleProcedure test;
  return test;
}

}  // namespace plumbline::suite
