// Tables and charts over the points of a sweep, from a list of what to show.
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

// One figure of a trial, and where it goes. `of` gets the point's place in Design::points; nothing,
// or kNotMeasured, where the trial did not observe it, which leaves the cell without a number. What
// bounds a reading (a histogram's bucket, the interval of batches within the trial) comes with it.
struct Figure {
  std::string column;  // heading: "BusBW mean"
  std::string unit;    // "Gb/s"; empty = plain number
  std::string kpi;     // machine name, unit as suffix: "busbw_gbps"; empty = not a KPI
  std::function<std::optional<Reading>(std::size_t point, const bench::TrialResult& trial)> of{};
  ObservationPoint observed = ObservationPoint::kModelled;
  // The figure that the test is about: a row of the repeatability table, with its CV.
  bool primary = false;
  // What a table says where a trial did not observe it: "never converged". With several repetitions
  // the number of those follows, unless it is all of them.
  std::string absent = "not observed";
  // What was not observed is worse than any number: a limit on the figure is not met then.
  bool fails_limits = false;
  // Instead of `of`, for what depends on the repetition: held against the same one of another
  // point, or found by a search of its own.
  std::function<std::optional<Reading>(std::size_t point, std::size_t repetition,
                                       const bench::TrialResult& trial)>
      paired{};
};

// A figure of the trial alone, which trials that were fast-forwarded do not observe.
Figure figure(std::string column, std::string unit, std::string kpi,
              Reading (*of)(const bench::TrialResult&));
Figure figure(std::string column, std::string unit, std::string kpi,
              double (*of)(const bench::TrialResult&));

// Adds a table with a row for every measured point: the values of the axes, then the figures'
// means over the repetitions. Figures with a machine name become KPIs.
void addTable(const Design& design, std::span<const Measured> measured,
              const std::vector<Figure>& figures, results::Table heading, ResultBuilder& builder);

// Adds a table of one figure with a column for each value of the axis `across` (its place in
// Design::axes) and a row for each combination of the others; before them the values of `leading`
// figures, which are the same across a row.
void addWideTable(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
                  std::size_t across, const std::vector<Figure>& leading, results::Table heading,
                  ResultBuilder& builder);

// Adds a chart of one figure: a point of the sweep is at x in the series that it names. Points of
// one series need not follow each other; series come in the order in which they are first named.
struct ChartAxes {
  std::function<double(std::size_t point)> x;
  std::function<std::string(std::size_t point)> series;
};
void addChart(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
              const ChartAxes& axes, results::Chart heading, ResultBuilder& builder);
// The lines alone, into a chart; `right`: they belong to its axis at the right.
void addSeries(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
               const ChartAxes& axes, bool right, results::Chart& chart);

// Adds bars of one figure in groups: a point of the sweep is in the group and of the series that
// it names, both in the order in which they are first named.
struct BarAxes {
  std::function<std::string(std::size_t point)> category;
  std::function<std::string(std::size_t point)> series;
};
void addBars(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
             const BarAxes& axes, results::Chart heading, ResultBuilder& builder);

// Adds heat maps of the links between switches, of the first repetition: of the last point of each
// kind, in the order in which the kinds come first. Points that `kind` has no name for have none.
void addLinkMaps(const Design& design, const std::vector<Measured>& measured,
                 const std::function<std::string(std::size_t point)>& kind, ResultBuilder& builder);

// The point's place in Design::points.
std::size_t placeOf(const Design& design, const Measured& measured);
// Mean of a figure over the repetitions of a point, with its confidence; nothing where one of them
// did not observe it.
std::optional<results::Quantity> meanOf(const Design& design, const Measured& measured,
                                        const Figure& figure);

}  // namespace plumbline::suite
