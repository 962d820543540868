#include <fmt/format.h>

#include "report/comparison.h"
#include "report/page.h"
#include "report/svg.h"
#include "report/table_html.h"

namespace plumbline::report {
namespace {

using results::ComparedKpi;
using results::Comparison;
using results::RunInfo;
using results::Significance;

std::string runName(const RunInfo& info) { return fmt::format("Run {}", info.id); }

std::string headerHtml(const Comparison& comparison) {
  const auto text = [](const RunInfo& info) {
    return fmt::format("{} of {}, bench {}, profile {}, {}", info.identity.scenario_name,
                       info.created, info.identity.bench, info.identity.profile, info.software);
  };
  return pageHeader("comparison of two runs",
                    fmt::format("{} and {}", runName(comparison.first), runName(comparison.second)),
                    {{runName(comparison.first), text(comparison.first)},
                     {runName(comparison.second), text(comparison.second)}});
}

std::string summaryHtml(const Comparison& comparison) {
  return fmt::format(
      "<section>\n<h2>Summary</h2>\n<p class=\"lead\">{} figures compared: {} differ "
      "significantly, "
      "{} do not, {} cannot be tested.</p>\n"
      "<p class=\"note\">Significance is Welch’s t-test on mean, CV and number of repetitions, "
      "two-sided, at {:g} %: of figures that are really the same, one in twenty is expected to be "
      "called different. Figures with fewer than two repetitions in one of the runs cannot be "
      "tested.</p>\n</section>\n",
      comparison.kpis.size(), comparison.count(Significance::kSignificant),
      comparison.count(Significance::kWithinScatter), comparison.count(Significance::kNotTestable),
      100 * results::kSignificanceLevel);
}

std::string conditionsHtml(const Comparison& comparison) {
  std::string html = "<section>\n<h2>Differing conditions</h2>\n";
  if (comparison.conditions.empty()) {
    return html + "<p>None: both runs name the same configuration.</p>\n</section>\n";
  }
  html += fmt::format(
      "<p class=\"note\">Figures of different topologies are not comparable without "
      "normalisation.</p>\n<div class=\"table\">\n<table>\n<thead><tr><th>Of</th>"
      "<th>Condition</th><th>{}</th><th>{}</th></tr></thead>\n<tbody>\n",
      runName(comparison.first), runName(comparison.second));
  for (const results::DifferingCondition& one : comparison.conditions) {
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        one.test.empty() ? "the run" : escaped(one.test), escaped(one.name),
                        one.first.empty() ? "–" : escaped(one.first),
                        one.second.empty() ? "–" : escaped(one.second));
  }
  return html + "</tbody>\n</table>\n</div>\n</section>\n";
}

std::string scenarioHtml(const Comparison& comparison) {
  std::string html = "<section>\n<h2>Differences of the scenarios</h2>\n";
  if (comparison.scenario.empty()) {
    return html + "<p>None: both files give every key the same value.</p>\n</section>\n";
  }
  html += fmt::format(
      "<p class=\"note\">Values as the scenario files have them. A key that is not stated has its "
      "default.</p>\n<div class=\"table\">\n<table>\n<thead><tr><th>Key</th><th>{}</th><th>{}</th>"
      "</tr></thead>\n<tbody>\n",
      runName(comparison.first), runName(comparison.second));
  const auto cell = [](const std::optional<std::string>& value) {
    return value ? escaped(*value) : std::string("not stated");
  };
  for (const results::DifferingKey& one : comparison.scenario) {
    html += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                        escaped(one.key), cell(one.first), cell(one.second));
  }
  return html + "</tbody>\n</table>\n</div>\n</section>\n";
}

std::string rowHtml(const ComparedKpi& kpi) {
  const bool significant = kpi.significance() == Significance::kSignificant;
  const std::string change = escaped(results::changeText(kpi));
  return fmt::format(
      "<tr><td><code>{}</code></td><td>{}</td><td class=\"number\">{}</td>"
      "<td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
      escaped(kpi.name), escaped(kpi.point), quantityHtml(kpi.first), quantityHtml(kpi.second),
      significant ? "<strong>" + change + "</strong>" : change,
      escaped(results::significanceText(kpi)));
}

// A section for each test, in the order of the first run.
std::string figuresHtml(const Comparison& comparison) {
  std::string html;
  std::string test;
  for (const ComparedKpi& kpi : comparison.kpis) {
    if (kpi.test != test) {
      if (!test.empty()) html += "</tbody>\n</table>\n</div>\n</section>\n";
      test = kpi.test;
      html += fmt::format(
          "<section>\n<h2>{}</h2>\n<div class=\"table\">\n<table>\n<thead><tr><th>Figure</th>"
          "<th>Point</th><th class=\"number\">{}</th><th class=\"number\">{}</th>"
          "<th class=\"number\">Change</th><th>Significance</th></tr></thead>\n<tbody>\n",
          escaped(test), runName(comparison.first), runName(comparison.second));
    }
    html += rowHtml(kpi);
  }
  return test.empty() ? "" : html + "</tbody>\n</table>\n</div>\n</section>\n";
}

std::string unpairedHtml(const std::vector<results::UnpairedKpi>& kpis, const RunInfo& run) {
  if (kpis.empty()) return "";
  std::string html = fmt::format(
      "<section>\n<h2>Only in run {}</h2>\n<div class=\"table\">\n<table>\n<thead><tr>"
      "<th>Test</th><th>Figure</th><th>Point</th><th class=\"number\">Value</th></tr></thead>\n"
      "<tbody>\n",
      run.id);
  for (const results::UnpairedKpi& kpi : kpis) {
    html += fmt::format(
        "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td class=\"number\">{}</td></tr>\n",
        escaped(kpi.test), escaped(kpi.name), escaped(kpi.point), quantityHtml(kpi.quantity));
  }
  return html + "</tbody>\n</table>\n</div>\n</section>\n";
}

}  // namespace

std::string renderComparison(const Comparison& comparison) {
  const std::string title =
      fmt::format("{} and {}", runName(comparison.first), runName(comparison.second));
  return page(title + " – Plumbline comparison", "",
              headerHtml(comparison) + summaryHtml(comparison) + scenarioHtml(comparison) +
                  conditionsHtml(comparison) + figuresHtml(comparison) +
                  unpairedHtml(comparison.only_first, comparison.first) +
                  unpairedHtml(comparison.only_second, comparison.second),
              fmt::format("Plumbline · runs {} and {}", comparison.first.id, comparison.second.id));
}

}  // namespace plumbline::report
