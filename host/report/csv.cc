#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/csv_field.h"
#include "base/work.h"
#include "report/picture.h"
#include "report/report.h"
#include "results/number_text.h"
#include "results/uncertainty_text.h"
#include "stats/histogram.h"

namespace plumbline::report {
namespace {

using results::Cell;
using results::Quantity;
using results::Table;

std::string line(const std::vector<std::string>& fields) {
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) text += ',';
    text += csvField(fields[i]);
  }
  return text + '\n';
}

std::string optionalNumber(const std::optional<double>& value) {
  return value ? results::exactNumber(*value) : std::string();
}

void appendQuantity(std::vector<std::string>& fields, const Quantity& quantity) {
  fields.push_back(results::exactNumber(quantity.value));
  fields.push_back(quantity.unit);
  fields.push_back(optionalNumber(quantity.confidence_low));
  fields.push_back(optionalNumber(quantity.confidence_high));
  fields.push_back(optionalNumber(quantity.cv));
  fields.push_back(std::to_string(quantity.repetitions));
  fields.emplace_back(results::observationPointName(quantity.observed));
  for (std::string& one : results::uncertaintyFields(quantity)) fields.push_back(std::move(one));
}

constexpr std::size_t kQuantityFields = 13;

void appendQuantityHead(std::vector<std::string>& fields, const std::string& name) {
  for (const char* part :
       {"", " unit", " ci95 low", " ci95 high", " cv", " repetitions", " observed", " statistics",
        " statistical", " systematic", " coverage factor", " expanded", " samples"}) {
    fields.push_back(name + part);
  }
}

std::string tableCsv(const Table& table) {
  std::size_t columns = table.columns.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::vector<bool> quantities(columns, false);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (std::holds_alternative<Quantity>(row[i])) quantities[i] = true;
    }
  }
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < columns; ++i) {
    const std::string name = i < table.columns.size() ? table.columns[i] : std::string();
    if (quantities[i]) {
      appendQuantityHead(fields, name);
    } else {
      fields.push_back(name);
    }
  }
  std::string csv = line(fields);
  for (const auto& row : table.rows) {
    checkWork();
    fields.clear();
    for (std::size_t i = 0; i < columns; ++i) {
      const Cell cell = i < row.size() ? row[i] : Cell(std::string());
      if (const auto* quantity = std::get_if<Quantity>(&cell)) {
        appendQuantity(fields, *quantity);
        continue;
      }
      fields.push_back(std::get<std::string>(cell));
      if (quantities[i]) fields.insert(fields.end(), kQuantityFields - 1, std::string());
    }
    csv += line(fields);
  }
  return csv;
}

std::string chartCsv(const results::Chart& chart) {
  const bool named = !chart.categories.empty();
  const bool marks = std::any_of(chart.series.begin(), chart.series.end(),
                                 [](const auto& series) { return !series.few_samples.empty(); });
  const bool right = !chart.right_label.empty();
  const bool stand_out = std::any_of(chart.series.begin(), chart.series.end(),
                                     [](const auto& series) { return !series.marked.empty(); });
  std::vector<std::string> fields = {"series", "reference", chart.x_label, chart.y_label};
  if (right) fields.push_back(chart.right_label);
  if (named) fields.emplace_back("category");
  if (marks) fields.emplace_back("too few samples");
  if (stand_out) fields.emplace_back("marked");
  std::string csv = line(fields);
  for (const results::Series& series : chart.series) {
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      fields = {series.name, series.reference ? "yes" : "no", results::exactNumber(series.x[i])};
      const std::string value = results::exactNumber(series.y[i]);
      fields.push_back(series.right ? std::string() : value);
      if (right) fields.push_back(series.right ? value : std::string());
      if (named) fields.push_back(categoryAt(chart, series.x[i]));
      const auto in = [i](const std::vector<std::size_t>& places) {
        return std::binary_search(places.begin(), places.end(), i) ? "yes" : "no";
      };
      if (marks) fields.emplace_back(in(series.few_samples));
      if (stand_out) fields.emplace_back(in(series.marked));
      csv += line(fields);
    }
  }
  return csv;
}

std::string heatMapCsv(const results::HeatMap& map) {
  std::string csv = line({map.row_label, map.column_label, map.value_label});
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const auto value = cellOf(map, row, column);
      if (value) csv += line({map.rows[row], map.columns[column], results::exactNumber(*value)});
    }
  }
  return csv;
}

std::string timelineCsv(const results::Timeline& timeline) {
  std::string csv = line({"lane", "from: " + timeline.x_label, "until: " + timeline.x_label});
  for (const results::Lane& lane : timeline.lanes) {
    for (const results::Span& span : lane.spans) {
      csv += line({lane.name, results::exactNumber(span.from), results::exactNumber(span.until)});
    }
  }
  return csv;
}

std::string distributionCsv(const results::Distribution& distribution) {
  std::string csv = line({fmt::format("lower bound [{}]", distribution.unit),
                          fmt::format("upper bound [{}]", distribution.unit), "frames"});
  for (const stats::Histogram::Cell& cell : distribution.histogram.cells()) {
    csv += fmt::format("{},{},{}\n", stats::bucketLowerBound(cell.bucket),
                       stats::bucketUpperBound(cell.bucket), cell.count);
  }
  return csv;
}

std::string kpiCsv(const results::TestResult& test) {
  std::vector<std::string> fields = {"name", "point"};
  appendQuantityHead(fields, "value");
  std::string csv = line(fields);
  for (const results::Kpi& kpi : test.kpis) {
    fields = {kpi.name, kpi.point};
    appendQuantity(fields, kpi.quantity);
    csv += line(fields);
  }
  return csv;
}

// Lower case letters, digits and '-', for any `text`.
std::string fileNamePart(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain || upper) {
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "unnamed" : name;
}

}  // namespace

std::string tableCsvName(const results::TestResult& test, const Table& table) {
  return fmt::format("{}_table_{}.csv", fileNamePart(test.id), fileNamePart(table.id));
}

std::string rawCsvName(const results::TestResult& test, const results::RawData& data) {
  return fmt::format("{}_raw_{}.csv", fileNamePart(test.id), fileNamePart(data.id));
}

std::vector<CsvFile> renderCsv(const results::TestResult& test) {
  std::vector<CsvFile> files;
  std::set<std::string> taken;
  const auto add = [&](const char* kind, const std::string& id, std::string content) {
    const std::string stem = fmt::format("{}_{}_{}", fileNamePart(test.id), kind, fileNamePart(id));
    std::string name = stem;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}-{}", stem, n);
    files.push_back({name + ".csv", std::move(content)});
  };
  for (const Table& table : test.tables) add("table", table.id, tableCsv(table));
  if (!test.repeatability.rows.empty()) {
    add("table", "repeatability", tableCsv(test.repeatability));
  }
  if (test.cost) add("table", test.cost->id, tableCsv(*test.cost));
  for (const results::Chart& chart : test.charts) add("chart", chart.id, chartCsv(chart));
  for (const results::HeatMap& map : test.heat_maps) add("map", map.id, heatMapCsv(map));
  for (const results::Timeline& one : test.timelines) add("timeline", one.id, timelineCsv(one));
  for (const results::Distribution& one : test.distributions) {
    add("distribution", one.id, distributionCsv(one));
  }
  for (const results::RawData& one : test.raw_data) add("raw", one.id, one.csv);
  if (!test.kpis.empty()) add("all", "kpis", kpiCsv(test));
  return files;
}

}  // namespace plumbline::report
