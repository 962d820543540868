#include <fmt/format.h>

#include "fabric/spec/describe.h"
#include "report/agents_section.h"
#include "report/cabling.h"
#include "report/contents.h"
#include "report/demands.h"
#include "report/identification.h"
#include "report/kpi_map.h"
#include "report/overview.h"
#include "report/page.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/table_html.h"
#include "report/test_section.h"
#include "report/topology_diagram.h"
#include "results/number_text.h"

namespace plumbline::report {
namespace {

// A section that the contents name; empty ones are left out of both.
struct Section {
  std::string anchor;
  std::string title;
  std::string content;
  const char* style = "";  // class of the section
};

std::string sectionHtml(const Section& section) {
  if (section.content.empty()) return "";
  const std::string style =
      *section.style == '\0' ? "" : fmt::format(" class=\"{}\"", section.style);
  return fmt::format("<section id=\"{}\"{}>\n<h2>{}</h2>\n{}</section>\n", section.anchor, style,
                     escaped(section.title), section.content);
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
  return fmt::format("<figure class=\"topology\">\n<figcaption>{}</figcaption>\n{}</figure>\n{}{}",
                     escaped(fabric::topologyText(*input.topology)),
                     renderTopology(*input.topology, input.failures), failuresHtml(input.failures),
                     tableHtml(cablingTable(*input.topology)));
}

std::string configurationHtml(const ReportInput& input) {
  std::string html;
  const auto block = [&](const char* title, const KeyValues& pairs) {
    if (pairs.empty()) return;
    html += fmt::format("<div>\n<h3>{}</h3>\n{}</div>\n", title, keyValuesHtml(pairs));
  };
  block("Fabric", input.dut);
  block("Tester", input.tester);
  block("Host", input.host);
  return html.empty() ? "" : "<div class=\"columns\">\n" + html + "</div>\n";
}

std::string machineNamesHtml(const ReportInput& input) {
  std::string kpis;
  for (const results::TestResult& test : input.tests) kpis += kpiTableHtml(test);
  if (kpis.empty()) return "";
  return "<p class=\"note\">These names are used in limits, exports and comparisons.</p>\n" + kpis;
}

std::string scenarioHtml(const ReportInput& input) {
  return input.scenario.empty() ? "" : fmt::format("<pre>{}</pre>\n", escaped(input.scenario));
}

// How it was measured.
std::vector<Section> setUp(const ReportInput& input) {
  return {{"dut", "Device under test", identificationHtml(input.dut_identity, input.simulated_dut)},
          {"topology", "Topology", topologyHtml(input)},
          {"configuration", "Configuration", configurationHtml(input)},
          {"agents", "Agents", agentsHtml(input.agents)}};
}

// Reference sections.
std::vector<Section> reference(const ReportInput& input) {
  return {{"observed", "Figures, tests and observation points", kpiMapHtml(input.tests)},
          {"demands", "Demands on every report", demandsHtml(input.demands, "")},
          {"names", "Appendix: figures by machine name", machineNamesHtml(input), "appendix"},
          {"scenario", "Appendix: scenario", scenarioHtml(input), "appendix"}};
}

std::string markOf(const results::TestResult& test) {
  if (!test.valid) return "not valid";
  const std::size_t count = test.anomalies.size();
  return count == 0 ? "" : fmt::format("{} anomal{}", count, count == 1 ? "y" : "ies");
}

std::vector<ContentsEntry> contentsOf(const ReportInput& input,
                                      const std::vector<std::string>& anchors,
                                      const std::vector<Section>& set_up,
                                      const std::vector<Section>& reference) {
  constexpr std::size_t kFewTests = 3;
  std::vector<ContentsEntry> entries{{"overview", "At a glance"}};
  if (!input.tests.empty()) entries.push_back({"", "Tests"});
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    const results::TestResult& test = input.tests[i];
    entries.push_back({anchors[i], test.id + " " + test.title, markOf(test)});
    if (input.tests.size() > kFewTests) continue;
    const std::vector<ContentsEntry> parts = testParts(test, anchors[i]);
    entries.insert(entries.end(), parts.begin(), parts.end());
  }
  const auto add = [&](const char* head, const std::vector<Section>& sections) {
    bool first = true;
    for (const Section& one : sections) {
      if (one.content.empty()) continue;
      if (first) entries.push_back({"", head});
      first = false;
      entries.push_back({one.anchor, one.title});
    }
  };
  add("Set-up", set_up);
  add("Reference", reference);
  return entries;
}

}  // namespace

std::string renderHtml(const ReportInput& input) {
  std::vector<std::string> anchors;
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    anchors.push_back(fmt::format("test-{}", i + 1));
  }
  const std::vector<Section> set_up = setUp(input);
  const std::vector<Section> looked_up = reference(input);
  std::string body = pageHeader("test report", input.title, {}) + overviewHtml(input, anchors);
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    body += testSectionHtml(input.tests[i], anchors[i], input);
  }
  for (const Section& section : set_up) body += sectionHtml(section);
  for (const Section& section : looked_up) body += sectionHtml(section);
  return page(input.title + " – Plumbline test report",
              contentsHtml(contentsOf(input, anchors, set_up, looked_up)), body,
              fmt::format("Plumbline · run {} · started {}", input.run_id, input.started));
}

}  // namespace plumbline::report
