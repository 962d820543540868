#include "report/test_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/chart.h"
#include "report/distribution_plot.h"
#include "report/svg.h"
#include "report/table_html.h"
#include "report/topology_diagram.h"
#include "report/transport_table.h"
#include "stats/summary.h"

namespace plumbline::report {
namespace {

using results::TestResult;

std::string figureHtml(const std::string& title, const std::string& svg) {
  return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", escaped(title), svg);
}

std::string keyFiguresHtml(const TestResult& test) {
  if (test.primary.empty()) return "";
  std::string html =
      "<h3>Key figures</h3>\n<table class=\"key\">\n<thead><tr><th>Figure</th>"
      "<th class=\"number\">Value</th><th class=\"number\">95 % confidence interval</th>"
      "<th class=\"number\">CV</th><th class=\"number\">Repetitions</th><th>Observed at</th>"
      "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < test.primary.size(); ++i) {
    const results::Quantity& one = test.primary[i];
    html += fmt::format(
        "<tr><th>{}</th><td class=\"number value\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
        i < test.primary_names.size() ? escaped(test.primary_names[i]) : "", quantityHtml(one),
        intervalHtml(one), cvHtml(one), one.repetitions,
        escaped(observationPointText(one.observed)));
  }
  return html + "</tbody>\n</table>\n";
}

// min, mean, P50, P95, P99, P99.9, max of each distribution, in one unit.
results::Table latencyTable(const TestResult& test, const ScaledUnit& unit) {
  results::Table table;
  table.title = "Latency statistics";
  table.note =
      "Minimum, mean and maximum are exact, percentiles within 0.4 % (width of a histogram "
      "bucket).";
  table.columns = {"Distribution", "Frames", "Min", "Mean", "P50", "P95", "P99", "P99.9", "Max"};
  for (const results::Distribution& one : test.distributions) {
    const stats::LatencyStats all = stats::latencyStats(one.histogram);
    std::vector<results::Cell> row = {one.title};
    const auto add = [&](double value, const std::string& named) {
      row.emplace_back(results::Quantity{value, named, one.observed, 1, {}, {}, {}});
    };
    add(static_cast<double>(all.count), "");
    if (all.count == 0) {
      row.resize(table.columns.size(), results::Cell(std::string("–")));
    } else {
      for (const double value :
           {static_cast<double>(all.minimum), all.mean, static_cast<double>(all.p50),
            static_cast<double>(all.p95), static_cast<double>(all.p99),
            static_cast<double>(all.p999), static_cast<double>(all.maximum)}) {
        add(value / unit.factor, unit.unit);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string distributionsHtml(const TestResult& test) {
  if (test.distributions.empty()) return "";
  DistributionRefs all;
  for (const results::Distribution& one : test.distributions) all.push_back(&one);
  const ScaledUnit unit = displayUnit(all);

  std::string html = "<h3>Latency distributions</h3>\n" + tableHtml(latencyTable(test, unit));
  html +=
      "<p class=\"note\">In the plots by percentile every further nine takes the same height, so "
      "that the tail can be read; a dot marks the highest value seen.</p>\n";
  html += "<div class=\"figures\">\n";
  // Curves are compared in groups that the eye can still tell apart.
  constexpr std::size_t kCurvesPerPlot = 6;
  for (std::size_t first = 0; all.size() > 1 && first < all.size(); first += kCurvesPerPlot) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(first + kCurvesPerPlot, all.size()));
    const DistributionRefs group(begin, end);
    html +=
        figureHtml("Cumulative distribution", renderCdf(group, "Cumulative distribution", unit));
    html += figureHtml("Cumulative distribution by percentile",
                       renderTail(group, "Cumulative distribution by percentile", unit));
  }
  for (const results::Distribution* one : all) {
    const ScaledUnit own = displayUnit({one});
    html += figureHtml("Histogram: " + one->title, renderHistogram(*one, own));
    const std::string title = "Distribution by percentile: " + one->title;
    html += figureHtml(title, renderTail({one}, title, own));
  }
  return html + "</div>\n";
}

std::string pictureHtml(const std::string& title, const std::string& note, const std::string& svg) {
  if (note.empty()) return figureHtml(title, svg);
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n{}<p class=\"note\">{}</p>\n</figure>\n",
      escaped(title), svg, escaped(note));
}

// Charts, heat maps and timelines.
std::string picturesHtml(const TestResult& test) {
  std::string html;
  for (const results::Chart& chart : test.charts) {
    const std::vector<std::string> plots = renderChart(chart);
    for (std::size_t i = 0; i < plots.size(); ++i) {
      html += figureHtml(plots.size() == 1
                             ? chart.title
                             : fmt::format("{} ({} of {})", chart.title, i + 1, plots.size()),
                         plots[i]);
    }
  }
  for (const results::HeatMap& map : test.heat_maps) {
    html += pictureHtml(map.title, map.note, renderHeatMap(map));
  }
  for (const results::Timeline& timeline : test.timelines) {
    html += pictureHtml(timeline.title, timeline.note, renderTimeline(timeline));
  }
  return html.empty() ? "" : "<div class=\"figures\">\n" + html + "</div>\n";
}

// What the test let fail.
std::string failuresHtml(const TestResult& test,
                         const std::optional<fabric::TopologySpec>& topology) {
  if (test.failed_elements.empty() || !topology) return "";
  std::vector<fabric::FailureSpec> failures;
  for (const std::string& element : test.failed_elements) failures.push_back({element, {}, {}});
  return fmt::format(
      "<figure class=\"topology\">\n<figcaption>Failed in this test, one at a time: "
      "{}</figcaption>\n{}</figure>\n",
      escaped(fmt::format("{}", fmt::join(test.failed_elements, ", "))),
      renderTopology(*topology, failures));
}

std::string anomaliesHtml(const TestResult& test) {
  std::string html = "<h3>Anomalies</h3>\n";
  if (test.anomalies.empty()) return html + "<p>None.</p>\n";
  html += "<ul class=\"anomalies\">\n";
  for (const results::Anomaly& one : test.anomalies) {
    html += "<li>" + escaped(one.what);
    if (!one.where.empty())
      html += fmt::format(" <span class=\"where\">{}</span>", escaped(one.where));
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string testSectionHtml(const TestResult& test, const std::string& anchor,
                            const std::optional<fabric::TopologySpec>& topology) {
  std::string html = fmt::format("<section class=\"test\" id=\"{}\">\n<h2>{} {}</h2>\n", anchor,
                                 escaped(test.id), escaped(test.title));
  html += fmt::format("<p class=\"source\">{}{}profile “{}”</p>\n", escaped(test.section),
                      test.section.empty() ? "" : " · ", escaped(test.profile));
  if (!test.valid) {
    html +=
        "<p class=\"invalid\">This measurement is not valid: a trial behind it was faulty or the "
        "confidence asked for was not reached. See Anomalies.</p>\n";
  }
  if (!test.summary.empty())
    html += fmt::format("<p class=\"lead\">{}</p>\n", escaped(test.summary));
  html += keyFiguresHtml(test);
  if (!test.configuration.empty()) {
    html += "<h3>Configuration of the test</h3>\n" + keyValuesHtml(test.configuration);
  }
  const std::string pictures = failuresHtml(test, topology) + picturesHtml(test);
  if (!test.tables.empty() || !pictures.empty()) html += "<h3>Results</h3>\n";
  for (const results::Table& table : test.tables) {
    html += tableHtml(table, tableCsvName(test, table));
  }
  if (const auto transports = transportTable(test)) html += tableHtml(*transports);
  html += pictures;
  html += distributionsHtml(test);
  html += anomaliesHtml(test);
  html += "<h3>Repeatability</h3>\n";
  if (test.repeatability.rows.empty()) {
    html += "<p>No repetitions were recorded.</p>\n";
  } else {
    results::Table table = test.repeatability;
    table.title.clear();
    html += tableHtml(table);
  }
  return html + "</section>\n";
}

std::string kpiTableHtml(const TestResult& test) {
  if (test.kpis.empty()) return "";
  std::string html = fmt::format(
      "<h3>{} {}</h3>\n<table class=\"kpis\">\n<thead><tr><th>Name</th><th>Point</th>"
      "<th class=\"number\">Value</th><th class=\"number\">95 % confidence interval</th>"
      "<th class=\"number\">CV</th><th class=\"number\">Repetitions</th></tr></thead>\n<tbody>\n",
      escaped(test.id), escaped(test.title));
  for (const results::Kpi& kpi : test.kpis) {
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "</tr>\n",
        escaped(kpi.name), escaped(kpi.point), quantityHtml(kpi.quantity),
        intervalHtml(kpi.quantity), cvHtml(kpi.quantity), kpi.quantity.repetitions);
  }
  return html + "</tbody>\n</table>\n";
}

}  // namespace plumbline::report
