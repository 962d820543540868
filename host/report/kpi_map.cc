#include "report/kpi_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "kpi/kpi.h"
#include "report/svg.h"
#include "report/table_html.h"
#include "results/units.h"

namespace plumbline::report {
namespace {

struct Row {
  std::string name;
  std::string unit;
  std::vector<std::string> tests;
  std::vector<std::string> observed;
  std::size_t values = 0;
};

void addOnce(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::vector<Row> rowsOf(const std::vector<results::TestResult>& tests) {
  std::vector<Row> rows;
  for (const results::TestResult& test : tests) {
    for (const results::Kpi& kpi : test.kpis) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& one) {
        return one.name == kpi.name && one.unit == kpi.quantity.unit;
      });
      if (row == rows.end()) row = rows.insert(row, {kpi.name, kpi.quantity.unit, {}, {}, 0});
      addOnce(row->tests, test.id);
      addOnce(row->observed, observationPointText(kpi.quantity.observed));
      ++row->values;
    }
  }
  return rows;
}

std::string meaningOf(const std::string& name) {
  const kpi::Declaration* declared = kpi::find(name);
  return declared == nullptr ? "" : declared->meaning;
}

std::string listed(const std::vector<std::string>& texts) {
  return escaped(fmt::format("{}", fmt::join(texts, ", ")));
}

}  // namespace

std::string kpiMapHtml(const std::vector<results::TestResult>& tests) {
  const std::vector<Row> rows = rowsOf(tests);
  if (rows.empty()) return "";
  std::string html =
      "<div class=\"table\">\n<table>\n"
      "<thead><tr><th>Figure</th><th>Meaning</th><th>Unit</th><th>Measured by</th><th "
      "class=\"number\">Values</th>"
      "<th>Observed at</th></tr></thead>\n<tbody>\n";
  for (const Row& row : rows) {
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td>"
        "<td>{}</td></tr>\n",
        escaped(row.name), escaped(meaningOf(row.name)),
        row.unit.empty() ? "–" : escaped(results::shownUnit(row.unit)), listed(row.tests),
        row.values, listed(row.observed));
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

}  // namespace plumbline::report
