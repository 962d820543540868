// T7.3 DCQCN convergence (training draft, section 7.3).
//
// M flows share one receiver's link over RoCEv2 with DCQCN; at T0 as many again join (2:1). Swept:
// M, and the parameters of DCQCN: the published sets at every M; at the smallest M also one
// parameter at a time, the others as in the paper (sensitivity). The paper's values are for links
// of 40 Gb/s: ten times its additive increase is the same share of a 400 Gb/s link. Every sender
// has the next message posted before the one under way is done, so that flows never fall silent.
// Measured: convergence, the time from T0 since when every flow's rate is within 10 % of the mean
// rate and stays so until the senders stop (convergence.h has the definition, incast.h the
// windows); the share of time that all flows are within it; goodput of the link while senders send;
// longest queue; marks; PAUSE frames.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "suite/framework/data_priority.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/unprotected_data.h"
#include "suite/training/incast.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr std::uint32_t kMaxSenders = 16;

struct DcqcnPoint {
  std::uint32_t flows = 0;  // M
  std::string parameters;
  Incast incast;
  std::string changed;  // sensitivity: the one parameter that differs from the paper
};

// One parameter of the paper's set, changed.
struct Change {
  const char* parameter;
  const char* from;
  const char* to;
  void (*apply)(transport::DcqcnSpec& dcqcn);
};

constexpr std::array<Change, 6> kChanges{{
    {"additive increase", "40 Mb/s", "400 Mb/s",
     [](transport::DcqcnSpec& d) { d.additive_increase = BitRate(400'000'000); }},
    {"additive increase", "40 Mb/s", "4 Gb/s",
     [](transport::DcqcnSpec& d) { d.additive_increase = BitRate(4'000'000'000); }},
    {"increase timer", "55 us", "300 us",
     [](transport::DcqcnSpec& d) { d.increase_period = microseconds(300); }},
    {"byte counter", "10 MB", "off", [](transport::DcqcnSpec& d) { d.increase_bytes = 0; }},
    {"g", "1/256", "1/16", [](transport::DcqcnSpec& d) { d.g = 1.0 / 16; }},
    {"CNP interval", "50 us", "4 us",
     [](transport::DcqcnSpec& d) {
       d.cnp_interval = microseconds(4);
       d.decrease_interval = microseconds(4);
     }},
}};

class DcqcnConvergenceProcedure final : public FabricProcedure {
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

// Senders that have `flows` in equal parts: at most kMaxSenders, and as many again join. Besides
// them there are the receiver and a host that an incast keeps free.
std::uint32_t sendersOf(std::uint32_t flows, std::uint32_t hosts) {
  std::uint32_t senders = std::min({flows, kMaxSenders, (hosts - 2) / 2});
  while (flows % senders != 0) --senders;
  return senders;
}

// Packets of a trial that may end early over those of its least time. With many flows rates swing,
// and goodput is known later: at 400 Gb/s there were 2.0 times as many with 64 and 2.9 times as
// many with 256 flows (docs/standard-run.md), about as the root of the flows grows.
double expectedOverLeast(std::uint32_t flows) {
  return std::clamp(std::sqrt(static_cast<double>(flows)) / 5, 1.0,
                    kMaxIncastTime.toSeconds() / kMinIncastTime.toSeconds());
}

std::vector<DcqcnPoint> DcqcnConvergenceProcedure::pointsOf(const TestConfig& config,
                                                            Numbers& numbers) {
  const std::array<std::pair<const char*, transport::DcqcnSpec>, 3> sets{
      {{"paper", transport::DcqcnSpec::paper()},
       {"NVIDIA", transport::DcqcnSpec::nvidia()},
       {"HPCC", transport::DcqcnSpec::hpcc()}}};
  const Picoseconds duration = numbers.atLeast<Picoseconds>(
      "Duration", seconds(300), milliseconds(10), sharingDuration(config));
  numbers.configure("Parameters of DCQCN",
                    "published sets: paper, NVIDIA, HPCC; with the fewest flows also the paper's "
                    "with one parameter changed");
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  std::vector<DcqcnPoint> points;
  const std::vector<std::uint32_t> all_flows = numbers.sweep<std::uint32_t>(
      "Flows before T0", {4, 16, 64, 256}, {4, 16}, config.scenario.parameters.flows);
  for (const std::uint32_t flows : all_flows) {
    const auto add = [&](std::string name, const transport::DcqcnSpec& dcqcn, std::string changed) {
      Variant variant = serviceVariant(config, "RC", balancingOf("ecmp"));
      std::get<transport::RoceSpec>(variant.transport).dcqcn = dcqcn;
      Incast incast{std::move(variant)};
      const std::uint32_t early = sendersOf(flows, hosts);
      incast.senders = 2 * early;
      incast.early = early;
      incast.flows = flows / early;
      incast.message = Bytes((1 << 20) * std::int64_t{incast.flows});
      incast.until = duration;
      incast.join_at = joiningTime(config, duration);
      points.push_back({flows, std::move(name), std::move(incast), std::move(changed)});
    };
    for (const auto& set : sets) add(set.first, set.second, {});
    if (flows != *std::min_element(all_flows.begin(), all_flows.end())) continue;
    for (const Change& change : kChanges) {
      transport::DcqcnSpec dcqcn = transport::DcqcnSpec::paper();
      change.apply(dcqcn);
      add(fmt::format("paper, {} {}", change.parameter, change.to), dcqcn,
          fmt::format("{}: {} instead of {}", change.parameter, change.to, change.from));
    }
  }
  return points;
}

Design DcqcnConvergenceProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Flows", "flows"}, {"Parameters", ""}};
  design.repetitions = design.numbers.repetitions(20, 2);
  if (config.scenario.topology.hostCount() < 4) {
    design.refusals.emplace_back(
        "four hosts are needed: a receiver, a sender, one that joins, and one that is kept free");
    return design;
  }
  const std::vector<DcqcnPoint> points = pointsOf(config, design.numbers);
  if (auto why =
          idleDcqcn(config.scenario.switches,
                    std::get<transport::RoceSpec>(points.front().incast.variant.transport))) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  // Approximate share of the receiver's link that DCQCN uses: all of it after some 100 ms.
  constexpr double kBusy = 0.7;
  for (const DcqcnPoint& point : points) {
    bench::TrialSpec spec = incastTrial(config, point.incast);
    spec.sampling.emplace().interval = sharingSampling(config, point.incast);
    endSharingEarly(config, point.incast, spec);
    design.add({std::to_string(point.flows), point.parameters}, std::move(spec),
               (mayEndEarly(config) ? expectedOverLeast(point.flows) : kBusy) *
                   sharingHops(config, point.incast));
  }
  design.carry(points);
  return design;
}

// Rates of the slowest and the fastest flow, and the mean, over time.
void addRates(const Measured& one, ResultBuilder& builder) {
  const bench::Samples& samples = *one.trials.front().fabric->samples;
  // No more points than a chart has room for.
  constexpr std::size_t kMaxPoints = 500;
  const std::uint32_t window = std::max(
      ConvergenceRule().window, static_cast<std::uint32_t>(samples.samples.size() / kMaxPoints));
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
    double min = rates.front()[i];
    double max = min;
    double sum = 0;
    for (const std::vector<double>& flow : rates) {
      min = std::min(min, flow[i]);
      max = std::max(max, flow[i]);
      sum += flow[i];
    }
    const double time =
        (samples.interval * (static_cast<std::int64_t>(i + 1) * window)).toMicroseconds();
    for (results::Series* series : {&slowest, &mean, &fastest}) series->x.push_back(time);
    slowest.y.push_back(min);
    mean.y.push_back(sum / static_cast<double>(rates.size()));
    fastest.y.push_back(max);
  }
  chart.series = {std::move(slowest), std::move(mean), std::move(fastest)};
  builder.result().charts.push_back(std::move(chart));
}

// Effect of one changed parameter on convergence, fair time and goodput, beside the paper's set.
void addSensitivity(const Design& design, const std::vector<Measured>& measured,
                    const std::vector<DcqcnPoint>& points, const std::vector<Figure>& figures,
                    ResultBuilder& builder) {
  results::Table table{"sensitivity",
                       "Sensitivity to one parameter",
                       "The paper's parameters with one of them changed; the same flows and seeds.",
                       {"Changed"},
                       {}};
  constexpr std::array<const char*, 4> kShown{"Convergence", "Fair time", "Goodput", "ECN marked"};
  for (const char* column : kShown) table.columns.emplace_back(column);
  const std::uint32_t min =
      std::min_element(points.begin(), points.end(), [](const DcqcnPoint& a, const DcqcnPoint& b) {
        return a.flows < b.flows;
      })->flows;
  for (const Measured& one : measured) {
    const DcqcnPoint& point = points[placeOf(design, one)];
    const bool base = point.changed.empty() && point.parameters == "paper" && point.flows == min;
    if (!base && point.changed.empty()) continue;
    std::vector<results::Cell> row{base ? std::string("nothing") : point.changed};
    for (const char* column : kShown) {
      const auto figure = std::find_if(figures.begin(), figures.end(),
                                       [&](const Figure& f) { return f.column == column; });
      row.push_back(cellOf(design, one, *figure));
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.size() > 1) builder.result().tables.push_back(std::move(table));
}

// Packets that switches marked at a point, in all repetitions.
std::uint64_t packetsMarked(const Measured& one) {
  std::uint64_t marks = 0;
  for (const bench::TrialResult& trial : one.trials) marks += trial.fabric->total.marked;
  return marks;
}

// Without marks there are no CNPs, and the senders keep line rate whatever the parameters are.
void noteIdle(const std::vector<Measured>& measured, ResultBuilder& builder) {
  double queue = 0;
  for (const Measured& one : measured) {
    if (packetsMarked(one) > 0) return;
    for (const bench::TrialResult& trial : one.trials) {
      queue = std::max(queue, longestQueueBytes(trial));
    }
  }
  const bench::TrialSpec& spec = measured.front().point.spec;
  const fabric::EcnSpec* rule = markingOf(spec.dut.switches, dataPriority(spec.transport.value()));
  std::string why;
  if (rule != nullptr && queue < static_cast<double>(rule->kmin.count())) {
    why = fmt::format(": the longest queue was {:.4g} kB, and switches mark from {:.4g} kB on",
                      queue / 1e3, static_cast<double>(rule->kmin.count()) / 1e3);
  }
  builder.anomaly(
      fmt::format("DCQCN never acted, and its parameters had no influence. No packet was marked at "
                  "any point{}",
                  why),
      "convergence");
}

// That no point settled, and whether the additive increase of the paper's set takes longer than the
// trial. It is a reason only where this set had marks to react to.
void noteUnsettled(const TestConfig& config, const Measured& one, const DcqcnPoint& point,
                   ResultBuilder& builder) {
  const double observed =
      (sendersEnd(point.incast, one.trials.front()) - point.incast.join_at).toMicroseconds() / 1000;
  std::string why;
  if (point.parameters == "paper" && packetsMarked(one) > 0) {
    const transport::DcqcnSpec paper = transport::DcqcnSpec::paper();
    const double fair = config.scenario.topology.link_rate.toGigabitsPerSecond() / 2 / point.flows;
    const double steps =
        ConvergenceRule().tolerance * fair / paper.additive_increase.toGigabitsPerSecond();
    const double needed = steps * paper.increase_period.toMicroseconds() / 1000;
    why = fmt::format(
        ". {}: 10 % of {:.4g} Gb/s, the fair share of {} flows, are {:.3g} additive "
        "increases of the paper's set, {:.3g} ms by its timer without any cut",
        needed > observed ? "That is too short for the additive increase"
                          : "The additive increase alone is not the reason",
        fair, 2 * point.flows, steps, needed);
  }
  builder.anomaly(
      fmt::format("no point settled in the {:.4g} ms after the joining{}", observed, why),
      "convergence");
}

void DcqcnConvergenceProcedure::report(const TestConfig& config, const Design& design,
                                       const std::vector<Measured>& measured,
                                       ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<DcqcnPoint>>();
  std::vector<Incast> incasts;
  incasts.reserve(points.size());
  for (const DcqcnPoint& point : points) incasts.push_back(point.incast);
  std::vector<Figure> figures = convergenceFigures(config, design, std::move(incasts), builder);
  const Figure convergence = figures.front();
  Figure goodput{.column = "Goodput",
                 .unit = "%",
                 .kpi = "goodput_percent",
                 .of = [&](std::size_t i, const bench::TrialResult& trial) {
                   return withBatches(trial, incastGoodputPercent(config, points[i].incast, trial));
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
  addSensitivity(design, measured, points, figures, builder);
  std::size_t converged = 0;
  std::size_t observed = 0;     // points whose trials could show it
  bool settled_at_all = false;  // in a repetition
  for (const Measured& one : measured) {
    const std::size_t place = placeOf(design, one);
    if (meanOf(design, one, convergence)) ++converged;
    if (!convergence.hidden(place)) ++observed;
    settled_at_all =
        settled_at_all ||
        std::any_of(one.trials.begin(), one.trials.end(), [&](const bench::TrialResult& trial) {
          return convergence.of(place, trial).has_value();
        });
    const DcqcnPoint& point = points[place];
    if (point.flows == points.front().flows && point.changed.empty()) addRates(one, builder);
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
  if (measured.empty()) return;
  noteIdle(measured, builder);
  if (!settled_at_all && observed == measured.size()) {
    noteUnsettled(config, measured.front(), points[placeOf(design, measured.front())], builder);
  }
  builder.result().summary =
      observed == 0
          ? std::string("Convergence was not observed at any point: the trials are too short.")
          : fmt::format("{} of {} reached a lasting fair share within the trial{}.", converged,
                        counted(observed, "point"),
                        observed < measured.size()
                            ? fmt::format("; at {} it was not observed", measured.size() - observed)
                            : "");
  // None where senders stop before the first sample.
  if (const auto first = meanOf(design, measured.front(), goodput)) {
    builder.primary("goodput, " + measured.front().point.label, *first);
  }
}

}  // namespace

const Procedure& dcqcnConvergenceProcedure() {
  static const DcqcnConvergenceProcedure test;
  return test;
}

}  // namespace plumbline::suite
