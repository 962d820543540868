// T12.2 Resource leak detection (training draft, section 12.2).
//
// The samples of T12.1's soak (in one run they are the same trials), and of each figure a
// least-squares line over time. Latency, throughput, marking, pauses and loss show gradual
// degradation; the longest queue and the frames left in buffers after all traffic has been
// delivered show buffer memory that is not released. A slope is significant when its confidence
// interval excludes 0 at 99 % for all figures together (Bonferroni: each at 1 - 1 %/number of
// figures); tables show the usual 95 % interval. Every significant slope is an anomaly, in either
// direction. Memory of the DUT's processes and occupancy of its tables are not modelled; metrics
// that the DUT itself reports (`dut_metrics` of the scenario) are judged in the same way, and those
// that are memory by their name also by the draft's rule: a slope above 1 MB (10^6 B) an hour is a
// potential leak, significant or not. Counter wraps are computed from the load of the busiest link.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.h"
#include "suite/framework/profile.h"
#include "suite/framework/trend.h"
#include "suite/training/soak.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr double kFalseAlarm = 0.01;  // of all figures together
constexpr double kShown = 0.95;

class LeakProcedure final : public SoakProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T12.2"; }
  [[nodiscard]] std::string title() const override { return "Resource leak detection"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"significant_drifts",
            "jct_ratio_per_h",
            "iteration_us_per_h",
            "message_p99_us_per_h",
            "ecn_percent_per_h",
            "pfc_per_s_per_h",
            "paused_us_per_h",
            "drop_ppm_per_h",
            "fabric_drops_ppm_per_h",
            "trimmed_ppm_per_h",
            "retransmissions_per_s_per_h",
            "out_of_order_per_s_per_h",
            "queue_max_bytes_per_h",
            "frames_left_per_h",
            "link_mmr_per_h"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 12.2"; }
  [[nodiscard]] std::string notCollected() const override {
    return "memory of processes and occupancy of hardware tables not collected: the DUT is a "
           "model, and the scenario has no dut_metrics";
  }
  void report(const SoakDesign& design, const std::vector<SoakFigure>& figures,
              const std::vector<SoakSample>& samples, const DutReport& dut,
              ResultBuilder& builder) const override;
};

results::Quantity quantity(double value, std::string unit, const Figure& figure) {
  results::Quantity one;
  one.value = value;
  one.unit = std::move(unit);
  one.observed = figure.observed;
  return one;
}

std::string perHour(const std::string& unit) { return unit.empty() ? "/h" : unit + "/h"; }

std::string wordOf(Drift drift) {
  switch (drift) {
    case Drift::kRising:
      return "rising";
    case Drift::kFalling:
      return "falling";
    case Drift::kNone:
      break;
  }
  return "none";
}

// A series whose slope is judged.
struct Judged {
  std::string name;
  std::string unit;
  ObservationPoint observed;
  std::string kpi;  // of the slope; empty: none
  std::vector<double> hours;
  std::vector<double> values;
  std::optional<Trend> trend{};
};

// The figures of the samples, then the metrics that the DUT reported.
std::vector<Judged> judgedOf(const std::vector<SoakFigure>& figures,
                             const std::vector<SoakSample>& samples,
                             const std::vector<DutSeries>& dut) {
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = figures[i].figure;
    const bool kpi = !figure.kpi.empty() && !figures[i].more_is_better;
    judged.push_back({figure.column, figure.unit, figure.observed,
                      kpi ? figure.kpi + "_per_h" : std::string(), sampleHours(samples),
                      sampleValues(samples, i)});
  }
  for (const DutSeries& series : dut) {
    judged.push_back({series.name + " (DUT-reported)",
                      {},
                      ObservationPoint::kDutReported,
                      {},
                      series.hours,
                      series.values});
  }
  for (Judged& one : judged) one.trend = trendOf(one.hours, one.values);
  return judged;
}

// Number of figures that have a slope.
std::size_t slopesOf(const std::vector<Judged>& figures) {
  return static_cast<std::size_t>(std::count_if(
      figures.begin(), figures.end(), [](const Judged& one) { return one.trend.has_value(); }));
}

// A row for every figure; returns how many drift.
std::size_t addTrends(const std::vector<Judged>& figures, ResultBuilder& builder) {
  const std::size_t slopes = slopesOf(figures);
  const double confidence = 1 - kFalseAlarm / static_cast<double>(slopes);
  results::Table table{
      "trends",
      "Trends",
      fmt::format("Slope of a least-squares line, with its 95 % interval. A trend is significant "
                  "when the interval at {:.3f} % excludes 0, so that {} figures without any trend "
                  "give a false alarm in 1 % of all soaks; samples are taken for independent.",
                  100 * confidence, slopes),
      {"Figure", "Mean", "Slope", "95 % from", "95 % to", "Over the soak", "Significant trend"},
      {}};
  std::size_t drifts = 0;
  for (const Judged& figure : figures) {
    const results::Quantity mean = quantityOf(figure.values, figure.unit, figure.observed);
    if (!figure.trend) {
      std::vector<results::Cell> row{figure.name, mean};
      row.resize(table.columns.size(), std::string("not known"));
      table.rows.push_back(std::move(row));
      builder.anomaly(fmt::format("no trend of {}: it has {}, and a line needs three at "
                                  "different times",
                                  figure.name, counted(figure.values.size(), "value")),
                      "trend over the soak");
      continue;
    }
    const Trend& trend = *figure.trend;
    const auto quantity = [&](double value, const std::string& unit) {
      results::Quantity one;
      one.value = value;
      one.unit = unit;
      one.observed = figure.observed;
      return one;
    };
    const double span = figure.hours.back() - figure.hours.front();
    const stats::Interval interval = slopeInterval(trend, kShown);
    const Drift drift = driftOf(trend, confidence);
    results::Quantity slope = quantity(trend.slope, perHour(figure.unit));
    slope.repetitions = static_cast<std::uint32_t>(figure.values.size());
    slope.confidence_low = interval.low;
    slope.confidence_high = interval.high;
    table.rows.push_back({figure.name, mean, slope, quantity(interval.low, slope.unit),
                          quantity(interval.high, slope.unit),
                          quantity(trend.slope * span, figure.unit), wordOf(drift)});
    if (!figure.kpi.empty()) builder.kpi(figure.kpi, "", slope);
    if (drift == Drift::kNone) continue;
    ++drifts;
    builder.anomaly(
        fmt::format("{} is {} by {:.4g} {} (95 %: {:.4g} to {:.4g})", figure.name, wordOf(drift),
                    std::abs(trend.slope), slope.unit, interval.low, interval.high),
        "trend over the soak");
  }
  builder.result().tables.push_back(std::move(table));
  return drifts;
}

constexpr std::array<std::int64_t, 5> kInstants{0, 1, 6, 12, 24};  // of the draft [h]

// The draft's rule for memory that the DUT reports: a row for each, an anomaly for each above it.
// Returns their number; nothing where no memory is reported.
std::optional<std::size_t> addMemory(const SoakDesign& design, const std::vector<DutSeries>& dut,
                                     ResultBuilder& builder) {
  constexpr double kMegabyte = 1e6;
  constexpr double kLimit = 1;  // MB an hour
  results::Table table{
      "memory",
      "Memory reported by the DUT, against 1 MB per hour",
      "DUT-reported. Slope of a least-squares line through all samples; 1 MB is "
      "10^6 B. Values at the draft's instants are the last ones reported up to then.",
      {"Metric"},
      {}};
  std::vector<double> hours;
  for (const std::int64_t hour : kInstants) {
    if (seconds(3600 * hour) > design.duration) break;
    hours.push_back(static_cast<double>(hour));
    table.columns.push_back(fmt::format("{} h", hour));
  }
  table.columns.insert(table.columns.end(), {"Slope", "95 % from", "95 % to", "Above 1 MB/h"});
  std::size_t above = 0;
  for (const DutSeries& series : dut) {
    const std::optional<MemoryUnit> unit = memoryUnit(series.name);
    if (!unit) continue;
    if (unit->bytes == 0) {
      builder.anomaly(
          fmt::format(
              "{} is not compared with 1 MB/h: its name has no unit such as bytes, kib or mb",
              series.name),
          "memory reported by the DUT");
      continue;
    }
    std::vector<double> megabytes;
    megabytes.reserve(series.values.size());
    for (const double value : series.values) megabytes.push_back(value * unit->bytes / kMegabyte);
    const std::optional<Trend> trend = trendOf(series.hours, megabytes);
    if (!trend) {
      builder.anomaly(fmt::format("{} is not compared with 1 MB/h: it has {}, and a line "
                                  "needs three at different times",
                                  series.name, counted(megabytes.size(), "value")),
                      "memory reported by the DUT");
      continue;
    }
    std::vector<results::Cell> row{series.name};
    for (const double hour : hours) {
      std::optional<double> last;
      for (std::size_t i = 0; i < megabytes.size() && series.hours[i] <= hour; ++i) {
        last = megabytes[i];
      }
      if (last) {
        row.emplace_back(dutReported(*last, "MB"));
      } else {
        row.emplace_back(std::string("not reported"));
      }
    }
    const stats::Interval interval = slopeInterval(*trend, kShown);
    const bool leaks = trend->slope > kLimit;
    row.emplace_back(dutReported(trend->slope, "MB/h"));
    row.emplace_back(dutReported(interval.low, "MB/h"));
    row.emplace_back(dutReported(interval.high, "MB/h"));
    row.emplace_back(std::string(leaks ? "yes" : "no"));
    table.rows.push_back(std::move(row));
    if (!leaks) continue;
    ++above;
    builder.anomaly(fmt::format("potential memory leak: {} grows by {:.4g} MB/h, more than the "
                                "draft's 1 MB/h (95 %: {:.4g} to {:.4g})",
                                series.name, trend->slope, interval.low, interval.high),
                    "memory reported by the DUT");
  }
  if (table.rows.empty()) return std::nullopt;
  builder.result().tables.push_back(std::move(table));
  return above;
}

// The figures at the draft's instants.
void addInstants(const SoakDesign& design, const std::vector<SoakFigure>& figures,
                 const std::vector<SoakSample>& samples, ResultBuilder& builder) {
  std::vector<const SoakSample*> at;
  results::Table table{"instants",
                       "Figures at the draft's instants",
                       "Values of the last sample before each instant that has figures. Not known: "
                       "all windows up to then failed.",
                       {"Figure"},
                       {}};
  for (const std::int64_t hour : kInstants) {
    const Picoseconds time = seconds(3600 * hour);
    if (time > design.duration) break;
    const SoakSample* last = nullptr;
    for (const SoakSample& sample : samples) {
      if (sample.time <= time && !sample.values.empty()) last = &sample;
    }
    at.push_back(last);
    table.columns.push_back(fmt::format("{} h", hour));
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    std::vector<results::Cell> row{figures[i].figure.column};
    for (const SoakSample* sample : at) {
      if (sample == nullptr) {
        row.emplace_back(std::string("not known"));
      } else {
        row.emplace_back(quantity(sample->values[i], figures[i].figure.unit, figures[i].figure));
      }
    }
    table.rows.push_back(std::move(row));
  }
  builder.result().tables.push_back(std::move(table));
}

// How often counters of the busiest link would wrap.
void addWraps(const SoakDesign& design, const std::vector<SoakFigure>& figures,
              const std::vector<SoakSample>& samples, ResultBuilder& builder) {
  results::Table table{
      "counter_wraps",
      "Wraps of forwarding-plane counters",
      "At the mean rate of the busiest link, kept up for the whole soak. The model's own counters "
      "have 64 bits.",
      {"Counter", "Rate", "In the soak", "Wraps of 32 bits", "Wraps of 64 bits"},
      {}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = figures[i].figure;
    if (!figure.kpi.empty()) continue;  // those without are the counters
    const std::vector<double> values = sampleValues(samples, i);
    const results::Quantity rate = quantityOf(values, figure.unit, figure.observed);
    const double total = rate.value * design.duration.toSeconds();
    table.rows.push_back({figure.column, rate, quantity(total, {}, figure),
                          quantity(std::floor(total / 0x1p32), {}, figure),
                          quantity(std::floor(total / 0x1p64), {}, figure)});
  }
  builder.result().tables.push_back(std::move(table));
}

void LeakProcedure::report(const SoakDesign& design, const std::vector<SoakFigure>& figures,
                           const std::vector<SoakSample>& samples, const DutReport& dut,
                           ResultBuilder& builder) const {
  const std::vector<Judged> judged = judgedOf(figures, samples, dut.series);
  const std::size_t drifts = addTrends(judged, builder);
  const std::optional<std::size_t> leaks = addMemory(design, dut.series, builder);
  if (const auto identical = identicalSamples(design, samples)) {
    builder.deviation(
        *identical + ". That no figure of the fabric has a trend says nothing about the DUT",
        "trends");
  }
  addInstants(design, figures, samples, builder);
  addWraps(design, figures, samples, builder);
  const Figure& ratio = figures[kJctRatio].figure;
  builder.repeated("soak", ratio.column, sampleValues(samples, kJctRatio), ratio.unit);
  const results::Quantity count = quantity(static_cast<double>(drifts), {}, ratio);
  builder.kpi("significant_drifts", "", count);
  if (!dut.complete || slopesOf(judged) < judged.size()) {
    builder.notMeasured("significant_drifts", "");
  }
  builder.primary("Figures with a significant trend", count);
  builder.result().summary = fmt::format("{} of {} figures have a significant trend over {}.",
                                         drifts, slopesOf(judged), durationText(design.duration));
  if (const std::size_t failed = failedSamples(samples); failed > 0) {
    builder.result().summary +=
        fmt::format(" {} of {} windows failed and are not judged.", failed, samples.size());
  }
  if (!leaks) return;
  results::Quantity above = dutReported(static_cast<double>(*leaks), {});
  builder.primary("Memory that grows by more than 1 MB/h", above);
  builder.result().summary +=
      fmt::format(" Memory reported by the DUT that grows by more than 1 MB/h: {}.", *leaks);
}

}  // namespace

const Procedure& leakProcedure() {
  static const LeakProcedure test;
  return test;
}

}  // namespace plumbline::suite
