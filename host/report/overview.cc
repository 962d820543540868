#include "report/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/spec/describe.h"
#include "report/identification.h"
#include "report/page_pictures.h"
#include "report/svg.h"
#include "report/table_html.h"
#include "report/test_section.h"
#include "results/number_text.h"
#include "results/quantity_text.h"

namespace plumbline::report {
namespace {

using State = LimitOutcome::State;

std::string link(const std::string& anchor, const std::string& text) {
  return fmt::format("<a href=\"#{}\">{}</a>", anchor, escaped(text));
}

// Simulated or real, or unknown in this build.
const char* originText(const ReportInput& input) {
  if (input.simulated_dut) return "of a simulation: they describe a model, not a device";
  return input.bench_known ? "measured on a device"
                           : "simulated or real is not known: this build does not have the bench";
}

std::string factsHtml(const ReportInput& input) {
  const std::string name = identificationLine(input.dut_identity);
  const std::string kind = input.simulated_dut ? "simulated fabric" : "fabric";
  KeyValues facts;
  facts.emplace_back("Device under test", name.empty() ? kind : name + " (" + kind + ")");
  facts.emplace_back("Topology",
                     input.topology ? fabric::topologyText(*input.topology) : "not known");
  for (const auto& [key, value] : input.tester) {
    if (key == "Bench" || key.starts_with("Bench (")) facts.emplace_back(key, value);
  }
  facts.emplace_back("Figures", originText(input));
  const std::string until = input.finished.empty() ? ", not finished" : " to " + input.finished;
  facts.emplace_back("Measured", input.started + until);
  facts.emplace_back("Run", input.run_id);
  return keyValuesHtml(facts);
}

// "5,000 ns" and "5,000.4 ns": with every digit where the usual ones would show no difference.
std::pair<std::string, std::string> boundAndValue(const LimitOutcome& limit) {
  results::Quantity bound;
  bound.value = limit.bound;
  bound.unit = limit.worst.unit;
  results::Quantity worst = limit.worst;
  worst.confidence_low.reset();
  worst.confidence_high.reset();
  worst.uncertainty = {};
  std::pair<std::string, std::string> texts{results::quantityText(bound),
                                            results::quantityText(worst)};
  if (limit.state == State::kNotMeasured) return {results::exactNumber(limit.bound), ""};
  if (texts.first != texts.second || bound.value == worst.value) return texts;
  const std::string unit = bound.unit.empty() ? "" : " " + bound.unit;
  return {results::exactNumber(bound.value) + unit, results::exactNumber(worst.value) + unit};
}

std::string limitHtml(const LimitOutcome& limit) {
  const auto [bound, value] = boundAndValue(limit);
  const std::string rule = fmt::format("<code>{}</code> {} {}", escaped(limit.figure),
                                       limit.at_most ? "at most" : "at least", escaped(bound));
  if (limit.state == State::kNotMeasured) return "<li>" + rule + ": not measured</li>\n";
  return fmt::format("<li>{}: <strong>{}</strong> <span class=\"where\">{}</span></li>\n", rule,
                     escaped(value), escaped(limit.where));
}

std::string limitsHtml(const std::vector<LimitOutcome>& limits) {
  if (limits.empty()) {
    return "<p class=\"verdict\"><strong>Limits:</strong> the scenario sets none.</p>\n";
  }
  const auto count = [&](State state) {
    return static_cast<std::size_t>(std::count_if(
        limits.begin(), limits.end(), [&](const auto& one) { return one.state == state; }));
  };
  if (count(State::kMet) == limits.size()) {
    return fmt::format("<p class=\"verdict met\"><strong>Limits met:</strong> {0} of {0}.</p>\n",
                       limits.size());
  }
  const std::size_t missed = count(State::kMissed);
  const std::size_t unknown = count(State::kNotMeasured);
  std::string text =
      fmt::format("<strong>{}:</strong> {} of {} missed",
                  missed > 0 ? "Limits missed" : "Limits not measured", missed, limits.size());
  if (unknown > 0) text += fmt::format(", {} not measured", unknown);
  std::string list;
  for (const LimitOutcome& limit : limits) {
    if (limit.state != State::kMet) list += limitHtml(limit);
  }
  return fmt::format("<div class=\"verdict missed\">\n<p>{}.</p>\n<ul>\n{}</ul>\n</div>\n", text,
                     list);
}

// "Anomalies: T5.2 (1), T5.3 (2)", each with a link.
std::string anomaliesLine(const ReportInput& input, const std::vector<std::string>& anchors) {
  std::size_t all = 0;
  std::string list;
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    const std::size_t count = input.tests[i].anomalies.size();
    if (count == 0) continue;
    all += count;
    list += (list.empty() ? "" : ", ") + link(anomaliesAnchor(anchors[i]), input.tests[i].id) +
            fmt::format(" ({})", count);
  }
  if (all == 0) return "<p class=\"verdict\"><strong>Anomalies:</strong> none.</p>\n";
  return fmt::format("<p class=\"verdict noted\"><strong>{} anomal{}:</strong> {}.</p>\n", all,
                     all == 1 ? "y" : "ies", list);
}

std::string warningsHtml(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return "";
  std::string list;
  for (const std::string& one : warnings) list += "<li>" + escaped(one) + "</li>\n";
  return fmt::format(
      "<div class=\"verdict noted\">\n<p><strong>{} warning{} about the scenario:</strong></p>\n"
      "<ul>\n{}</ul>\n</div>\n",
      warnings.size(), warnings.size() == 1 ? "" : "s", list);
}

std::string validityLine(const ReportInput& input, const std::vector<std::string>& anchors) {
  std::string list;
  std::size_t count = 0;
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    if (input.tests[i].valid) continue;
    ++count;
    list += (list.empty() ? "" : ", ") + link(anchors[i], input.tests[i].id);
  }
  if (list.empty()) return "";
  return fmt::format(
      "<p class=\"verdict missed\"><strong>Not valid:</strong> {}. Do not use the figures of {}."
      "</p>\n",
      list, count == 1 ? "this test" : "these tests");
}

std::string stateHtml(const results::TestResult& test, const std::string& anchor) {
  std::string text = test.anomalies.empty()
                         ? "–"
                         : link(anomaliesAnchor(anchor), std::to_string(test.anomalies.size()));
  if (!test.valid) text += " <span class=\"no\">not valid</span>";
  return text;
}

// The rows of a test: one for each of its main figures, of many tests for the first only.
std::string rowsHtml(const results::TestResult& test, const std::string& anchor, bool first_only) {
  const std::size_t rows = std::max<std::size_t>(
      1, first_only ? std::min<std::size_t>(1, test.primary.size()) : test.primary.size());
  std::string html;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string name = i == 0 ? link(anchor, test.id + " " + test.title) : "";
    const std::string state = i == 0 ? stateHtml(test, anchor) : "";
    if (test.primary.empty()) {
      return fmt::format("<tr><td>{}</td><td colspan=\"3\">{}</td><td>{}</td></tr>\n", name,
                         escaped(test.summary), state);
    }
    const results::Quantity& figure = test.primary[i];
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"number\"><strong>{}</strong></td><td>{}</td>"
        "<td>{}</td></tr>\n",
        name, i < test.primary_names.size() ? escaped(test.primary_names[i]) : "",
        quantityWithSpreadHtml(figure), escaped(observationPointText(figure.observed)), state);
  }
  return html;
}

std::string figuresHtml(const ReportInput& input, const std::vector<std::string>& anchors) {
  if (input.tests.empty()) return "<p>No test was completed.</p>\n";
  constexpr std::size_t kFewTests = 3;
  const bool first_only = input.tests.size() > kFewTests;
  std::string html = fmt::format(
      "<h3>Main figures</h3>\n<div class=\"table\">\n<table class=\"summary\">\n<thead><tr>"
      "<th>Test</th><th>{}</th><th class=\"number\">Value</th><th>Observed at</th>"
      "<th>Anomalies</th></tr></thead>\n<tbody>\n",
      first_only ? "Main figure" : "Main figures");
  for (std::size_t i = 0; i < input.tests.size(); ++i) {
    html += rowsHtml(input.tests[i], anchors[i], first_only);
  }
  return html +
         "</tbody>\n</table>\n</div>\n"
         "<p class=\"note\">± is the expanded uncertainty, about 95 %; where its systematic "
         "part is not known, half the 95 % confidence interval. Figures "
         "describe what was measured under the stated conditions. Reference lines in charts are "
         "context, not limits of the device under test.</p>\n";
}

}  // namespace

std::string overviewHtml(const ReportInput& input, const std::vector<std::string>& anchors) {
  return "<section id=\"overview\">\n<h2>At a glance</h2>\n" + factsHtml(input) +
         warningsHtml(input.warnings) + limitsHtml(input.limits) + validityLine(input, anchors) +
         anomaliesLine(input, anchors) + figuresHtml(input, anchors) +
         pagePicturesHtml(input, anchors) + "</section>\n";
}

}  // namespace plumbline::report
