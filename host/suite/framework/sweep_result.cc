#include "suite/framework/sweep_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "scenario/quantity.h"

namespace plumbline::suite {
namespace {

using results::Anomaly;
using results::Deviation;
using results::TestResult;

// The x axis of a chart: numbers of one unit, or the values as words.
struct AxisScale {
  std::string label;
  bool numbers = false;
  bool log = false;
  std::vector<double> x;  // of the axis's values
};

template <typename Value, typename Number>
std::optional<std::vector<double>> numbersOf(const scenario::SweepAxis& axis,
                                             Parsed<Value> (*parse)(std::string_view),
                                             Number number) {
  std::vector<double> numbers;
  for (const std::string& text : axis.values) {
    const auto parsed = parse(text);
    if (!parsed.value) return std::nullopt;
    numbers.push_back(number(*parsed.value));
  }
  return numbers;
}

AxisScale scaleOf(const scenario::SweepAxis& axis) {
  AxisScale scale{axis.key, true, false, {}};
  const auto take = [&](std::optional<std::vector<double>> numbers, const char* unit) {
    if (!numbers) return false;
    scale.x = std::move(*numbers);
    if (*unit != '\0') scale.label += fmt::format(" [{}]", unit);
    return true;
  };
  const bool is_number =
      take(numbersOf(axis, parseDecimal, [](double value) { return value; }), "") ||
      take(numbersOf(axis, scenario::parseBytes,
                     [](Bytes value) { return static_cast<double>(value.count()); }),
           "B") ||
      take(numbersOf(axis, scenario::parseDuration,
                     [](Picoseconds value) { return value.toMicroseconds(); }),
           "us") ||
      take(numbersOf(axis, scenario::parseBitRate,
                     [](BitRate value) { return value.toGigabitsPerSecond(); }),
           "Gb/s") ||
      take(numbersOf(axis, scenario::parseShare,
                     [](Fraction value) { return 100 * value.toDouble(); }),
           "%");
  if (!is_number) {
    scale.numbers = false;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      scale.x.push_back(static_cast<double>(i));
    }
    return scale;
  }
  // Decades apart: equal steps of the exponent show more.
  constexpr double kLogFrom = 10;
  const auto [low, high] = std::minmax_element(scale.x.begin(), scale.x.end());
  scale.log = *low > 0 && *high >= kLogFrom * *low;
  return scale;
}

std::size_t chartAxis(const std::vector<scenario::SweepAxis>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].values.size() > 1 && scaleOf(axes[i]).numbers) return i;
  }
  return 0;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ": " + b;
}

class Fold {
 public:
  Fold(const std::vector<scenario::SweepAxis>& axes, const std::vector<SweepPointResult>& points,
       const std::string& id)
      : axes_(axes) {
    for (const SweepPointResult& point : points) {
      for (const TestResult& test : point.tests) {
        if (test.id == id) points_.push_back({point, test});
      }
    }
  }

  TestResult take() {
    const TestResult& first = points_.front().test;
    result_.id = first.id;
    result_.title = first.title;
    result_.section = first.section;
    result_.profile = first.profile;
    result_.repeatability = first.repeatability;
    result_.repeatability.rows.clear();
    configure();
    for (const Point& point : points_) addPoint(point);
    addTable();
    for (const std::string& kpi : names_) addChart(kpi);
    result_.deviations = folded<Deviation>([this](const Point& one) { return deviationsOf(one); });
    result_.anomalies = folded<Anomaly>([](const Point& one) { return one.test.anomalies; });
    std::vector<std::string> swept;
    for (const scenario::SweepAxis& axis : axes_) {
      swept.push_back(fmt::format("{} ({})", axis.key, counted(axis.values.size(), "value")));
    }
    result_.summary = fmt::format("{} of a sweep over {}.", counted(points_.size(), "point"),
                                  fmt::join(swept, ", "));
    return std::move(result_);
  }

 private:
  struct Point {
    const SweepPointResult& point;
    const TestResult& test;
  };

  void configure() {
    for (const auto& line : points_.front().test.configuration) {
      if (std::all_of(points_.begin(), points_.end(), [&](const Point& point) {
            const auto& lines = point.test.configuration;
            return std::find(lines.begin(), lines.end(), line) != lines.end();
          })) {
        result_.configuration.push_back(line);
      }
    }
    for (const scenario::SweepAxis& axis : axes_) {
      result_.configuration.emplace_back("Swept: " + axis.key,
                                         fmt::format("{}", fmt::join(axis.values, ", ")));
    }
  }

  void addPoint(const Point& point) {
    for (const results::Kpi& kpi : point.test.kpis) {
      if (std::find(names_.begin(), names_.end(), kpi.name) == names_.end()) {
        names_.push_back(kpi.name);
      }
      result_.kpis.push_back({kpi.name, joined(point.point.label, kpi.point), kpi.quantity});
    }
    for (const results::UnmeasuredKpi& kpi : point.test.unmeasured) {
      result_.unmeasured.push_back({kpi.name, joined(point.point.label, kpi.point)});
    }
    for (auto row : point.test.repeatability.rows) {
      if (!row.empty() && std::holds_alternative<std::string>(row[0])) {
        row[0] = joined(point.point.label, std::get<std::string>(row[0]));
      }
      result_.repeatability.rows.push_back(std::move(row));
    }
    result_.valid = result_.valid && point.test.valid;
  }

  // A row for every point of the sweep and of the test within it.
  void addTable() {
    results::Table table{"sweep", "Figures over the sweep", "", {}, {}};
    for (const scenario::SweepAxis& axis : axes_) table.columns.push_back(axis.key);
    table.columns.emplace_back("Point");
    table.columns.insert(table.columns.end(), names_.begin(), names_.end());
    for (const Point& point : points_) {
      std::vector<std::string> rows;  // points of the test, in its order
      std::map<std::pair<std::string, std::string>, const results::Quantity*> figures;
      for (const results::Kpi& kpi : point.test.kpis) {
        if (std::find(rows.begin(), rows.end(), kpi.point) == rows.end()) rows.push_back(kpi.point);
        figures[{kpi.point, kpi.name}] = &kpi.quantity;
      }
      for (const std::string& row : rows) {
        std::vector<results::Cell> cells(point.point.values.begin(), point.point.values.end());
        cells.emplace_back(row);
        for (const std::string& name : names_) {
          const auto found = figures.find({row, name});
          cells.push_back(found == figures.end() ? results::Cell(std::string("-"))
                                                 : results::Cell(*found->second));
        }
        table.rows.push_back(std::move(cells));
      }
    }
    result_.tables.push_back(std::move(table));
  }

  void addChart(const std::string& kpi) {
    const std::size_t axis = chartAxis(axes_);
    const AxisScale scale = scaleOf(axes_[axis]);
    results::Chart chart;
    chart.id = kpi + "_over_sweep";
    chart.title = fmt::format("{} over {}", kpi, axes_[axis].key);
    chart.kind = scale.numbers ? results::ChartKind::kLine : results::ChartKind::kBar;
    chart.x_label = scale.label;
    chart.log_x = scale.log;
    if (!scale.numbers) chart.categories = axes_[axis].values;
    for (const Point& point : points_) {
      const auto& values = axes_[axis].values;
      const auto place = static_cast<std::size_t>(
          std::find(values.begin(), values.end(), point.point.values[axis]) - values.begin());
      for (const results::Kpi& one : point.test.kpis) {
        if (one.name != kpi) continue;
        const std::string& unit = one.quantity.unit;
        chart.y_label = unit.empty() ? kpi : fmt::format("{} [{}]", kpi, unit);
        results::Series& series = seriesOf(chart, seriesName(point, axis, one.point));
        series.add(scale.x[place], one.quantity);
      }
    }
    for (results::Series& series : chart.series) sortByX(series);
    result_.charts.push_back(std::move(chart));
  }

  // The values of the other axes and the point of the test.
  [[nodiscard]] std::string seriesName(const Point& point, std::size_t axis,
                                       const std::string& test_point) const {
    std::vector<std::string> others;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (i == axis || axes_[i].values.size() == 1) continue;
      const std::string& key = axes_[i].key;
      others.push_back(key.substr(key.rfind('.') + 1) + " " + point.point.values[i]);
    }
    return joined(fmt::format("{}", fmt::join(others, ", ")), test_point);
  }

  static results::Series& seriesOf(results::Chart& chart, const std::string& name) {
    const auto found = std::find_if(chart.series.begin(), chart.series.end(),
                                    [&](const results::Series& one) { return one.name == name; });
    if (found != chart.series.end()) return *found;
    return chart.series.emplace_back(results::Series{name, {}, {}, false});
  }

  static void sortByX(results::Series& series) {
    struct Point {
      double x = 0;
      double y = 0;
      bool few_samples = false;
    };
    const auto& few = series.few_samples;
    std::vector<Point> points;
    points.reserve(series.x.size());
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      points.push_back({series.x[i], series.y[i], std::binary_search(few.begin(), few.end(), i)});
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const Point& a, const Point& b) { return a.x < b.x; });
    series.few_samples.clear();
    for (std::size_t i = 0; i < points.size(); ++i) {
      series.x[i] = points[i].x;
      series.y[i] = points[i].y;
      if (points[i].few_samples) series.few_samples.push_back(i);
    }
  }

  [[nodiscard]] bool haveOneDut(const Point& a, const Point& b) const {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].key.starts_with("dut.") && a.point.values[i] != b.point.values[i]) return false;
    }
    return true;
  }

  static bool lacks(const TestResult& test, const std::string& swept, const std::string& value) {
    return std::any_of(test.deviations.begin(), test.deviations.end(), [&](const Deviation& one) {
      const auto& missing = one.missing;
      return one.swept == swept &&
             std::find(missing.begin(), missing.end(), value) != missing.end();
    });
  }

  // Those of a point, without values of the test's own sweep that another point of the same DUT
  // has. Every DUT of a sweep owes all values.
  [[nodiscard]] std::vector<Deviation> deviationsOf(const Point& point) const {
    std::vector<Deviation> deviations;
    for (const Deviation& one : point.test.deviations) {
      std::vector<std::string> missing = one.missing;
      std::erase_if(missing, [&](const std::string& value) {
        return std::any_of(points_.begin(), points_.end(), [&](const Point& other) {
          return haveOneDut(point, other) && !lacks(other.test, one.swept, value);
        });
      });
      if (one.missing.empty()) {
        deviations.push_back(one);
      } else if (!missing.empty()) {
        deviations.push_back(results::missingFromSweep(one.swept, std::move(missing)));
      }
    }
    return deviations;
  }

  // Deviations or anomalies of all points, of each by `of`; one that all points share is listed
  // once.
  template <typename Remark, typename Of>
  [[nodiscard]] std::vector<Remark> folded(Of of) const {
    std::vector<std::pair<Remark, std::vector<std::string>>> all;
    for (const Point& point : points_) {
      for (const Remark& remark : of(point)) {
        auto known = std::find_if(all.begin(), all.end(), [&](const auto& one) {
          return one.first.what == remark.what && one.first.where == remark.where;
        });
        if (known == all.end()) known = all.insert(all.end(), {remark, {}});
        known->second.push_back(point.point.label);
      }
    }
    std::vector<Remark> folded;
    for (const auto& [remark, labels] : all) {
      if (labels.size() == points_.size()) {
        folded.push_back(remark);
        continue;
      }
      for (const std::string& label : labels) {
        folded.push_back(remark);
        folded.back().where = joined(label, remark.where);
      }
    }
    return folded;
  }

  const std::vector<scenario::SweepAxis>& axes_;
  std::vector<Point> points_;
  std::vector<std::string> names_;  // of KPIs, in the order in which they come
  TestResult result_;
};

}  // namespace

std::vector<TestResult> foldSweep(const std::vector<scenario::SweepAxis>& axes,
                                  const std::vector<SweepPointResult>& points) {
  std::vector<std::string> ids;
  for (const SweepPointResult& point : points) {
    for (const TestResult& test : point.tests) {
      if (std::find(ids.begin(), ids.end(), test.id) == ids.end()) ids.push_back(test.id);
    }
  }
  std::vector<TestResult> folded;
  folded.reserve(ids.size());
  for (const std::string& id : ids) folded.push_back(Fold(axes, points, id).take());
  return folded;
}

}  // namespace plumbline::suite
