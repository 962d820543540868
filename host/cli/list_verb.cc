#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_width.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "kpi/kpi.h"
#include "scenario/key_page.h"
#include "session/text_table.h"

namespace plumbline::cli {
namespace {

// Rows of two cells, one line each; longer text is cut.
void printList(const char* name, const char* about, const std::vector<std::string>& names,
               const std::vector<std::string>& texts) {
  std::size_t widest = displayWidth(name);
  for (const std::string& one : names) widest = std::max(widest, displayWidth(one));
  std::vector<session::TextRow> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.push_back({names[i], clippedText(texts[i], session::kTerminalColumns - widest - 2)});
  }
  fmt::print("{}", session::alignedTable({name, about}, rows));
}

void listTests() {
  std::vector<std::string> ids;
  std::vector<std::string> titles;
  for (const suite::Procedure* test : suite::procedures()) {
    ids.push_back(test->id());
    titles.push_back(test->title());
  }
  printList("test", "title", ids, titles);
}

void listBenches() {
  std::vector<std::string> names;
  std::vector<std::string> descriptions;
  for (const auto& bench : bench::benches()) {
    names.push_back(bench.name);
    descriptions.push_back(bench.description);
  }
  printList("bench", "description", names, descriptions);
}

// The paragraph of comment with which a scenario begins.
std::string openingComment(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string text;
  for (std::string line; std::getline(stream, line) && line.starts_with("# ");) {
    text += (text.empty() ? "" : " ") + line.substr(2);
  }
  return text;
}

// As much of `text` as fits, up to the end of a sentence or clause if that is at least half of it.
std::string shortened(const std::string& text, std::size_t columns) {
  if (displayWidth(text) <= columns) return text;
  const std::string_view kept = firstColumns(text, columns);
  std::size_t end = 0;
  for (const char* stop : {". ", ": ", "; "}) {
    const std::size_t at = kept.rfind(stop);
    if (at != std::string_view::npos) end = std::max(end, at);
  }
  if (displayWidth(kept.substr(0, end)) >= columns / 2) return std::string(kept.substr(0, end));
  return clippedText(text, columns);
}

const char* betterText(kpi::Better better) {
  switch (better) {
    case kpi::Better::kMore:
      return "more";
    case kpi::Better::kLess:
      return "less";
    case kpi::Better::kNeither:
      break;
  }
  return "–";
}

void listKpis() {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (const kpi::Declaration& one : kpi::declarations()) {
    names.push_back(one.name);
    texts.push_back(
        fmt::format("{}{}", one.meaning, one.unit.empty() ? "" : " [" + one.unit + "]"));
  }
  printList("KPI", "meaning", names, texts);
}

// docs/kpis.md.
void writeKpiPage() {
  fmt::print(
      "# KPIs\n"
      "Every figure that a test reports under a machine name: for [`limits`](scenarios.md#limits), "
      "exports and "
      "`results diff`.\nWritten by `plumbline list kpis --markdown`; `scripts/test` compares.\n\n"
      "| KPI | unit | better | meaning | tests |\n|---|---|---|---|---|\n");
  for (const scenario::MeasuredKpi& measured : suite::measuredKpis()) {
    const kpi::Declaration& one = *kpi::find(measured.name);
    fmt::print("| `{}` | {} | {} | {} | {} |\n", one.name, one.unit.empty() ? "–" : one.unit,
               betterText(one.better), one.meaning, fmt::join(measured.tests, ", "));
  }
}

void listKeys() {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (const scenario::ListedKey& one : scenario::keyList()) {
    names.push_back(one.path);
    texts.push_back(one.help);
  }
  printList("key", "meaning", names, texts);
}

void listScenarios() {
  constexpr std::size_t kColumns = 80;
  std::vector<std::string> names;
  std::vector<std::string> sentences;
  for (const auto& file : shippedScenarios()) {
    names.push_back(file.stem().string());
    sentences.push_back(shortened(openingComment(file), kColumns));
  }
  printList("scenario", "what it measures", names, sentences);
  fmt::print("\nfiles in {}\n", scenarioDirectory().string());
}

}  // namespace

void addListVerb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("list", "List what there is");
  verb->require_subcommand(1);
  const auto add = [&](const char* what, const char* help, void (*list)()) {
    verb->add_subcommand(what, help)->callback([list, &action] {
      action = [list] {
        list();
        return ExitCode::kDone;
      };
    });
  };
  add("tests", "Tests of the methodology that this build implements", listTests);
  add("benches", "Benches of this build", listBenches);
  add("scenarios", "Scenarios that come with the program", listScenarios);
  const auto addWithPage = [&](const char* what, const char* help, const char* page_help,
                               void (*list)(), void (*write_page)()) {
    CLI::App* one = verb->add_subcommand(what, help);
    auto markdown = std::make_shared<bool>(false);
    one->add_flag("--markdown", *markdown, page_help);
    one->callback([=, &action] {
      action = [=] {
        *markdown ? write_page() : list();
        return ExitCode::kDone;
      };
    });
  };
  addWithPage("kpis", "KPIs that tests measure, for limits and exports",
              "Write the page docs/kpis.md", listKpis, writeKpiPage);
  addWithPage("keys", "Keys of scenarios", "Write the page docs/scenario-keys.md", listKeys,
              [] { fmt::print("{}", scenario::keyPage()); });
}

}  // namespace plumbline::cli
