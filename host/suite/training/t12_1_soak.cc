// T12.1 24-hour sustained load (training draft, section 12.1).
//
// AllReduce and AlltoAll in turn among all hosts for 24 h, every KPI sampled each minute (soak.h
// defines a minute on a simulated fabric). Computed over the samples: mean, standard deviation,
// minimum and maximum of each KPI; the standard deviation of the JCT ratio is the draft's measure
// of stability. A model without events and without what is random in time gives the same sample all
// day, which the result reports. Stability is then the variation of the JCT ratio from iteration to
// iteration within windows, with the state of fabric and congestion control carried over. JCT ratio
// of a sample = time of its window's job / (iterations * (S algo_factor of both collectives / line
// rate)); bus bandwidth is that of both together, bytes that a rank must send over the mean time of
// an iteration. A stretch of samples in which the JCT ratio, the message time, the drops or the
// frames left in buffers are far above the soak's median is an anomaly, with its time and duration:
// by more than 6 robust standard deviations (interquartile range / 1.349) and 5 % of the median.
// Windows that failed are anomalies as well.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/counted.h"
#include "stats/summary.h"
#include "suite/framework/profile.h"
#include "suite/training/soak.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

// The value that `share` of the others do not exceed.
double valueAtShare(std::vector<double> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

// Upper limit of usual samples.
double highestDefault(const std::vector<double>& values) {
  constexpr double kDeviations = 6;
  constexpr double kNormal = 1.349;  // interquartile range of a normal distribution, in deviations
  constexpr double kShare = 0.05;
  const double median = valueAtShare(values, 0.5);
  const double deviation = (valueAtShare(values, 0.75) - valueAtShare(values, 0.25)) / kNormal;
  return median + std::max(kDeviations * deviation, kShare * median);
}

results::Quantity plain(double value, const Figure& figure) {
  results::Quantity quantity;
  quantity.value = value;
  quantity.unit = figure.unit;
  quantity.observed = figure.observed;
  return quantity;
}

class DaySoakProcedure final : public SoakProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T12.1"; }
  [[nodiscard]] std::string title() const override { return "24-hour soak"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"jct_ratio_iteration_std",
            "jct_ratio",
            "jct_ratio_std",
            "busbw_gbps",
            "iteration_us",
            "message_p99_us",
            "goodput_gbps",
            "ecn_percent",
            "pfc_per_s",
            "paused_us",
            "drop_ppm",
            "fabric_drops_ppm",
            "trimmed_ppm",
            "retransmissions_per_s",
            "out_of_order_per_s",
            "queue_max_bytes",
            "frames_left",
            "link_jfi",
            "link_mmr",
            "soak_anomalies"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 12.1"; }
  [[nodiscard]] std::string notCollected() const override {
    return "CPU and memory of switches not collected: the DUT is a model, and the scenario has no "
           "dut_metrics";
  }
  void report(const SoakDesign& design, const std::vector<SoakFigure>& figures,
              const std::vector<SoakSample>& samples, const DutReport& dut,
              ResultBuilder& builder) const override;
};

// Of the samples' percentiles that are a figure; nothing if it is none.
std::optional<results::Percentile> fewestSamples(const std::vector<SoakSample>& samples,
                                                 std::size_t figure) {
  std::optional<results::Percentile> fewest;
  for (const SoakSample& sample : samples) {
    if (sample.values.size() <= figure || !sample.percentiles[figure]) continue;
    const results::Percentile& one = *sample.percentiles[figure];
    if (!fewest || one.samples < fewest->samples) fewest = one;
  }
  return fewest;
}

// Mean of the samples of one soak, which are batches of it and no repetitions. They are independent
// of each other, unless the scenario has events on that day: then they are no sample of one
// distribution, and there is no interval. Identical ones are said to be.
results::Quantity meanOfSamples(const SoakDesign& design, const std::vector<double>& values,
                                const Figure& figure) {
  results::Quantity mean = quantityOf(values, figure.unit, figure.observed);
  results::Uncertainty& known = mean.uncertainty;
  if (known.statistics != results::Statistics::kRepetitions) return mean;
  const std::uint32_t samples = mean.repetitions;
  mean.repetitions = 1;
  if (!design.eventful) {
    known.statistics = results::Statistics::kBatches;
    known.batches = samples;
    return mean;
  }
  known.statistics = results::Statistics::kNone;
  known.statistical = {};
  mean.confidence_low.reset();
  mean.confidence_high.reset();
  return mean;
}

void addKpiTable(const SoakDesign& design, const std::vector<SoakFigure>& figures,
                 const std::vector<SoakSample>& samples, ResultBuilder& builder) {
  std::string note =
      "Of all samples. The standard deviation of the JCT ratio is the draft's measure of "
      "stability.";
  if (design.eventful) {
    note += " The scenario has events during the soak: means of its samples have no interval.";
  } else if (design.hashes) {
    note +=
        " Paths that hashes choose are those of the seed for the whole soak: intervals hold for "
        "these paths, and another seed has others.";
  }
  results::Table table{"soak",
                       "KPIs over the soak",
                       std::move(note),
                       {"KPI", "Mean", "Standard deviation", "Minimum", "Maximum", "Maximum at"},
                       {}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = figures[i].figure;
    const std::vector<double> values = sampleValues(samples, i);
    const stats::Summary summary = stats::summarize(values);
    const auto highest =
        std::max_element(samples.begin(), samples.end(), [i](const auto& a, const auto& b) {
          return b.values.size() > i && (a.values.size() <= i || a.values[i] < b.values[i]);
        });
    results::Quantity mean = meanOfSamples(design, values, figure);
    results::Quantity worst =
        plain(figures[i].more_is_better ? summary.minimum : summary.maximum, figure);
    mean.percentile = worst.percentile = fewestSamples(samples, i);
    table.rows.push_back({figure.column, mean, plain(summary.standard_deviation, figure),
                          plain(summary.minimum, figure), plain(summary.maximum, figure),
                          summary.minimum < summary.maximum ? clockText(highest->time) : "-"});
    if (figure.kpi.empty()) continue;
    builder.kpi(figure.kpi, "mean of the soak", mean);
    builder.kpi(figure.kpi, "worst sample", std::move(worst));
  }
  builder.result().tables.push_back(std::move(table));
}

void addTimeChart(const std::vector<SoakFigure>& figures, const std::vector<SoakSample>& samples,
                  std::size_t which, ResultBuilder& builder) {
  const Figure& figure = figures[which].figure;
  results::Chart chart;
  chart.id = figure.kpi + "_over_time";
  chart.title = figure.column + " over the soak";
  chart.kind = results::ChartKind::kTime;
  chart.x_label = "time [h]";
  chart.y_label =
      figure.unit.empty() ? figure.column : fmt::format("{} [{}]", figure.column, figure.unit);
  chart.series.push_back({figure.column, sampleHours(samples), sampleValues(samples, which)});
  builder.result().charts.push_back(std::move(chart));
}

// "0.248 ms"
std::string windowText(Picoseconds simulated) {
  return fmt::format("{:.4g} ms", simulated.toSeconds() * 1e3);
}

// Adds episodes of every watched figure and those without figures; returns their number.
std::size_t addEpisodes(const SoakDesign& design, const std::vector<SoakFigure>& figures,
                        const std::vector<SoakSample>& samples, ResultBuilder& builder) {
  results::Table table{"anomalies",
                       "Anomalies of the soak",
                       "Samples far above the usual level of the soak, and windows that failed. An "
                       "anomaly lasts from the first such sample to the next normal one. Rests on: "
                       "the simulated time of its samples; the duration is the part of the day "
                       "that they represent.",
                       {"KPI", "At", "Duration", "Samples", "Highest", "Usual at most", "Rests on"},
                       {}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!figures[i].watched) continue;
    const Figure& figure = figures[i].figure;
    const double defaults = highestDefault(sampleValues(samples, i));
    const auto isHigh = [&](const SoakSample& sample) {
      return !sample.values.empty() && sample.values[i] > defaults;
    };
    for (const Episode& episode : episodesOf(samples, design.interval, isHigh)) {
      double highest = defaults;
      for (std::size_t at = episode.first; at < episode.first + episode.count; ++at) {
        highest = std::max(highest, samples[at].values[i]);
      }
      const std::string duration = durationText(episode.until - episode.from);
      table.rows.push_back({figure.column, clockText(episode.from), duration,
                            std::to_string(episode.count), plain(highest, figure),
                            plain(defaults, figure), windowText(episode.simulated)});
      builder.anomaly(
          fmt::format("{} up to {:.4g}{}{}, usually at most {:.4g}: {} sample{}, which stand{} for "
                      "{} and rest{} on {} of simulation",
                      figure.column, highest, figure.unit.empty() ? "" : " ", figure.unit, defaults,
                      episode.count, episode.count == 1 ? "" : "s", episode.count == 1 ? "s" : "",
                      duration, episode.count == 1 ? "s" : "", windowText(episode.simulated)),
          "at " + clockText(episode.from));
    }
  }
  // Anomalies of the result already.
  for (const Episode& episode : episodesOf(samples, design.interval, hasFailed)) {
    table.rows.push_back({"none: the window failed", clockText(episode.from),
                          durationText(episode.until - episode.from), std::to_string(episode.count),
                          "-", "-", "-"});
  }
  const std::size_t count = table.rows.size();
  if (count > 0) builder.result().tables.push_back(std::move(table));
  return count;
}

// A row and a chart for each metric that the DUT reports.
void addDutReport(const std::vector<DutSeries>& dut, ResultBuilder& builder) {
  if (dut.empty()) return;
  results::Table table{
      "dut_reported",
      "Reported by the DUT",
      "DUT-reported: as the DUT's own management says, not observed by the tester. "
      "Units are in the names.",
      {"Metric", "Mean", "Standard deviation", "Minimum", "Maximum", "Last"},
      {}};
  for (const DutSeries& series : dut) {
    const stats::Summary summary = stats::summarize(series.values);
    table.rows.push_back(
        {series.name, quantityOf(series.values, {}, ObservationPoint::kDutReported),
         dutReported(summary.standard_deviation, {}), dutReported(summary.minimum, {}),
         dutReported(summary.maximum, {}), dutReported(series.values.back(), {})});
    results::Chart chart;
    chart.id = fmt::format("dut_reported_{}", builder.result().charts.size());
    chart.title = series.name + " over the soak, DUT-reported";
    chart.kind = results::ChartKind::kTime;
    chart.x_label = "time [h]";
    chart.y_label = series.name;
    chart.series.push_back({series.name, series.hours, series.values});
    builder.result().charts.push_back(std::move(chart));
  }
  builder.result().tables.push_back(std::move(table));
}

// The samples behind the standard deviations of the JCT ratio. Returns the one over iterations.
std::optional<results::Quantity> addStability(const SoakDesign& design,
                                              const std::vector<SoakFigure>& figures,
                                              const std::vector<SoakSample>& samples,
                                              ResultBuilder& builder) {
  const Figure& ratio = figures[kJctRatio].figure;
  results::Table table{"stability",
                       "Stability of the JCT ratio",
                       design.eventful
                           ? "Distinct samples differ in at least one figure, distinct iterations "
                             "in their time."
                           : "Distinct samples differ in at least one figure, distinct iterations "
                             "in their time. Paths do not change during the soak.",
                       {"Over", "Number", "Different ones", "Mean", "Standard deviation"},
                       {}};
  const auto add = [&](const char* over, const std::vector<double>& values, std::size_t different) {
    results::Quantity deviation = plain(stats::summarize(values).standard_deviation, ratio);
    table.rows.push_back({over, std::to_string(values.size()), std::to_string(different),
                          meanOfSamples(design, values, ratio), deviation});
    return deviation;
  };
  const std::vector<double> ratios = sampleValues(samples, kJctRatio);
  const std::size_t distinct = distinctSamples(samples);
  add("samples", ratios, distinct);
  std::optional<results::Quantity> over_iterations;
  std::vector<double> iterations;
  for (const SoakSample& sample : samples) {
    iterations.insert(iterations.end(), sample.iterations.begin(), sample.iterations.end());
  }
  if (iterations.size() > ratios.size()) {
    over_iterations = add("iterations within the windows", iterations,
                          std::set<double>(iterations.begin(), iterations.end()).size());
    builder.kpi("jct_ratio_iteration_std", "", *over_iterations);
  }
  builder.result().tables.push_back(std::move(table));
  if (const auto identical = identicalSamples(design, samples)) {
    builder.deviation(
        *identical + ". Their standard deviation of 0 is no measure of the DUT's stability",
        "stability");
  }
  return over_iterations;
}

void DaySoakProcedure::report(const SoakDesign& design, const std::vector<SoakFigure>& figures,
                              const std::vector<SoakSample>& samples, const DutReport& dut,
                              ResultBuilder& builder) const {
  addKpiTable(design, figures, samples, builder);
  const auto over_iterations = addStability(design, figures, samples, builder);
  const std::size_t episodes = addEpisodes(design, figures, samples, builder);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!figures[i].figure.kpi.empty()) addTimeChart(figures, samples, i, builder);
  }
  addDutReport(dut.series, builder);
  const std::vector<double> ratios = sampleValues(samples, kJctRatio);
  const stats::Summary summary = stats::summarize(ratios);
  builder.repeated("soak", "JCT ratio", ratios, "");
  results::Quantity deviation = plain(summary.standard_deviation, figures[kJctRatio].figure);
  results::Quantity count = plain(static_cast<double>(episodes), figures[kJctRatio].figure);
  builder.kpi("jct_ratio_std", "", deviation);
  builder.kpi("soak_anomalies", "", count);
  builder.primary("Standard deviation of the JCT ratio", deviation);
  if (over_iterations) {
    builder.primary("Standard deviation of the JCT ratio over iterations", *over_iterations);
  }
  const results::Quantity mean = quantityOf(ratios, "", figures[kJctRatio].figure.observed);
  builder.primary("JCT ratio", mean);
  const std::size_t failed = failedSamples(samples);
  const bool deterministic = distinctSamples(samples) == 1;
  builder.result().summary = fmt::format(
      "{}{} over {}: JCT ratio {} on average, {}; anomalies: {}.",
      failed == 0 ? "" : fmt::format("{} of {} windows failed. ", failed, samples.size()),
      counted(ratios.size(), "sample"), durationText(design.duration), builder.text(mean),
      !deterministic ? "standard deviation " + builder.text(deviation)
      : failed == 0  ? std::string("all samples identical (deterministic)")
                     : std::string("those samples identical"),
      episodes);
}

}  // namespace

const Procedure& soakProcedure() {
  static const DaySoakProcedure test;
  return test;
}

}  // namespace plumbline::suite
