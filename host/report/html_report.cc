#include <fmt/format.h>

#include "fabric/describe.h"
#include "report/agents_section.h"
#include "report/cabling.h"
#include "report/identification.h"
#include "report/kpi_map.h"
#include "report/page.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/table_html.h"
#include "report/test_section.h"
#include "report/topology_diagram.h"
#include "results/number_text.h"

namespace plumbline::report {
namespace {

std::string anchorOf(std::size_t test) { return fmt::format("test-{}", test + 1); }

std::string headerHtml(const ReportInput& input) {
  KeyValues facts = {{"Run", input.run_id}, {"Started", input.started}};
  facts.emplace_back("Finished", input.finished.empty() ? "not finished" : input.finished);
  const std::string kind = input.simulated_dut ? "simulated fabric" : "fabric";
  facts.emplace_back("Device under test", input.topology
                                              ? kind + ": " + fabric::topologyText(*input.topology)
                                              : "topology not known");
  return pageHeader("test report", input.title, facts);
}

std::string failuresHtml(const std::vector<fabric::FailureSpec>& failures) {
  if (failures.empty()) return "";
  const auto at = [](Picoseconds time) {
    return fmt::format("{} µs", results::readableNumber(time.toMicroseconds()));
  };
  std::string html =
      "<h3>Failures during the test</h3>\n<p class=\"note\">Dashed and red in the drawing.</p>\n"
      "<div class=\"table\">\n<table>\n<thead><tr><th>Element</th><th class=\"number\">Down "
      "from</th>"
      "<th class=\"number\">Up again</th></tr></thead>\n<tbody>\n";
  for (const fabric::FailureSpec& one : failures) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        escaped(one.element), at(one.down), one.up ? at(*one.up) : "never");
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

std::string topologyHtml(const ReportInput& input) {
  if (!input.topology) return "";
  return fmt::format(
      "<section>\n<h2>Topology</h2>\n<figure class=\"topology\">\n<figcaption>{}</figcaption>\n"
      "{}</figure>\n{}{}</section>\n",
      escaped(fabric::topologyText(*input.topology)),
      renderTopology(*input.topology, input.failures), failuresHtml(input.failures),
      tableHtml(cablingTable(*input.topology)));
}

std::string configurationHtml(const ReportInput& input) {
  std::string html = "<section>\n<h2>Configuration</h2>\n<div class=\"columns\">\n";
  const auto block = [&](const char* title, const KeyValues& pairs) {
    if (pairs.empty()) return;
    html += fmt::format("<div>\n<h3>{}</h3>\n{}</div>\n", title, keyValuesHtml(pairs));
  };
  block("Fabric", input.dut);
  block("Tester", input.tester);
  block("Host", input.host);
  return html + "</div>\n</section>\n";
}

std::string summaryHtml(const ReportInput& input) {
  std::string html = "<section>\n<h2>Summary</h2>\n";
  if (input.tests.empty()) return html + "<p>No test was completed.</p>\n</section>\n";
  html +=
      "<table class=\"summary\">\n<thead><tr><th>Test</th><th>Main figures</th><th>Anomalies</th>"
      "<th>Valid</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    const results::TestResult& test = input.tests[i];
    std::string figures;
    for (std::size_t k = 0; k < test.primary.size(); ++k) {
      if (k > 0) figures += "<br/>";
      if (k < test.primary_names.size()) figures += escaped(test.primary_names[k]) + ": ";
      figures += "<strong>" + quantityHtml(test.primary[k]) + "</strong>";
    }
    html += fmt::format(
        "<tr><td><a href=\"#{}\">{} {}</a></td><td>{}</td><td>{}</td><td class=\"{}\">{}</td>"
        "</tr>\n",
        anchorOf(i), escaped(test.id), escaped(test.title),
        figures.empty() ? escaped(test.summary) : figures,
        test.anomalies.empty() ? "none" : std::to_string(test.anomalies.size()),
        test.valid ? "yes" : "no", test.valid ? "yes" : "no");
  }
  html += "</tbody>\n</table>\n";
  html +=
      "<p class=\"note\">Figures describe what was measured under the stated conditions. Reference "
      "lines in charts are context, not limits of the device under test.</p>\n";
  return html + "</section>\n";
}

std::string appendixHtml(const ReportInput& input) {
  std::string html;
  std::string kpis;
  for (const results::TestResult& test : input.tests) kpis += kpiTableHtml(test);
  if (!kpis.empty()) {
    html += fmt::format(
        "<section class=\"appendix\">\n<h2>Appendix: figures by machine name</h2>\n"
        "<p class=\"note\">These names are used in limits, exports and comparisons.</p>\n{}"
        "</section>\n",
        kpis);
  }
  html += fmt::format(
      "<section class=\"appendix\">\n<h2>Appendix: scenario</h2>\n<pre>{}</pre>\n</section>\n",
      escaped(input.scenario));
  return html;
}

}  // namespace

std::string renderHtml(const ReportInput& input) {
  std::string body = headerHtml(input) +
                     identificationHtml(input.dut_identity, input.simulated_dut) +
                     topologyHtml(input) + configurationHtml(input) + agentsHtml(input.agents) +
                     summaryHtml(input) + kpiMapHtml(input.tests);
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    body += testSectionHtml(input.tests[i], anchorOf(i), input.topology);
  }
  return page(input.title + " – Plumbline test report", body + appendixHtml(input),
              fmt::format("Plumbline · run {} · started {}", input.run_id, input.started));
}

}  // namespace plumbline::report
