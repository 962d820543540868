// Tables and charts over the points of a sweep, from a list of figures.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/observation_point.h"
#include "suite/framework/fabric_procedure.h"

namespace plumbline::suite {

// One figure of a trial, and where it is shown. `of` gets the point's index in Design::points; it
// returns nothing, or kNotMeasured, where the trial did not observe it, which leaves the cell
// without a number. A reading carries its own bounds (a histogram's bucket, the interval of batches
// within the trial).
struct Figure {
  std::string column;  // heading: "BusBW mean"
  std::string unit;    // "Gb/s"; empty = plain number
  std::string kpi;     // machine name, unit as suffix: "busbw_gbps"; empty = not a KPI
  std::function<std::optional<Reading>(std::size_t point, const bench::TrialResult& trial)> of{};
  ObservationPoint observed = ObservationPoint::kModelled;
  // A main figure of the test: a row of the repeatability table, with its CV.
  bool primary = false;
  // Text of a table where a trial did not observe it: "never converged". With several repetitions
  // their number follows, unless it is all of them.
  std::string absent = "not observed";
  // A missing value is worse than any number: a limit on the figure is then not met.
  bool fails_limits = false;
  // Trials with nothing that could have it, such as a gap between tokens where every answer is one
  // token. A point of such trials has no value: the cell is "not observed", and limits on the
  // figure do not apply to it.
  std::function<bool(const bench::TrialResult& trial)> moot{};
  // Points at which the trials could not show it, for a reason among the anomalies: no values, the
  // cell is "not observed", and a limit on the figure is not met.
  std::function<bool(std::size_t point)> hidden{};
  // Points that others are compared with: no values, the cell is "baseline". The comparison of a
  // point with itself is no measurement, and no limit could be met.
  std::function<bool(std::size_t point)> baseline{};
  // Replaces `of` for figures that depend on the repetition: compared with the same repetition of
  // another point, or found by a search of its own.
  std::function<std::optional<Reading>(std::size_t point, std::size_t repetition,
                                       const bench::TrialResult& trial)>
      paired{};
  // The figure is `of` at the point over `of` at this one, whose repetitions have the same seeds:
  // ratioOf() of all repetitions. Nothing: not observed.
  std::function<const Measured*(std::size_t point)> over{};
  // The interval of a figure that cannot be above this ends there, as at a declared maximum.
  std::function<double(std::size_t point)> most{};
};

// A figure of the trial alone, which fast-forwarded trials do not observe.
Figure figure(std::string column, std::string unit, std::string kpi,
              Reading (*of)(const bench::TrialResult&));
Figure figure(std::string column, std::string unit, std::string kpi,
              double (*of)(const bench::TrialResult&));

// Adds a table with a row for every measured point: the values of the axes, then the figures' means
// over the repetitions. Figures with a machine name become KPIs.
void addTable(const Design& design, std::span<const Measured> measured,
              const std::vector<Figure>& figures, results::Table heading, ResultBuilder& builder);

// Adds a table of one figure with a column for each value of the axis `across` (its index in
// Design::axes) and a row for each combination of the others; before them the values of `leading`
// figures, which are the same across a row.
void addWideTable(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
                  std::size_t across, const std::vector<Figure>& leading, results::Table heading,
                  ResultBuilder& builder);

// Adds a chart of one figure: each point of the sweep has an x and a series name. Points of one
// series need not be adjacent; series are in the order of their first appearance.
struct ChartAxes {
  std::function<double(std::size_t point)> x;
  std::function<std::string(std::size_t point)> series;
};
void addChart(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
              const ChartAxes& axes, results::Chart heading, ResultBuilder& builder);
// Adds the lines alone to a chart; `right`: for its right axis.
void addSeries(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
               const ChartAxes& axes, bool right, results::Chart& chart);

// Adds bars of one figure in groups: each point of the sweep has a group and a series name, both in
// the order of their first appearance.
struct BarAxes {
  std::function<std::string(std::size_t point)> category;
  std::function<std::string(std::size_t point)> series;
};
void addBars(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
             const BarAxes& axes, results::Chart heading, ResultBuilder& builder);

// Adds heat maps of the links between switches, of the first repetition: for the last point of each
// kind, in the order of the kinds' first appearance. Points without a name from `kind` have none.
void addLinkMaps(const Design& design, const std::vector<Measured>& measured,
                 const std::function<std::string(std::size_t point)>& kind, ResultBuilder& builder);

// The point's index in Design::points.
std::size_t placeOf(const Design& design, const Measured& measured);
// Mean of a figure over the repetitions of a point, with its confidence; nothing if a repetition
// did not observe it.
std::optional<results::Quantity> meanOf(const Design& design, const Measured& measured,
                                        const Figure& figure);
// Behind a number of several repetitions that is their sum, as figures are means: " (sum of 3
// repetitions)". Nothing for one.
std::string sumText(std::size_t repetitions);

// What a table says of a figure at a point: the mean; how many repetitions observed it and what is
// so of the others; "baseline"; "not observed", where it is hidden or moot.
results::Cell cellOf(const Design& design, const Measured& measured, const Figure& figure);

}  // namespace plumbline::suite
