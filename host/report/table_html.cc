#include "report/table_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/number.h"
#include "report/svg.h"
#include "report/units.h"

namespace plumbline::report {
namespace {

using results::Cell;
using results::Quantity;

// Above this CV a value is marked (METHODOLOGY: noted where CV > 5 %).
constexpr double kNotableCv = 0.05;

// Letter that marks a cell in a table of mixed observation points.
const char* observationLetter(bench::ObservationPoint point) {
  switch (point) {
    case bench::ObservationPoint::kTester:
      return "T";
    case bench::ObservationPoint::kDutReported:
      return "D";
    case bench::ObservationPoint::kEndpointSoftware:
      return "E";
    case bench::ObservationPoint::kModelled:
      break;
  }
  return "M";
}

// What is common to the quantities of a column.
struct ColumnStyle {
  bool numeric = false;
  bool common_unit = true;
  std::string unit;
  int decimals = 0;
};

ColumnStyle styleOf(const results::Table& table, std::size_t column) {
  ColumnStyle style;
  std::vector<double> values;
  for (const auto& row : table.rows) {
    if (column >= row.size()) continue;
    const auto* quantity = std::get_if<Quantity>(&row[column]);
    if (quantity == nullptr) continue;
    if (style.numeric && quantity->unit != style.unit) style.common_unit = false;
    style.numeric = true;
    style.unit = quantity->unit;
    values.push_back(quantity->value);
  }
  style.decimals = columnDecimals(values);
  return style;
}

// Columns of one unit are read side by side: they get the same decimals.
void alignDecimals(const results::Table& table, std::vector<ColumnStyle>& styles) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      const auto* quantity = std::get_if<Quantity>(&cell);
      if (quantity != nullptr) values[quantity->unit].push_back(quantity->value);
    }
  }
  for (ColumnStyle& style : styles) {
    if (style.common_unit && !style.unit.empty()) {
      style.decimals = columnDecimals(values[style.unit]);
    }
  }
}

std::string headHtml(const std::string& name, const ColumnStyle& style) {
  std::string text = escaped(name);
  // Not twice, if the procedure has already named the unit.
  if (style.numeric && style.common_unit && !style.unit.empty() &&
      splitUnit(name).unit != style.unit) {
    text += fmt::format(" <span class=\"unit\">[{}]</span>", escaped(shownUnit(style.unit)));
  }
  return fmt::format("<th{}>{}</th>", style.numeric ? " class=\"number\"" : "", text);
}

std::string cellHtml(const Cell& cell, const ColumnStyle& style, bool mixed_points) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return fmt::format("<td{}>{}</td>", style.numeric ? " class=\"number\"" : "", escaped(*text));
  }
  const auto& quantity = std::get<Quantity>(cell);
  const int decimals = style.common_unit ? style.decimals : columnDecimals({quantity.value});
  std::string text = numberHtml(quantity.value, decimals);
  if (!style.common_unit && !quantity.unit.empty()) {
    text += fmt::format(" <span class=\"unit\">{}</span>", escaped(shownUnit(quantity.unit)));
  }
  if (quantity.confidence_low && quantity.confidence_high) {
    const double half = (*quantity.confidence_high - *quantity.confidence_low) / 2;
    // "± 0" would only be noise.
    if (half > 0) {
      text += fmt::format(
          " <span class=\"spread\" title=\"95 % confidence interval {} to {}\">± {}</span>",
          exactNumber(*quantity.confidence_low), exactNumber(*quantity.confidence_high),
          groupedNumber(half, decimals));
    }
  }
  if (mixed_points) text += fmt::format("<sup>{}</sup>", observationLetter(quantity.observed));
  return fmt::format("<td class=\"number\">{}</td>", text);
}

std::set<bench::ObservationPoint> pointsOf(const results::Table& table) {
  std::set<bench::ObservationPoint> points;
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      if (const auto* quantity = std::get_if<Quantity>(&cell)) points.insert(quantity->observed);
    }
  }
  return points;
}

std::string noteHtml(const results::Table& table, const std::set<bench::ObservationPoint>& points) {
  std::string observed;
  for (const bench::ObservationPoint point : points) {
    if (!observed.empty()) observed += ", ";
    if (points.size() > 1) observed += std::string(observationLetter(point)) + " = ";
    observed += observationPointText(point);
  }
  std::string text = escaped(table.note);
  if (!observed.empty()) {
    if (!text.empty()) text += "<br/>";
    text += "Observed at: " + escaped(observed) + ".";
  }
  return text.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", text);
}

}  // namespace

std::string observationPointText(bench::ObservationPoint point) {
  switch (point) {
    case bench::ObservationPoint::kTester:
      return "tester, at the DUT's ports";
    case bench::ObservationPoint::kDutReported:
      return "reported by the DUT";
    case bench::ObservationPoint::kEndpointSoftware:
      return "endpoint software";
    case bench::ObservationPoint::kModelled:
      break;
  }
  return "modelled";
}

std::string numberHtml(double value, int decimals) {
  return fmt::format("<data value=\"{}\">{}</data>", exactNumber(value),
                     groupedNumber(value, decimals));
}

std::string quantityHtml(const Quantity& quantity) {
  std::string text = numberHtml(quantity.value, columnDecimals({quantity.value}));
  if (!quantity.unit.empty()) {
    text += fmt::format(" <span class=\"unit\">{}</span>", escaped(shownUnit(quantity.unit)));
  }
  return text;
}

std::string intervalHtml(const Quantity& quantity) {
  if (!quantity.confidence_low || !quantity.confidence_high) return "–";
  const int decimals = columnDecimals({*quantity.confidence_low, *quantity.confidence_high});
  return numberHtml(*quantity.confidence_low, decimals) + " to " +
         numberHtml(*quantity.confidence_high, decimals);
}

std::string cvHtml(const Quantity& quantity) {
  if (!quantity.cv) return "–";
  const std::string text = fmt::format("<data value=\"{}\">{:.2f} %</data>",
                                       exactNumber(*quantity.cv), *quantity.cv * 100);
  return *quantity.cv > kNotableCv ? fmt::format("<strong class=\"notable\">{}</strong>", text)
                                   : text;
}

std::string tableHtml(const results::Table& table, const std::string& csv_file) {
  std::size_t columns = table.columns.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::vector<ColumnStyle> styles;
  styles.reserve(columns);
  for (std::size_t i = 0; i < columns; ++i) styles.push_back(styleOf(table, i));
  alignDecimals(table, styles);
  const std::set<bench::ObservationPoint> points = pointsOf(table);

  std::string html = "<div class=\"table\">\n";
  if (!table.title.empty()) html += fmt::format("<h4>{}</h4>\n", escaped(table.title));
  html += "<table>\n<thead><tr>";
  for (std::size_t i = 0; i < columns; ++i) {
    html += headHtml(i < table.columns.size() ? table.columns[i] : "", styles[i]);
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t row_number = 0; row_number < table.shownRows(); ++row_number) {
    const auto& row = table.rows[row_number];
    html += "<tr>";
    for (std::size_t i = 0; i < columns; ++i) {
      html += cellHtml(i < row.size() ? row[i] : Cell(std::string()), styles[i], points.size() > 1);
    }
    html += "</tr>\n";
  }
  html += "</tbody>\n</table>\n";
  if (table.shownRows() < table.rows.size()) {
    html += fmt::format("<p class=\"note\">{} of {} rows; all are in {}.</p>\n", table.shownRows(),
                        table.rows.size(),
                        csv_file.empty() ? "JSON and CSV" : "csv/" + escaped(csv_file));
  }
  return html + noteHtml(table, points) + "</div>\n";
}

std::string keyValuesHtml(const KeyValues& pairs) {
  if (pairs.empty()) return "";
  std::string html = "<table class=\"pairs\">\n<tbody>\n";
  for (const auto& [name, value] : pairs) {
    html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  }
  return html + "</tbody>\n</table>\n";
}

}  // namespace plumbline::report
