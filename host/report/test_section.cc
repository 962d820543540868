#include "report/test_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/work.h"
#include "report/chart.h"
#include "report/demands.h"
#include "report/distribution_plot.h"
#include "report/notices.h"
#include "report/picture.h"
#include "report/svg.h"
#include "report/table_html.h"
#include "report/topology_diagram.h"
#include "report/transport_table.h"
#include "results/number_text.h"
#include "results/uncertainty_text.h"
#include "stats/quantile.h"
#include "stats/summary.h"

namespace plumbline::report {
namespace {

using results::TestResult;

std::string figureHtml(const std::string& title, const std::string& svg) {
  return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", escaped(title), svg);
}

std::string resultsAnchor(const std::string& anchor) { return anchor + "-results"; }
std::string distributionsAnchor(const std::string& anchor) { return anchor + "-distributions"; }
std::string repeatabilityAnchor(const std::string& anchor) { return anchor + "-repeatability"; }

std::string heading(const char* title, const std::string& anchor) {
  return fmt::format("<h3 id=\"{}\">{}</h3>\n", anchor, title);
}

std::string keyFiguresHtml(const TestResult& test) {
  if (test.primary.empty()) return "";
  std::string html =
      "<h3>Key figures</h3>\n<div class=\"table\">\n<table class=\"key\">\n<thead><tr>"
      "<th>Figure</th>"
      "<th class=\"number\">Value</th><th>Expanded uncertainty</th>"
      "<th class=\"number\">95 % interval, statistical</th><th>Systematic</th>"
      "<th class=\"number\">CV</th><th class=\"number\">Repetitions</th><th>Observed at</th>"
      "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < test.primary.size(); ++i) {
    const results::Quantity& one = test.primary[i];
    html += fmt::format(
        "<tr><th>{}</th><td class=\"number value\">{}</td><td>{}</td><td class=\"number\">{}</td>"
        "<td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
        i < test.primary_names.size() ? escaped(test.primary_names[i]) : "", quantityHtml(one),
        escaped(results::expandedText(one)), intervalHtml(one),
        escaped(results::systematicText(one)), cvHtml(one), one.repetitions,
        escaped(observationPointText(one.observed)));
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

// min, mean, P50, P95, P99, P99.9, max of each distribution.
results::Table latencyTable(const TestResult& test) {
  results::Table table;
  table.title = "Latency statistics";
  table.note =
      "Minimum, mean and maximum are exact, percentiles within 0.4 % (width of a histogram "
      "bucket).";
  table.columns = {"Distribution", "Frames", "Min", "Mean", "P50", "P95", "P99", "P99.9", "Max"};
  for (const results::Distribution& one : test.distributions) {
    const stats::LatencyStats all = stats::latencyStats(one.histogram);
    std::vector<results::Cell> row = {one.title};
    const auto add = [&](double value, const std::string& named) -> results::Quantity& {
      row.emplace_back(results::Quantity{value, named, one.observed, 1, {}, {}, {}});
      return std::get<results::Quantity>(row.back());
    };
    add(static_cast<double>(all.count), "");
    if (all.count == 0) {
      row.resize(table.columns.size(), results::Cell(std::string("–")));
    } else {
      const auto percentile = [&](double quantile, std::uint64_t value) {
        results::Quantity& quantity = add(static_cast<double>(value), one.unit);
        quantity.percentile = results::Percentile{quantile, all.count};
        const auto width = static_cast<double>(stats::quantileWidth(one.histogram, quantile));
        quantity.uncertainty.systematic =
            std::vector<results::SystematicPart>{{"histogram bucket", stats::ofWidth(width)}};
      };
      add(static_cast<double>(all.minimum), one.unit);
      add(all.mean, one.unit);
      percentile(0.5, all.p50);
      percentile(0.95, all.p95);
      percentile(0.99, all.p99);
      percentile(0.999, all.p999);
      add(static_cast<double>(all.maximum), one.unit);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string distributionsHtml(const TestResult& test, const std::string& anchor) {
  if (test.distributions.empty()) return "";
  DistributionRefs all;
  for (const results::Distribution& one : test.distributions) all.push_back(&one);
  const results::ScaledUnit unit = displayUnit(all);

  std::string html =
      heading("Latency distributions", distributionsAnchor(anchor)) + tableHtml(latencyTable(test));
  html +=
      "<p class=\"note\">In the plots by percentile every further nine takes the same height, so "
      "that the tail can be read; a dot marks the highest value seen.</p>\n";
  html += "<div class=\"figures\">\n";
  // Most curves that can be distinguished in one plot.
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
    const results::ScaledUnit own = displayUnit({one});
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

// Which points are percentiles of too few samples: hollow ones of lines; bars by name.
std::string fewSamplesNote(const results::Chart& chart) {
  const bool bars = chart.kind == results::ChartKind::kBar;
  std::vector<std::string> names;
  for (const results::Series& series : chart.series) {
    for (const std::size_t place : series.few_samples) {
      if (place >= series.x.size()) continue;
      const std::string at = chart.categories.empty() ? results::exactNumber(series.x[place])
                                                      : categoryAt(chart, series.x[place]);
      names.push_back(series.name.empty() ? at : fmt::format("{} at {}", series.name, at));
    }
  }
  if (names.empty()) return "";
  const std::string what = "percentiles on fewer than 10/(1 − p) samples";
  return bars ? fmt::format("These are {}: {}.", what, fmt::join(names, "; "))
              : fmt::format("Hollow markers: {}.", what);
}

// Charts, heat maps and timelines.
std::string picturesHtml(const TestResult& test) {
  std::string html;
  for (const results::Chart& chart : test.charts) {
    checkWork();
    const std::vector<std::string> plots = renderChart(chart);
    const std::string note = fewSamplesNote(chart);
    for (std::size_t i = 0; i < plots.size(); ++i) {
      html += pictureHtml(plots.size() == 1
                              ? chart.title
                              : fmt::format("{} ({} of {})", chart.title, i + 1, plots.size()),
                          note, plots[i]);
    }
  }
  for (const results::HeatMap& map : test.heat_maps) {
    checkWork();
    html += pictureHtml(map.title, map.note, renderHeatMap(map));
  }
  for (const results::Timeline& timeline : test.timelines) {
    html += pictureHtml(timeline.title, timeline.note, renderTimeline(timeline));
  }
  return html.empty() ? "" : "<div class=\"figures\">\n" + html + "</div>\n";
}

// Elements that failed in the test.
std::string failuresHtml(const TestResult& test,
                         const std::optional<fabric::TopologySpec>& topology) {
  if (test.failed_elements.empty() || !topology) return "";
  std::vector<fabric::FailureSpec> failures;
  for (const std::string& element : test.failed_elements) failures.push_back({element, {}, {}});
  return fmt::format(
      "<figure class=\"topology\">\n<figcaption>Failed in this test: "
      "{}</figcaption>\n{}</figure>\n",
      escaped(fmt::format("{}", fmt::join(test.failed_elements, ", "))),
      renderTopology(*topology, failures));
}

// Longer tables of repetitions fold away.
std::string repeatabilityHtml(const TestResult& test, const std::string& anchor) {
  constexpr std::size_t kShortTable = 12;
  const std::string title = heading("Repeatability", repeatabilityAnchor(anchor));
  if (test.repeatability.rows.empty()) return title + "<p>No repetitions were recorded.</p>\n";
  results::Table table = test.repeatability;
  table.title.clear();
  const std::string html = tableHtml(table);
  if (table.rows.size() <= kShortTable) return title + html;
  return title + foldedHtml(fmt::format("{} figures", table.rows.size()), html);
}

std::string costHtml(const TestResult& test) {
  if (!test.cost) return "";
  results::Table table = *test.cost;
  table.title.clear();
  return foldedHtml(test.cost->title, tableHtml(table));
}

bool hasResults(const TestResult& test) {
  return !test.tables.empty() || !test.charts.empty() || !test.heat_maps.empty() ||
         !test.timelines.empty();
}

}  // namespace

std::string testSectionHtml(const TestResult& test, const std::string& anchor,
                            const ReportInput& input) {
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
    html += foldedHtml("Configuration of the test", keyValuesHtml(test.configuration));
  }
  const auto transports = transportTable(test);
  const std::string pictures = failuresHtml(test, input.topology) + picturesHtml(test);
  if (hasResults(test) || transports || !pictures.empty()) {
    html += heading("Results", resultsAnchor(anchor));
  }
  for (const results::Table& table : test.tables) {
    checkWork();
    html += tableHtml(table, tableCsvName(test, table));
  }
  if (transports) html += tableHtml(*transports);
  html += pictures + distributionsHtml(test, anchor);
  for (const results::RawData& data : test.raw_data) {
    html += fmt::format("<p class=\"note\">{}: <a href=\"csv/{}\">csv/{}</a></p>\n",
                        escaped(data.title), rawCsvName(test, data), rawCsvName(test, data));
  }
  html += heading("Anomalies", anomaliesAnchor(anchor)) + anomaliesHtml(test.anomalies) +
          foldedNoticesHtml("Deviations from the methodology", test.deviations);
  return html + repeatabilityHtml(test, anchor) + demandsHtml(input.demands, test.id) +
         costHtml(test) + "</section>\n";
}

std::string anomaliesAnchor(const std::string& anchor) { return anchor + "-anomalies"; }

std::vector<ContentsEntry> testParts(const TestResult& test, const std::string& anchor) {
  std::vector<ContentsEntry> parts;
  const auto add = [&](const char* text, const std::string& part) {
    parts.push_back({part, text, "", true});
  };
  if (hasResults(test)) add("Results", resultsAnchor(anchor));
  if (!test.distributions.empty()) add("Latency distributions", distributionsAnchor(anchor));
  add("Anomalies", anomaliesAnchor(anchor));
  add("Repeatability", repeatabilityAnchor(anchor));
  return parts;
}

std::string kpiTableHtml(const TestResult& test) {
  if (test.kpis.empty()) return "";
  std::string html =
      "<div class=\"table\">\n<table class=\"kpis\">\n<thead><tr><th>Name</th><th>Point</th>"
      "<th class=\"number\">Value</th><th>Expanded uncertainty</th>"
      "<th class=\"number\">95 % interval, statistical</th><th>Systematic</th>"
      "<th class=\"number\">CV</th><th class=\"number\">Repetitions</th></tr></thead>\n<tbody>\n";
  for (const results::Kpi& kpi : test.kpis) {
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td class=\"number\">{}</td><td>{}</td>"
        "<td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        escaped(kpi.name), escaped(kpi.point), quantityHtml(kpi.quantity),
        escaped(results::expandedText(kpi.quantity)), intervalHtml(kpi.quantity),
        escaped(results::systematicText(kpi.quantity)), cvHtml(kpi.quantity),
        kpi.quantity.repetitions);
  }
  html += "</tbody>\n</table>\n</div>\n";
  return foldedHtml(fmt::format("{} {} ({} figures)", test.id, test.title, test.kpis.size()), html);
}

}  // namespace plumbline::report
