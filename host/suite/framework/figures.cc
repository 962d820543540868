#include "suite/framework/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "results/number_text.h"
#include "results/units.h"
#include "suite/framework/fabric_pictures.h"

namespace plumbline::suite {

namespace {

template <typename Number>  // double or Reading
Figure observedFigure(std::string column, std::string unit, std::string kpi,
                      Number (*of)(const bench::TrialResult&)) {
  return {.column = std::move(column),
          .unit = std::move(unit),
          .kpi = std::move(kpi),
          .of = [of](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
            if (trial.fabric->fast_forward) return std::nullopt;
            return of(trial);
          }};
}

}  // namespace

Figure figure(std::string column, std::string unit, std::string kpi,
              Reading (*of)(const bench::TrialResult&)) {
  return observedFigure(std::move(column), std::move(unit), std::move(kpi), of);
}

Figure figure(std::string column, std::string unit, std::string kpi,
              double (*of)(const bench::TrialResult&)) {
  return observedFigure(std::move(column), std::move(unit), std::move(kpi), of);
}

std::size_t placeOf(const Design& design, const Measured& measured) {
  return static_cast<std::size_t>(&measured.point - design.points.data());
}

namespace {

bool isHidden(const Design& design, const Measured& measured, const Figure& figure) {
  return figure.hidden && figure.hidden(placeOf(design, measured));
}

bool isBaseline(const Design& design, const Measured& measured, const Figure& figure) {
  return figure.baseline && figure.baseline(placeOf(design, measured));
}

// Whether every trial had nothing that could have it.
bool isMoot(const Measured& measured, const Figure& figure) {
  return figure.moot && std::all_of(measured.trials.begin(), measured.trials.end(), figure.moot);
}

// Figure::over at a point: both parts of the ratio, of the repetitions that observed both.
struct RatioParts {
  std::vector<double> numerators;
  std::vector<double> denominators;
};

RatioParts ratioParts(const Design& design, const Measured& measured, const Figure& figure) {
  RatioParts parts;
  const std::size_t place = placeOf(design, measured);
  const Measured* base = figure.over(place);
  if (base == nullptr) return parts;
  const std::size_t count = std::min(measured.trials.size(), base->trials.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = figure.of(place, measured.trials[i]);
    const auto of_base = figure.of(placeOf(design, *base), base->trials[i]);
    if (!value || !of_base || !std::isfinite(value->value) || !(of_base->value > 0)) continue;
    parts.numerators.push_back(value->value);
    parts.denominators.push_back(of_base->value);
  }
  return parts;
}

// Of the repetitions that observed it.
std::vector<Reading> observedOf(const Design& design, const Measured& measured,
                                const Figure& figure) {
  const std::size_t place = placeOf(design, measured);
  std::vector<Reading> values;
  if (isHidden(design, measured, figure) || isBaseline(design, measured, figure)) return values;
  if (figure.over) {
    const RatioParts parts = ratioParts(design, measured, figure);
    for (std::size_t i = 0; i < parts.numerators.size(); ++i) {
      values.emplace_back(parts.numerators[i] / parts.denominators[i]);
    }
    return values;
  }
  for (std::size_t i = 0; i < measured.trials.size(); ++i) {
    const bench::TrialResult& trial = measured.trials[i];
    const std::optional<Reading> value =
        figure.paired ? figure.paired(place, i, trial) : figure.of(place, trial);
    if (value && std::isfinite(value->value)) values.push_back(*value);
  }
  return values;
}

results::Quantity meanOfReadings(const Design& design, const Measured& measured,
                                 const std::vector<Reading>& readings, const Figure& figure) {
  if (figure.over) {
    const RatioParts parts = ratioParts(design, measured, figure);
    return ratioOf(parts.numerators, parts.denominators, figure.observed);
  }
  results::Quantity mean =
      quantityOf(readings, figure.unit, figure.observed, measured.deterministic);
  const kpi::Declaration* declared = kpi::find(figure.kpi);
  const kpi::Basis basis =
      declared != nullptr ? kpi::basisOf(*declared) : kpi::basisOfUnit(figure.unit);
  if (basis != kpi::Basis::kCounts) addPrediction(measured.trials, mean);
  if (figure.most) {
    constexpr double kNoLeast = -std::numeric_limits<double>::infinity();
    results::cutIntervals(kNoLeast, figure.most(placeOf(design, measured)), mean);
  }
  return mean;
}

// Of all repetitions; empty if one of them did not observe it.
std::vector<Reading> valuesOf(const Design& design, const Measured& measured,
                              const Figure& figure) {
  std::vector<Reading> values = observedOf(design, measured, figure);
  if (values.size() < measured.trials.size()) values.clear();
  return values;
}

// The cell of a figure that not every repetition observed: a mean over some would not be one of the
// point.
std::string partlyObserved(const std::vector<Reading>& values, std::size_t repetitions,
                           const Figure& figure) {
  if (values.empty()) return figure.absent;
  const double sum =
      std::accumulate(values.begin(), values.end(), 0.0,
                      [](double before, const Reading& reading) { return before + reading.value; });
  const double mean = sum / static_cast<double>(values.size());
  const results::ScaledUnit scaled = results::fitUnit(figure.unit, std::abs(mean));
  return fmt::format("{}{}{} in {} of {} repetitions, else {}",
                     results::measuredNumber(mean / scaled.factor), scaled.unit.empty() ? "" : " ",
                     results::shownUnit(scaled.unit), values.size(), repetitions, figure.absent);
}

}  // namespace

std::string sumText(std::size_t repetitions) {
  return repetitions > 1 ? fmt::format(" (sum of {} repetitions)", repetitions) : std::string();
}

std::optional<results::Quantity> meanOf(const Design& design, const Measured& measured,
                                        const Figure& figure) {
  const std::vector<Reading> values = valuesOf(design, measured, figure);
  if (values.empty()) return std::nullopt;
  return meanOfReadings(design, measured, values, figure);
}

results::Cell cellOf(const Design& design, const Measured& measured, const Figure& figure) {
  if (isBaseline(design, measured, figure)) return "baseline";
  const std::vector<Reading> values = observedOf(design, measured, figure);
  if (!values.empty() && values.size() == measured.trials.size()) {
    return meanOfReadings(design, measured, values, figure);
  }
  if (isHidden(design, measured, figure) || isMoot(measured, figure)) return "not observed";
  return partlyObserved(values, measured.trials.size(), figure);
}

void addTable(const Design& design, std::span<const Measured> measured,
              const std::vector<Figure>& figures, results::Table heading, ResultBuilder& builder) {
  for (const SweepAxis& axis : design.axes) heading.columns.push_back(axis.column);
  for (const Figure& figure : figures) heading.columns.push_back(figure.column);
  for (const Measured& one : measured) {
    std::vector<results::Cell> row(one.point.values.begin(), one.point.values.end());
    for (const Figure& figure : figures) {
      const std::vector<Reading> values = observedOf(design, one, figure);
      if (values.empty() || values.size() < one.trials.size()) {
        row.push_back(cellOf(design, one, figure));
        if (isBaseline(design, one, figure)) continue;
        // A value of some repetitions is one that the point should have.
        const bool owed = (figure.fails_limits && !isMoot(one, figure)) ||
                          isHidden(design, one, figure) || !values.empty();
        if (owed && !figure.kpi.empty()) {
          builder.notMeasured(figure.kpi, one.point.label);
        }
        continue;
      }
      results::Quantity mean = meanOfReadings(design, one, values, figure);
      if (figure.primary) builder.repeated(one.point.label, figure.column, values, mean);
      if (!figure.kpi.empty()) mean = builder.kpi(figure.kpi, one.point.label, std::move(mean));
      row.emplace_back(std::move(mean));
    }
    heading.rows.push_back(std::move(row));
  }
  builder.result().tables.push_back(std::move(heading));
}

void addWideTable(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
                  std::size_t across, const std::vector<Figure>& leading, results::Table heading,
                  ResultBuilder& builder) {
  for (std::size_t i = 0; i < design.axes.size(); ++i) {
    if (i != across) heading.columns.push_back(design.axes[i].column);
  }
  for (const Figure& one : leading) heading.columns.push_back(one.column);
  const std::size_t first = heading.columns.size();
  for (const SweepPoint& point : design.points) {
    const auto begin = heading.columns.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::find(begin, heading.columns.end(), point.values[across]) == heading.columns.end()) {
      heading.columns.push_back(point.values[across]);
    }
  }
  const auto with = [across](std::vector<std::string> key, const std::string& value) {
    key.insert(key.begin() + static_cast<std::ptrdiff_t>(across), value);
    return key;
  };
  const auto belongs = [&design](const std::vector<std::string>& values) {
    return std::any_of(design.points.begin(), design.points.end(),
                       [&](const SweepPoint& point) { return point.values == values; });
  };
  std::vector<std::vector<std::string>> keys;  // of the rows
  for (const Measured& one : measured) {
    std::vector<std::string> key = one.point.values;
    key.erase(key.begin() + static_cast<std::ptrdiff_t>(across));
    auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end()) {
      known = keys.insert(keys.end(), key);
      std::vector<results::Cell>& row = heading.rows.emplace_back(key.begin(), key.end());
      for (const Figure& of : leading) row.push_back(cellOf(design, one, of));
      for (std::size_t i = first; i < heading.columns.size(); ++i) {
        const bool planned = belongs(with(key, heading.columns[i]));
        row.emplace_back(std::string(planned ? "not valid" : "not measured"));
      }
    }
    const auto column = std::find(heading.columns.begin() + static_cast<std::ptrdiff_t>(first),
                                  heading.columns.end(), one.point.values[across]) -
                        heading.columns.begin();
    heading.rows[static_cast<std::size_t>(known - keys.begin())][static_cast<std::size_t>(column)] =
        cellOf(design, one, figure);
  }
  builder.result().tables.push_back(std::move(heading));
}

void addSeries(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
               const ChartAxes& axes, bool right, results::Chart& chart) {
  for (const Measured& one : measured) {
    const auto mean = meanOf(design, one, figure);
    if (!mean) continue;
    const std::size_t place = placeOf(design, one);
    const std::string name = axes.series(place);
    auto series =
        std::find_if(chart.series.begin(), chart.series.end(),
                     [&](const results::Series& s) { return s.name == name && s.right == right; });
    if (series == chart.series.end()) {
      series = chart.series.insert(chart.series.end(), {name, {}, {}, false});
      series->right = right;
    }
    series->add(axes.x(place), *mean);
  }
}

void addChart(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
              const ChartAxes& axes, results::Chart heading, ResultBuilder& builder) {
  addSeries(design, measured, figure, axes, false, heading);
  builder.result().charts.push_back(std::move(heading));
}

void addBars(const Design& design, const std::vector<Measured>& measured, const Figure& figure,
             const BarAxes& axes, results::Chart heading, ResultBuilder& builder) {
  heading.kind = results::ChartKind::kBar;
  for (const Measured& one : measured) {
    const std::string name = axes.category(placeOf(design, one));
    auto& names = heading.categories;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const auto categoryOf = [&axes, names = heading.categories](std::size_t point) {
    return static_cast<double>(std::find(names.begin(), names.end(), axes.category(point)) -
                               names.begin());
  };
  addChart(design, measured, figure, {categoryOf, axes.series}, std::move(heading), builder);
}

void addLinkMaps(const Design& design, const std::vector<Measured>& measured,
                 const std::function<std::string(std::size_t point)>& kind,
                 ResultBuilder& builder) {
  std::vector<std::pair<std::string, const Measured*>> last;
  for (const Measured& one : measured) {
    const std::string name = kind(placeOf(design, one));
    if (name.empty() || one.trials.front().fabric->links.empty()) continue;
    const auto known = std::find_if(last.begin(), last.end(),
                                    [&](const auto& each) { return each.first == name; });
    if (known == last.end()) {
      last.emplace_back(name, &one);
    } else {
      known->second = &one;
    }
  }
  for (const auto& [name, one] : last) {
    for (results::HeatMap& map : linkHeatMaps(one->trials.front().fabric->links,
                                              fmt::format("links_{}", placeOf(design, *one)),
                                              one->point.label + ": load of links")) {
      builder.result().heat_maps.push_back(std::move(map));
    }
  }
}

}  // namespace plumbline::suite
