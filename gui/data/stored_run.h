// SPDX-License-Identifier: GPL-3.0-or-later
// A stored run as the window shows it, read from the results JSON (docs/result.schema.json).
// Independent of host/results on purpose: the window reads the document, not the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/histogram.h"

namespace plumbline::gui {

// Uncertainty of a quantity, in its unit.
struct StoredUncertainty {
  std::string statistics = "none";  // "repetitions", "batches", "identical", "deterministic"
  std::optional<double> statistical;
  std::optional<double> degrees_of_freedom;  // infinitely many without a number
  std::uint32_t batches = 0;
  std::optional<std::vector<std::pair<std::string, double>>> systematic;  // by source
  std::optional<double> least;  // the figure cannot lie beyond these
  std::optional<double> most;
};

struct StoredPercentile {
  double quantile = 0;  // 0.999
  std::uint64_t samples = 0;
};

struct StoredQuantity {
  double value = 0;
  std::string unit;
  std::string observed;  // "tester", "modelled", …
  std::uint32_t repetitions = 0;
  std::optional<double> cv;
  std::optional<double> confidence_low;  // statistical 95 % interval of the mean
  std::optional<double> confidence_high;
  StoredUncertainty uncertainty;
  std::optional<StoredPercentile> percentile;
};

// One figure at one point of a sweep; the unit is the suffix of the name.
struct StoredKpi {
  std::string name;
  std::string point;
  StoredQuantity quantity;
};

struct StoredSeries {
  std::string name;
  bool reference = false;  // context of theory or of the drafts
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::uint64_t> few_samples;  // places of percentiles on too few samples
  bool right = false;                      // of a second y axis
  std::vector<std::uint64_t> marked;       // places that stand out
};

struct StoredChart {
  std::string id;
  std::string title;
  std::string kind;  // "line", "bar", "step", "time"
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<StoredSeries> series;
  std::vector<std::string> categories;
  bool stacked = false;  // the bars of one x are parts of a whole
};

struct StoredSpan {
  double from = 0;
  double until = 0;
};

struct StoredLane {
  std::string name;
  std::vector<StoredSpan> spans;
};

struct StoredTimeline {
  std::string title;
  std::string x_label;
  double until = 0;
  std::vector<StoredLane> lanes;
};

struct StoredDistribution {
  std::string id;
  std::string title;
  std::string unit;  // of the histogram's values: "ps"
  stats::Histogram histogram;
};

// A cell is a text, or a quantity.
struct StoredCell {
  std::string text;
  std::optional<StoredQuantity> quantity;
};

struct StoredTable {
  std::string id;
  std::string title;
  std::string note;
  std::vector<std::string> columns;
  std::vector<std::vector<StoredCell>> rows;
};

// Index of the column of this name; nothing if there is none.
std::optional<std::size_t> columnOf(const StoredTable& table, std::string_view name);

// An anomaly, or a deviation from the methodology.
struct StoredRemark {
  std::string what;
  std::string where;  // may be empty
};

// Single events as CSV: "requests".
struct StoredRawData {
  std::string id;
  std::string csv;
};

struct StoredTest {
  std::string id;  // "T5.2"
  std::string title;
  std::string summary;
  bool valid = true;
  std::vector<StoredKpi> kpis;
  std::vector<StoredTable> tables;
  std::vector<StoredChart> charts;
  std::vector<StoredTimeline> timelines;
  std::vector<StoredDistribution> distributions;
  std::vector<StoredRawData> raw_data;
  std::vector<StoredRemark> anomalies;
  std::vector<StoredRemark> deviations;
};

struct StoredRun {
  std::uint64_t run = 0;
  std::string created;
  std::string finished;
  std::string status;
  std::string scenario_name;
  std::string scenario;  // word for word
  std::string bench;
  std::string profile;
  std::vector<StoredTest> tests;
};

// Either a run, or one sentence on why the text is invalid.
struct StoredRunResult {
  std::optional<StoredRun> run;
  std::string error;
};

// Reads the results JSON of one run. Never throws, whatever `text` holds.
StoredRunResult parseStoredRun(std::string_view text);

}  // namespace plumbline::gui
