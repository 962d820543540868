#include "session/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "base/printable.h"
#include "base/text_width.h"
#include "results/quantity_text.h"
#include "results/uncertainty_text.h"
#include "session/text_table.h"

namespace plumbline::session {
namespace {

// With the title, a line about omitted text and one for the deviations this makes
// kMaxSummaryLines.
constexpr std::size_t kMaxSentences = 3;
constexpr std::size_t kMaxFigures = 5;
constexpr std::size_t kMaxAnomalies = 3;
static_assert(1 + kMaxSentences + kMaxFigures + 1 + 1 + kMaxAnomalies + 1 == kMaxSummaryLines);

constexpr const char* kIndent = "  ";
constexpr std::size_t kWidestName = 60;  // columns that the name of a figure may take

const char* validityText(const results::TestResult& test) {
  return test.valid ? "valid" : "NOT VALID";
}

// At most `most` lines; the last one ends with "…" if there is more.
std::string firstLines(const std::string& text, std::size_t max) {
  const std::size_t columns = kTerminalColumns - displayWidth(kIndent);
  std::vector<std::string> lines = wrappedText(text, columns);
  if (lines.size() > max) {
    lines.resize(max);
    lines.back() = clippedText(lines.back() + " " + std::string(columns, '.'), columns);
  }
  std::string all;
  for (const std::string& line : lines) all += kIndent + line + "\n";
  return all;
}

// Remark that a reader needs before quoting a figure.
std::string remarkOf(const results::Quantity& quantity) {
  std::string text;
  if (quantity.uncertainty.statistics == results::Statistics::kDeterministic) {
    text += " (" + results::statisticsText(quantity) + ")";
  }
  if (!results::markOf(quantity).empty()) text += " (" + results::percentileText(quantity) + ")";
  return text;
}

std::string figuresText(const results::TestResult& test) {
  const std::size_t shown = std::min(test.primary.size(), kMaxFigures);
  const auto nameOf = [&](std::size_t i) {
    return i < test.primary_names.size() ? clippedText(test.primary_names[i], kWidestName)
                                         : std::string();
  };
  std::size_t widest = 0;
  for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, displayWidth(nameOf(i)));
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string name = nameOf(i);
    text +=
        clippedText(kIndent + name + std::string(widest - displayWidth(name) + 2, ' ') +
                        results::quantityWithSpread(test.primary[i]) + remarkOf(test.primary[i]),
                    kTerminalColumns) +
        "\n";
  }
  if (test.primary.size() > shown) {
    text += fmt::format("{}and {} more\n", kIndent, test.primary.size() - shown);
  }
  return text;
}

std::string anomaliesText(const std::vector<results::Anomaly>& anomalies) {
  if (anomalies.empty()) return "";
  const std::size_t shown = std::min(anomalies.size(), kMaxAnomalies);
  std::string text = kIndent + counted(anomalies.size(), "anomaly");
  text += shown < anomalies.size() ? fmt::format(", the first {}:\n", shown) : ":\n";
  for (std::size_t i = 0; i < shown; ++i) {
    text +=
        clippedText(fmt::format("{}- {}", kIndent, remarkText(anomalies[i])), kTerminalColumns) +
        "\n";
  }
  return text;
}

std::string summaryOf(const results::TestResult& test) {
  std::string text = clippedText(fmt::format("{} {} ({} profile): {}", test.id, test.title,
                                             test.profile, validityText(test)),
                                 kTerminalColumns) +
                     "\n";
  if (!test.summary.empty()) text += firstLines(test.summary, kMaxSentences);
  text += figuresText(test);
  text += anomaliesText(test.anomalies);
  if (!test.deviations.empty()) {
    text += kIndent + counted(test.deviations.size(), "deviation") + " from the methodology\n";
  }
  return text;
}

// "12.3 Gb/s" with the name of the figure, for one cell.
std::string mainFigure(const results::TestResult& test) {
  if (test.primary.empty()) return "";
  const std::string value = results::quantityWithSpread(test.primary.front());
  return test.primary_names.empty() ? value : test.primary_names.front() + ": " + value;
}

// Of many tests: a row each, then their anomalies.
std::string overview(const std::vector<results::TestResult>& tests) {
  std::vector<TextRow> rows;
  std::string anomalies;
  for (const results::TestResult& test : tests) {
    rows.push_back({test.id, test.title, validityText(test), mainFigure(test),
                    std::to_string(test.anomalies.size()), std::to_string(test.deviations.size())});
    if (!test.anomalies.empty()) anomalies += test.id + anomaliesText(test.anomalies);
  }
  const std::string table =
      alignedTable({"test", "title", "verdict", "main figure", "anom.", "dev."}, rows);
  return table + (anomalies.empty() ? "" : "\n" + anomalies);
}

std::string limitsText(const Verdict& verdict) {
  std::string text;
  for (const LimitVerdict& limit : verdict.limits) text += "limit " + verdictText(limit) + "\n";
  return text;
}

}  // namespace

// Parts of the run that differ from what was stored.
static std::string damageText(const results::StoredRun& run) {
  std::string text;
  for (const std::string& what : run.damaged) {
    text += fmt::format("NOT VALID: {} is damaged in the results database\n", what);
  }
  return text;
}

std::string summaryText(const results::StoredRun& run, const Verdict& verdict) {
  std::string text = damageText(run);
  if (run.tests.size() > kMaxSummarisedTests) {
    text += overview(run.tests) + "\n";
  } else {
    for (const results::TestResult& test : run.tests) text += summaryOf(test) + "\n";
  }
  return printable(text + limitsText(verdict), true);
}

std::string runText(const results::StoredRun& run, const Verdict& verdict) {
  std::string text = damageText(run);
  for (const results::TestResult& test : run.tests) text += testText(test) + "\n";
  return printable(text + limitsText(verdict), true);
}

}  // namespace plumbline::session
