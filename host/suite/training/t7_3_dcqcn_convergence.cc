// T7.3 DCQCN convergence (training draft, section 7.3).
//
// M flows share one receiver's link over RoCEv2 with DCQCN; at T0 as many again join (2:1). Swept:
// M, and the parameters of DCQCN by their published sets. Every sender has the next message posted
// before the one under way is done, so that flows never fall silent. Measured: convergence, the
// time from T0 since when every flow's rate is within 10 % of the mean rate and stays so until the
// senders stop (convergence.h has the definition, incast.h the windows); the share of time that
// all flows are within it; goodput of the link while senders send; longest queue; marks; PAUSE
// frames.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "suite/fabric_metrics.h"
#include "suite/training/incast.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr std::uint32_t kMostSenders = 16;

struct DcqcnPoint {
  std::uint32_t flows = 0;  // M
  std::string parameters;
  Incast incast;
};

class DcqcnConvergenceTest final : public FabricTest {
 public:
  [[nodiscard]] std::string id() const override { return "T7.3"; }
  [[nodiscard]] std::string title() const override { return "DCQCN convergence"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"convergence_us", "goodput_percent", "flow_jfi",
            "ecn_percent",    "pfc_per_s",       "queue_max_bytes"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<DcqcnPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<DcqcnPoint> DcqcnConvergenceTest::pointsOf(const TestConfig& config, Numbers& numbers) {
  const std::array<std::pair<const char*, transport::DcqcnSpec>, 3> sets{
      {{"paper", transport::DcqcnSpec::paper()},
       {"NVIDIA", transport::DcqcnSpec::nvidia()},
       {"HPCC", transport::DcqcnSpec::hpcc()}}};
  const Picoseconds duration = numbers.atLeast<Picoseconds>(
      "Duration", seconds(300), milliseconds(10), config.scenario.parameters.duration);
  numbers.configure("Parameters of DCQCN", "published sets: paper, NVIDIA, HPCC");
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  std::vector<DcqcnPoint> points;
  for (const std::uint32_t flows : numbers.sweep<std::uint32_t>(
           "Flows before T0", {4, 16, 64, 256}, {4, 16}, config.scenario.parameters.flows)) {
    for (const auto& [name, dcqcn] : sets) {
      Variant variant = serviceVariant(config, "RC", balancingOf("ecmp"));
      std::get<transport::RoceSpec>(variant.transport).dcqcn = dcqcn;
      Incast incast{std::move(variant)};
      const std::uint32_t early = std::min({flows, kMostSenders, (hosts - 1) / 2});
      incast.senders = 2 * early;
      incast.early = early;
      incast.flows = flows / early;
      incast.message = Bytes((1 << 20) * std::int64_t{incast.flows});
      incast.until = duration;
      incast.join_at = duration / 4;
      points.push_back({flows, name, std::move(incast)});
    }
  }
  return points;
}

Design DcqcnConvergenceTest::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Flows", "flows"}, {"Parameters", ""}};
  design.repetitions = design.numbers.repetitions(20, 2);
  for (const DcqcnPoint& point : pointsOf(config, design.numbers)) {
    bench::TrialSpec spec = incastTrial(config, point.incast);
    spec.sampling.emplace().interval = sharingSampling(config, point.incast);
    design.add({std::to_string(point.flows), point.parameters}, std::move(spec),
               incastHops(config, point.incast));
  }
  return design;
}

// How fast the slowest and the fastest flow were, and all of them in the mean, over time.
void addRates(const Measured& one, ResultBuilder& builder) {
  const bench::Samples& samples = *one.trials.front().fabric->samples;
  // No more points than a chart has room for.
  constexpr std::size_t kMostPoints = 500;
  const std::uint32_t window = std::max(
      ConvergenceRule().window, static_cast<std::uint32_t>(samples.samples.size() / kMostPoints));
  const auto rates = flowRates(samples, window);
  results::Chart chart;
  chart.id = fmt::format("rates_{}", builder.result().charts.size());
  chart.title = "Rates of the flows: " + one.point.label;
  chart.kind = results::ChartKind::kTime;
  chart.x_label = "time [us]";
  chart.y_label = "rate [Gb/s]";
  results::Series slowest{"slowest", {}, {}};
  results::Series mean{"mean", {}, {}};
  results::Series fastest{"fastest", {}, {}};
  const std::size_t windows = rates.empty() ? 0 : rates.front().size();
  for (std::size_t i = 0; i < windows; ++i) {
    double least = rates.front()[i];
    double most = least;
    double sum = 0;
    for (const std::vector<double>& flow : rates) {
      least = std::min(least, flow[i]);
      most = std::max(most, flow[i]);
      sum += flow[i];
    }
    const double time =
        (samples.interval * (static_cast<std::int64_t>(i + 1) * window)).toMicroseconds();
    for (results::Series* series : {&slowest, &mean, &fastest}) series->x.push_back(time);
    slowest.y.push_back(least);
    mean.y.push_back(sum / static_cast<double>(rates.size()));
    fastest.y.push_back(most);
  }
  chart.series = {std::move(slowest), std::move(mean), std::move(fastest)};
  builder.result().charts.push_back(std::move(chart));
}

void DcqcnConvergenceTest::report(const TestConfig& config, const Design& design,
                                  const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<DcqcnPoint> points = pointsOf(config, unused);
  std::vector<Incast> incasts;
  incasts.reserve(points.size());
  for (const DcqcnPoint& point : points) incasts.push_back(point.incast);
  std::vector<Figure> figures = convergenceFigures(std::move(incasts));
  const Figure convergence = figures.front();
  Figure goodput{.column = "Goodput",
                 .unit = "%",
                 .kpi = "goodput_percent",
                 .of = [&](std::size_t i, const bench::TrialResult& trial) {
                   return incastGoodputPercent(config, points[i].incast, trial);
                 }};
  goodput.primary = true;
  figures.insert(figures.end(), {goodput,
                                 figure("JFI of flows", "", "flow_jfi",
                                        [](const bench::TrialResult& trial) {
                                          return trial.fabric->flows.jfi.value_or(kNotMeasured);
                                        }),
                                 figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes),
                                 figure("ECN marked", "%", "ecn_percent", ecnPercent),
                                 figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond)});
  addTable(design, measured, figures,
           {"convergence",
            "Convergence after as many flows again joined",
            std::string(kConvergenceNote) + " Goodput is while senders send.",
            {},
            {}},
           builder);
  std::size_t converged = 0;
  for (const Measured& one : measured) {
    if (meanOf(design, one, convergence)) ++converged;
    if (points[placeOf(design, one)].flows == points.front().flows) addRates(one, builder);
  }
  if (converged > 0) {
    results::Chart chart;
    chart.id = "convergence_vs_flows";
    chart.title = "Convergence over flows";
    chart.x_label = "Flows before the joining";
    chart.y_label = "Convergence [us]";
    chart.log_x = true;
    addChart(design, measured, convergence,
             {[&](std::size_t i) { return static_cast<double>(points[i].flows); },
              [&](std::size_t i) { return points[i].parameters; }},
             std::move(chart), builder);
  }
  builder.result().summary =
      fmt::format("{} of {} points came to share fairly for good within the trial.", converged,
                  measured.size());
  if (!measured.empty()) {
    builder.primary("goodput, " + measured.front().point.label,
                    *meanOf(design, measured.front(), goodput));
  }
}

}  // namespace

const Procedure& dcqcnConvergenceTest() {
  static const DcqcnConvergenceTest test;
  return test;
}

}  // namespace plumbline::suite
