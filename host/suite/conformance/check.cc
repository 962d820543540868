#include "suite/conformance/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

namespace plumbline::suite {
namespace {

using results::TestResult;
using Kind = Place::Kind;
using Reason = Finding::Kind;

// A value at a place, as text that distinguishes different values.
struct Seen {
  std::string text;
  std::string unit{};
  bool number = false;
};

// The values at a place of a result.
struct Found {
  std::string missing;       // why the place does not exist; empty: it exists
  std::vector<Seen> values;  // those that are none are left out
  bool points = true;        // the values are those of points, so that they should differ
};

bool isEmptyAnswer(std::string_view text) {
  constexpr std::array<std::string_view, 6> kNothing{
      "", "-", "–", "not observed", "not measured", "baseline"};
  return std::find(kNothing.begin(), kNothing.end(), text) != kNothing.end();
}

bool contains(const std::string& text, const std::string& part) {
  return part.empty() || text.find(part) != std::string::npos;
}

void addCell(const results::Cell& cell, std::vector<Seen>& values) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    if (!isEmptyAnswer(*text)) values.push_back({*text});
    return;
  }
  const auto& quantity = std::get<results::Quantity>(cell);
  values.push_back({fmt::format("{} {}", quantity.value, quantity.unit), quantity.unit, true});
}

std::string cellText(const results::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : *text;
}

bool rowHas(const std::vector<results::Cell>& row, const std::string& part) {
  return part.empty() || std::any_of(row.begin(), row.end(), [&](const results::Cell& cell) {
           return contains(cellText(cell), part);
         });
}

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("there are: {}", fmt::join(names, ", "));
}

// The names of `all`, without those that differ in their digits only.
template <typename List>
std::string listedIds(const List& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& one : all) names.push_back(one.id);
  return listed(names);
}

// "P99 (of 3)" is the column P99: of so few samples.
bool isHeading(const std::string& heading, const std::string& column) {
  return heading == column || heading.starts_with(column + " (of ");
}

Found columnOf(const results::Table& table, const Place& place) {
  const auto column =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const std::string& heading) { return isHeading(heading, place.column); });
  if (column == table.columns.end()) {
    return {fmt::format("table {} has no column \"{}\" ({})", table.id, place.column,
                        listed(table.columns)),
            {}};
  }
  const auto index = static_cast<std::size_t>(column - table.columns.begin());
  Found found;
  for (const auto& row : table.rows) {
    if (index < row.size() && rowHas(row, place.points)) addCell(row[index], found.values);
  }
  return found;
}

Found rowOf(const results::Table& table, const Place& place) {
  const auto row = std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& one) {
    return !one.empty() && cellText(one.front()) == place.row;
  });
  if (row == table.rows.end()) {
    std::vector<std::string> names;
    names.reserve(table.rows.size());
    for (const auto& one : table.rows) names.push_back(one.empty() ? "" : cellText(one.front()));
    return {fmt::format("table {} has no row \"{}\" ({})", table.id, place.row, listed(names)), {}};
  }
  Found found;
  found.points = false;
  for (std::size_t i = 1; i < row->size(); ++i) addCell((*row)[i], found.values);
  return found;
}

Found inTable(const TestResult& result, const Place& place) {
  if (place.names(result.repeatability.id)) {
    Found found = place.row.empty() ? columnOf(result.repeatability, place)
                                    : rowOf(result.repeatability, place);
    found.points = false;
    return found;
  }
  // Of a family of tables ("payload_*") each must have it, and together they have its values.
  std::optional<Found> all;
  for (const results::Table& table : result.tables) {
    if (!place.names(table.id)) continue;
    Found found = place.row.empty() ? columnOf(table, place) : rowOf(table, place);
    if (!found.missing.empty()) return found;
    if (!all) {
      all = std::move(found);
    } else {
      std::move(found.values.begin(), found.values.end(), std::back_inserter(all->values));
    }
  }
  if (!all) return {fmt::format("no table {} ({})", place.id, listedIds(result.tables)), {}};
  return *std::move(all);
}

Found inKpis(const TestResult& result, const Place& place) {
  Found found;
  bool there = false;
  for (const results::Kpi& kpi : result.kpis) {
    if (!place.names(kpi.name) || !contains(kpi.point, place.points)) continue;
    there = true;
    addCell(kpi.quantity, found.values);
  }
  if (!there) found.missing = fmt::format("no KPI {}", place.id);
  return found;
}

Found inCharts(const TestResult& result, const Place& place) {
  Found found;
  bool there = false;
  for (const results::Chart& chart : result.charts) {
    if (!place.names(chart.id)) continue;
    there = true;
    for (const results::Series& series : chart.series) {
      if (series.reference || !contains(series.name, place.points)) continue;
      for (const double y : series.y) found.values.push_back({fmt::format("{}", y)});
    }
  }
  if (!there) found.missing = fmt::format("no chart {} ({})", place.id, listedIds(result.charts));
  return found;
}

// Checks that a displayed item exists and is not empty.
template <typename List, typename Count>
Found inPictures(const List& all, const Place& place, const char* kind, Count count) {
  Found found;
  found.points = false;
  bool there = false;
  for (const auto& one : all) {
    if (!place.names(one.id) || !contains(one.title, place.points)) continue;
    there = true;
    if (count(one) > 0) found.values.push_back({one.title});
  }
  if (!there) found.missing = fmt::format("no {} {} ({})", kind, place.id, listedIds(all));
  return found;
}

Found inConfiguration(const TestResult& result, const Place& place) {
  Found found;
  found.points = false;
  std::vector<std::string> keys;
  bool there = false;
  for (const auto& [key, value] : result.configuration) {
    keys.push_back(key);
    if (!place.names(key)) continue;
    there = true;
    if (!isEmptyAnswer(value)) found.values.push_back({value});
  }
  if (!there) {
    found.missing = fmt::format("no configuration \"{}\" ({})", place.id, listed(keys));
  }
  return found;
}

// Nothing for a place that results cannot have.
std::optional<Found> at(const Place& place, const TestResult& result) {
  if (!place.test.empty() && place.test != result.id) return std::nullopt;
  switch (place.kind) {
    case Kind::kTable:
      return inTable(result, place);
    case Kind::kKpi:
      return inKpis(result, place);
    case Kind::kChart:
      return inCharts(result, place);
    case Kind::kDistribution:
      return inPictures(result.distributions, place, "distribution",
                        [](const auto& one) { return one.histogram.count(); });
    case Kind::kTimeline:
      return inPictures(result.timelines, place, "timeline",
                        [](const auto& one) { return one.lanes.size(); });
    case Kind::kHeatMap:
      return inPictures(result.heat_maps, place, "heat map",
                        [](const auto& one) { return one.values.size(); });
    case Kind::kConfiguration:
      return inConfiguration(result, place);
    case Kind::kReport:
    case Kind::kScenario:
    case Kind::kDocs:
      return std::nullopt;
  }
  return std::nullopt;
}

bool measuredByCard(const TestResult& result) {
  return std::any_of(result.kpis.begin(), result.kpis.end(), [](const results::Kpi& kpi) {
    return kpi.quantity.observed == ObservationPoint::kTester;
  });
}

// Whether a deviation says that `value` was not run: "Ranks not measured: 64, 128" or
// "Iterations: 3 instead of 100".
bool declares(const std::string& text, const std::string& called, const std::string& value) {
  constexpr std::string_view kNotMeasured = " not measured: ";
  constexpr std::string_view kInstead = " instead of ";
  if (const auto list = text.find(kNotMeasured); list != std::string::npos) {
    if (!called.empty() && text.substr(0, list) != called) return false;
    const std::string values = ", " + text.substr(list + kNotMeasured.size()) + ", ";
    return values.find(", " + value + ", ") != std::string::npos;
  }
  if (!called.empty() && !text.starts_with(called + ": ")) return false;
  const auto instead = text.find(kInstead);
  return instead != std::string::npos && text.substr(instead + kInstead.size()) == value;
}

// Values of the draft's sweep that are not among those of a place.
std::vector<std::string> notAmong(const std::vector<Seen>& run, const Demand& demand) {
  std::vector<std::string> values;
  std::copy_if(demand.values.begin(), demand.values.end(), std::back_inserter(values),
               [&](const std::string& value) {
                 return std::none_of(run.begin(), run.end(),
                                     [&](const Seen& one) { return one.text == value; });
               });
  return values;
}

// Demanded values that were neither run nor declared.
std::vector<std::string> undeclared(const Demand& demand, const std::vector<Seen>& run,
                                    const TestResult& result) {
  std::vector<std::string> values = notAmong(run, demand);
  std::erase_if(values, [&](const std::string& value) {
    return std::any_of(
        result.deviations.begin(), result.deviations.end(),
        [&](const results::Deviation& one) { return declares(one.what, demand.called, value); });
  });
  return values;
}

bool allTheSame(const std::vector<Seen>& values) {
  return values.size() > 1 && std::all_of(values.begin(), values.end(), [&](const Seen& one) {
           return one.text == values.front().text;
         });
}

// Words in a column of numbers ("never settled") are not values, unless they begin with one ("3 us
// in 1 of 2 repetitions").
void keepNumbers(std::vector<Seen>& values) {
  std::erase_if(values, [](const Seen& one) {
    const std::size_t digit = one.text.find_first_of("0123456789");
    const bool number = digit == 0 || (digit == 1 && one.text.front() == '-');
    return !one.number && !number;
  });
}

std::string placeName(const Place& place) {
  if (!place.column.empty()) return fmt::format("column \"{}\" of {}", place.column, place.id);
  if (!place.row.empty()) return fmt::format("row \"{}\" of {}", place.row, place.id);
  return place.id;
}

// The demands of one result, one after the other.
class Checker {
 public:
  explicit Checker(const TestResult& result) : result_(result), by_card_(measuredByCard(result)) {}

  void judge(const Demand& demand) {
    if (demand.state != Demand::State::kMeasured || (by_card_ && !demand.card.empty())) return;
    bool varies = false;
    bool constant = false;
    for (const Place& place : demand.places) {
      std::optional<Found> found = at(place, result_);
      if (found && !demand.unit.empty()) keepNumbers(found->values);
      if (!found || !there(demand, place, *found)) continue;
      if (found->points && found->values.size() > 1) {
        (allTheSame(found->values) ? constant : varies) = true;
      }
      judgeValues(demand, place, *found);
    }
    if (!demand.constant.empty() && varies && !constant) {
      add(Reason::kVaries, demand, "declared constant, and it is not: " + demand.constant);
    }
  }

  std::vector<Finding> take() { return std::move(findings_); }

 private:
  void add(Reason kind, const Demand& demand, std::string text) {
    findings_.push_back({kind, &demand, std::move(text)});
  }

  bool there(const Demand& demand, const Place& place, const Found& found) {
    if (!found.missing.empty()) {
      add(Reason::kAbsent, demand, found.missing);
    } else if (found.values.empty()) {
      add(Reason::kEmpty, demand, fmt::format("{} has no value", placeName(place)));
    } else {
      return true;
    }
    return false;
  }

  void judgeValues(const Demand& demand, const Place& place, const Found& found) {
    const auto other = std::find_if(found.values.begin(), found.values.end(), [&](const Seen& one) {
      return one.number && !demand.unit.empty() && one.unit != demand.unit;
    });
    if (other != found.values.end()) {
      add(Reason::kUnit, demand,
          fmt::format("{} is in \"{}\", not in {}", placeName(place), other->unit, demand.unit));
    }
    const std::vector<std::string> left = undeclared(demand, found.values, result_);
    if (!left.empty()) {
      add(Reason::kNotDeclared, demand,
          fmt::format("{} not run, and no deviation says so", fmt::join(left, ", ")));
    }
    const bool declared_sweep = !demand.values.empty() && left.empty();
    if (found.points && allTheSame(found.values) && demand.constant.empty() && !declared_sweep) {
      add(Reason::kConstant, demand,
          fmt::format("{} is {} at every point", placeName(place), found.values.front().text));
    }
  }

  const TestResult& result_;
  bool by_card_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check(const std::vector<Demand>& demands, const TestResult& result) {
  Checker checker(result);
  for (const Demand& demand : demands) checker.judge(demand);
  return checker.take();
}

std::vector<std::string> notRun(const Demand& demand, const TestResult& result) {
  if (demand.values.empty()) return {};
  std::vector<Seen> run;
  for (const Place& place : demand.places) {
    const std::optional<Found> found = at(place, result);
    if (found) run.insert(run.end(), found->values.begin(), found->values.end());
  }
  return notAmong(run, demand);
}

std::string findingText(const Finding& finding, const std::string& test) {
  return fmt::format("{}:{}: {}, \"{}\": {}", conformanceFile(draftOf(test)), finding.demand->line,
                     test, finding.demand->what, finding.text);
}

}  // namespace plumbline::suite
