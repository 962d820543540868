#include "report/table_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/work.h"
#include "report/svg.h"
#include "report/wide_table.h"
#include "results/number_text.h"
#include "results/quantity_text.h"
#include "results/uncertainty_text.h"

namespace plumbline::report {
namespace {

using results::Cell;
using results::Quantity;

// Above this CV a value is marked (METHODOLOGY: noted where CV > 5 %).
constexpr double kNotableCv = 0.05;

// Letter that marks a cell in a table of mixed observation points.
const char* observationLetter(ObservationPoint point) {
  switch (point) {
    case ObservationPoint::kTester:
      return "T";
    case ObservationPoint::kDutReported:
      return "D";
    case ObservationPoint::kEndpointSoftware:
      return "E";
    case ObservationPoint::kModelled:
      break;
  }
  return "M";
}

// "2159660 us": the title of a number.
std::string exactText(double value, const std::string& unit) {
  return unit.empty() ? results::exactNumber(value) : results::exactNumber(value) + " " + unit;
}

std::string dataHtml(double value, const std::string& unit, const std::string& shown) {
  std::string plain = shown;
  plain.erase(std::remove(plain.begin(), plain.end(), ','), plain.end());
  const std::string exact = results::exactNumber(value);
  const std::string title =
      plain == exact ? "" : fmt::format(" title=\"{}\"", escaped(exactText(value, unit)));
  return fmt::format("<data value=\"{}\"{}>{}</data>", exact, title, shown);
}

std::string unitHtml(const std::string& unit) {
  return unit.empty() ? "" : fmt::format(" <span class=\"unit\">{}</span>", escaped(unit));
}

std::string spreadHtml(const Quantity& quantity, const std::string& spread) {
  if (spread.empty()) return "";
  const auto all = results::expandedUncertainty(quantity);
  const std::string title =
      all ? fmt::format("expanded uncertainty {}: statistical {}, systematic {}",
                        results::expandedText(quantity), results::statisticalText(quantity),
                        results::systematicText(quantity))
          : fmt::format("95 % confidence interval {} to {}",
                        results::exactNumber(*quantity.confidence_low),
                        exactText(*quantity.confidence_high, quantity.unit));
  return fmt::format(" <span class=\"spread\" title=\"{}\">{}</span>", escaped(title), spread);
}

std::string markHtml(const Quantity& quantity, const std::string& mark) {
  if (mark.empty()) return "";
  return fmt::format("<sup class=\"few\" title=\"{}\">{}</sup>",
                     escaped(results::percentileText(quantity)), mark);
}

// A machine name such as "wall_ns_per_packet_hop" may be broken after '_' and '.'.
std::string breakable(const std::string& name) {
  std::string html;
  for (const char c : escaped(name)) {
    html += c;
    if (c == '_' || c == '.') html += "<wbr/>";
  }
  return html;
}

std::string headHtml(const std::string& name, const results::ColumnFormat& format) {
  const results::LabelledUnit head = results::columnHead(name, format);
  std::string text = breakable(head.text);
  if (!head.unit.empty()) {
    text += fmt::format(" <span class=\"unit\">[{}]</span>", escaped(head.unit));
  }
  return fmt::format("<th{}>{}</th>", format.numeric ? " class=\"number\"" : "", text);
}

std::string cellHtml(const Cell& cell, const results::ColumnFormat& format, bool mixed_points) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return fmt::format("<td{}>{}</td>", format.numeric ? " class=\"number\"" : "", escaped(*text));
  }
  const auto& quantity = std::get<Quantity>(cell);
  const results::QuantityText parts = results::cellParts(quantity, format);
  std::string text = dataHtml(quantity.value, quantity.unit, parts.number) +
                     markHtml(quantity, parts.mark) + unitHtml(parts.unit) +
                     spreadHtml(quantity, parts.spread);
  if (mixed_points) text += fmt::format("<sup>{}</sup>", observationLetter(quantity.observed));
  return fmt::format("<td class=\"number\">{}</td>", text);
}

std::set<ObservationPoint> pointsOf(const TablePart& part) {
  std::set<ObservationPoint> points;
  const auto add = [&](const Cell& cell) {
    if (const auto* quantity = std::get_if<Quantity>(&cell)) points.insert(quantity->observed);
  };
  for (const auto& row : part.table.rows) std::for_each(row.begin(), row.end(), add);
  for (const auto& [name, cell] : part.constants) add(cell);
  return points;
}

std::string noteHtml(const results::Table& table, const std::set<ObservationPoint>& points) {
  std::string observed;
  for (const ObservationPoint point : points) {
    if (!observed.empty()) observed += ", ";
    if (points.size() > 1) observed += std::string(observationLetter(point)) + " = ";
    observed += observationPointText(point);
  }
  std::string text = escaped(table.note);
  if (const std::string few = results::fewSamplesNote(table); !few.empty()) {
    text += (text.empty() ? "" : "<br/>") + escaped(few);
  }
  if (!observed.empty()) {
    if (!text.empty()) text += "<br/>";
    text += "Observed at: " + escaped(observed) + ".";
  }
  return text.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", text);
}

std::string constantsHtml(const TablePart& part, bool mixed_points) {
  if (part.constants.empty()) return "";
  std::string list;
  for (const auto& [name, cell] : part.constants) {
    list += (list.empty() ? "" : " · ") + escaped(name) + " ";
    if (const auto* text = std::get_if<std::string>(&cell)) {
      list += escaped(*text);
      continue;
    }
    const auto& quantity = std::get<Quantity>(cell);
    list += quantityWithSpreadHtml(quantity);
    if (mixed_points) list += fmt::format("<sup>{}</sup>", observationLetter(quantity.observed));
  }
  return fmt::format("<p class=\"note\">The same in every row: {}.</p>\n", list);
}

std::string partHtml(const TablePart& part) {
  const results::Table& table = part.table;
  const std::vector<results::ColumnFormat> formats = results::columnFormats(table);
  const std::set<ObservationPoint> points = pointsOf(part);
  std::string html = "<div class=\"table\">\n";
  if (!table.title.empty()) html += fmt::format("<h4>{}</h4>\n", escaped(table.title));
  html += constantsHtml(part, points.size() > 1);
  if (!table.rows.empty() || part.constants.empty()) {
    html += "<table>\n<thead><tr>";
    for (std::size_t i = 0; i < formats.size(); ++i) {
      html += headHtml(i < table.columns.size() ? table.columns[i] : "", formats[i]);
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      checkWork();
      html += "<tr>";
      for (std::size_t i = 0; i < formats.size(); ++i) {
        html +=
            cellHtml(i < row.size() ? row[i] : Cell(std::string()), formats[i], points.size() > 1);
      }
      html += "</tr>\n";
    }
    html += "</tbody>\n</table>\n";
  }
  return html + noteHtml(table, points) + "</div>\n";
}

}  // namespace

std::string observationPointText(ObservationPoint point) {
  switch (point) {
    case ObservationPoint::kTester:
      return "tester, at the DUT's ports";
    case ObservationPoint::kDutReported:
      return "reported by the DUT";
    case ObservationPoint::kEndpointSoftware:
      return "endpoint software";
    case ObservationPoint::kModelled:
      break;
  }
  return "modelled";
}

std::string quantityHtml(const Quantity& quantity) {
  const results::QuantityText parts = results::quantityParts(quantity);
  return dataHtml(quantity.value, quantity.unit, parts.number) + markHtml(quantity, parts.mark) +
         unitHtml(parts.unit);
}

std::string quantityWithSpreadHtml(const Quantity& quantity) {
  const results::QuantityText parts = results::quantityParts(quantity);
  return dataHtml(quantity.value, quantity.unit, parts.number) + markHtml(quantity, parts.mark) +
         spreadHtml(quantity, parts.spread) + unitHtml(parts.unit);
}

std::string intervalHtml(const Quantity& quantity) {
  const auto parts = results::intervalParts(quantity);
  if (!parts) return escaped(results::statisticsText(quantity));
  return dataHtml(*quantity.confidence_low, quantity.unit, parts->low) + " to " +
         dataHtml(*quantity.confidence_high, quantity.unit, parts->high) + unitHtml(parts->unit);
}

std::string cvHtml(const Quantity& quantity) {
  // Without scatter there is no CV.
  const results::Statistics statistics = quantity.uncertainty.statistics;
  if (!quantity.cv || statistics == results::Statistics::kIdentical ||
      statistics == results::Statistics::kDeterministic) {
    return "–";
  }
  const std::string text = fmt::format("<data value=\"{}\">{:.2f} %</data>",
                                       results::exactNumber(*quantity.cv), *quantity.cv * 100);
  return *quantity.cv > kNotableCv ? fmt::format("<strong class=\"notable\">{}</strong>", text)
                                   : text;
}

std::string tableHtml(const results::Table& table, const std::string& csv_file) {
  const bool cut = table.shownRows() < table.rows.size();
  results::Table shown;
  if (cut) {
    shown = table;
    shown.rows.resize(table.shownRows());
  }
  std::string html;
  for (const TablePart& part : readableParts(cut ? shown : table)) html += partHtml(part);
  if (!cut) return html;
  return html + fmt::format("<p class=\"note\">{} of {} rows; all are in {}.</p>\n",
                            table.shownRows(), table.rows.size(),
                            csv_file.empty() ? "JSON and CSV" : "csv/" + escaped(csv_file));
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
