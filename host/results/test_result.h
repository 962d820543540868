// The result of one test of the methodology, for reports, exports and comparisons: tables, charts,
// distributions, deviations, anomalies, repeatability. Filled by procedures and independent of any
// particular test, so a new test needs no new report code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/observation_point.h"
#include "stats/histogram.h"
#include "stats/uncertainty.h"

namespace plumbline::results {

// "tester", "dut-reported", "endpoint-software", "modelled": as in JSON and CSV.
std::string_view observationPointName(ObservationPoint point);

// Basis of the statistical part of an uncertainty.
enum class Statistics {
  kNone,         // one repetition, or another number without scatter: unknown
  kRepetitions,  // the scatter of repetitions
  kBatches,      // the scatter of batches within one trial
  kIdentical,    // equal in all repetitions: the scatter is below the resolution
  // Repetitions with different seeds were identical in all observations: they add no information.
  kDeterministic,
};

// "none", "repetitions", "batches", "identical", "deterministic": as in JSON and CSV.
std::string_view statisticsName(Statistics statistics);

// A source of systematic uncertainty, with its standard uncertainty in the quantity's unit.
struct SystematicPart {
  std::string source;  // "timestamp resolution 1 ps"
  double standard = 0;

  bool operator==(const SystematicPart&) const = default;
};

// Uncertainty of a quantity (docs/uncertainty.md).
struct Uncertainty {
  Statistics statistics = Statistics::kNone;
  stats::StandardUncertainty statistical{};  // type A, of kRepetitions and kBatches
  std::uint32_t batches = 0;                 // of kBatches
  // Absent where it is unknown: for a figure that the DUT reports itself.
  std::optional<std::vector<SystematicPart>> systematic{};
  // The figure cannot lie beyond these: present where the interval would reach beyond them.
  std::optional<double> least{};
  std::optional<double> most{};

  bool operator==(const Uncertainty&) const = default;
};

// Of a percentile: its quantile, and its number of samples (in the repetition with the fewest).
struct Percentile {
  double quantile = 0;  // 0.999
  std::uint64_t samples = 0;

  // Fewer than ten samples lie beyond it: it is marked wherever it is shown.
  [[nodiscard]] bool tooFew() const;
  bool operator==(const Percentile&) const = default;
};

// A number with its unit, uncertainty and origin.
struct Quantity {
  double value = 0;
  std::string unit;  // "ns", "Gb/s", "frames", "%"; empty = plain number
  ObservationPoint observed = ObservationPoint::kTester;
  std::uint32_t repetitions = 1;
  std::optional<double> cv;  // std/mean over repetitions
  // Statistical 95 % confidence interval of the mean; absent where repetitions do not scatter.
  std::optional<double> confidence_low;
  std::optional<double> confidence_high;
  Uncertainty uncertainty{};
  std::optional<Percentile> percentile{};  // for a percentile
};

// Statistical and systematic parts together. Absent where one of them is unknown: after a single
// repetition, and where repetitions were identical and their resolution is unknown.
std::optional<stats::ExpandedUncertainty> expandedUncertainty(const Quantity& quantity);
// Root of the sum of squares of the systematic parts; absent where they are unknown.
std::optional<double> systematicUncertainty(const Quantity& quantity);

// How far the interval of about 95 % reaches below and above the value: the expanded uncertainty,
// or where the systematic part of it is unknown, half the statistical confidence interval; neither
// beyond Uncertainty::least and most. Nothing where both are unknown or zero.
struct Reach {
  double below = 0;
  double above = 0;

  [[nodiscard]] double longer() const;
};
std::optional<Reach> reachOf(const Quantity& quantity);

// Cuts the intervals of a figure that lies from `least` to `most` at these, and at the bounds that
// it has already. A value outside has been measured, and is left as it is.
void cutIntervals(double least, double most, Quantity& quantity);

// One figure of one point, under a name of kpi/kpi.h: for limits, exports and comparisons.
struct Kpi {
  std::string name;
  std::string point;  // "1024 B, 50 % load": unique among the KPIs of that name in a test
  Quantity quantity;
};

// A figure of one point that the test measures but could not measure there, for instance of a job
// that the trial cut off. Limits on it are not met.
struct UnmeasuredKpi {
  std::string name;
  std::string point;
};

using Cell = std::variant<std::string, Quantity>;

struct Table {
  std::string id;  // machine name, unique in the test: "throughput"
  std::string title;
  std::string note;  // definition of the values; may be empty
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  // Number of rows of a long table that reports and the terminal show, from the first on; JSON and
  // CSV have all. 0: every row is shown. In JSON, of more than 1,000 rows, a quantity that equals
  // the first one of its column except for its value is written as the value alone.
  std::size_t shown_rows = 0;

  [[nodiscard]] std::size_t shownRows() const {
    return shown_rows == 0 || shown_rows > rows.size() ? rows.size() : shown_rows;
  }
};

struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  bool reference = false;  // context line of the drafts or of theory, drawn dashed
  // Indices in x and y, ascending, of percentiles that rest on too few samples.
  std::vector<std::size_t> few_samples{};
  bool right = false;  // kLine: y belongs to the right axis
  bool area = false;   // kLine: filled down to zero, under all lines
  // kLine: indices of highlighted points, ascending: a Pareto set.
  std::vector<std::size_t> marked{};

  void add(double at, const Quantity& quantity);
};

// kTime: a quantity sampled over time, drawn without a marker at every sample.
enum class ChartKind { kLine, kBar, kStep, kTime };

struct Chart {
  std::string id;
  std::string title;
  ChartKind kind = ChartKind::kLine;
  std::string x_label;  // with unit
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
  // kBar only: names of the bars at x = 0, 1, 2 …, where these are not numbers.
  std::vector<std::string> categories{};
  // kBar only, without categories: the bars of one x are parts of a whole and are stacked.
  bool stacked = false;
  // kLine only: label of the right axis, with unit; linear.
  std::string right_label{};
};

// A value for each pair of two items, as colours: the utilisation of the links from each leaf to
// each spine.
struct HeatMap {
  std::string id;
  std::string title;
  std::string note;  // may be empty
  std::string row_label;
  std::string column_label;
  std::string value_label;  // with unit: "utilisation [%]"
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<double>>> values;  // by row, then column; nothing = blank
  std::optional<double> full_scale{};  // value of the darkest colour; nothing = the largest one
};

// Time spans of states, lane by lane: pauses of each port and priority.
struct Span {
  double from = 0;
  double until = 0;
};

struct Lane {
  std::string name;
  std::vector<Span> spans;  // ascending, not overlapping
};

struct Timeline {
  std::string id;
  std::string title;
  std::string note;     // may be empty
  std::string x_label;  // with unit: "time [us]"
  double until = 0;     // the time axis runs from 0 to here
  std::vector<Lane> lanes;
};

// Records of single events of a test, requests for example: a file of its own beside the report.
struct RawData {
  std::string id;
  std::string title;
  std::string csv;  // RFC 4180, a first line of column names
};

// A latency distribution; the report draws its histogram and CDF and prints the stats row
// min, mean, P50, P95, P99, P99.9, max.
struct Distribution {
  std::string id;
  std::string title;  // "1024 B, 50 % load"
  std::string unit = "ps";
  ObservationPoint observed = ObservationPoint::kTester;
  stats::Histogram histogram;
};

// Difference of a run's set-up from the methodology: fewer repetitions, a size that is not swept, a
// figure that the bench does not observe. Not an error.
struct Deviation {
  std::string what;
  std::string where;  // "bench", a table or a point; may be empty
  // If it is that a sweep lacks values of the methodology's: what is swept, and these.
  std::string swept{};
  std::vector<std::string> missing{};
};
// "Senders not measured: 8, 16"
Deviation missingFromSweep(std::string swept, std::vector<std::string> missing);

// An error, or a limit to a number's meaning: an invalid trial, CV > 5 %, lost frames.
struct Anomaly {
  std::string what;
  std::string where;  // table, point or trial; may be empty
};

struct TestResult {
  std::string id;       // "T5.2"
  std::string title;    // "Latency"
  std::string section;  // "training draft, section 5.2"
  std::string profile;  // "quick" or "standard"
  std::string summary;  // one or two sentences with the main figures
  std::vector<std::pair<std::string, std::string>> configuration;  // shown in this order
  std::vector<Quantity> primary;  // the primary KPI(s), for the CLI's last line
  std::vector<std::string> primary_names;
  std::vector<Kpi> kpis;  // every figure that limits may name, point by point
  std::vector<Table> tables;
  std::vector<Chart> charts;
  std::vector<Distribution> distributions;
  std::vector<Anomaly> anomalies;
  Table repeatability;  // iterations and CV per point
  bool valid = true;    // false if one of its trials was invalid or the confidence was not reached
  std::vector<HeatMap> heat_maps{};
  std::vector<Timeline> timelines{};
  // Cables and switches that failed in the test, by fabric name: marked in a drawing of the
  // topology.
  std::vector<std::string> failed_elements{};
  std::vector<Deviation> deviations{};  // empty in results of older versions
  // Cost of the simulation, if known: depends on program and machine, so that equal runs differ
  // only here.
  std::optional<Table> cost{};
  std::vector<UnmeasuredKpi> unmeasured{};
  std::vector<RawData> raw_data{};

  // One line of JSON; integers and doubles are preserved exactly. Throws Error(kTester) for a
  // number that is not finite, which no procedure may report.
  [[nodiscard]] std::string toJson() const;
  // Throws Error(kTester) for text that toJson() did not write.
  static TestResult fromJson(const std::string& text);
};

}  // namespace plumbline::results
