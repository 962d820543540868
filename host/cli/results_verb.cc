#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/printable.h"
#include "cli/outputs.h"
#include "cli/setup.h"
#include "cli/sweep_verb.h"
#include "cli/verbs.h"
#include "command/whole_number_option.h"
#include "report/comparison.h"
#include "results/compare.h"
#include "results/export.h"
#include "results/quantity_text.h"
#include "results/store.h"
#include "session/reporting.h"
#include "session/text_table.h"

namespace plumbline::cli {
namespace {

struct ResultsOptions {
  std::string results;
  std::optional<std::int64_t> run;
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::string second_results;
  bool json = false;
  std::string html;
  std::string format = "json";
  std::string output;
  std::string sweep;
  bool partial = false;
  bool tables = false;
};

using Rows = std::vector<std::vector<std::string>>;

ExitCode listRuns(const ResultsOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  Rows rows;
  for (const results::RunInfo& run : store.listRunsBriefly(0)) {
    rows.push_back({std::to_string(run.id), run.created, run.identity.scenario_name,
                    run.identity.bench, run.identity.profile, std::to_string(run.identity.seed),
                    std::to_string(run.trials), std::string(results::runStatusName(run.status))});
  }
  fmt::print("{}", session::alignedTable({"run", "created", "scenario", "bench", "profile", "seed",
                                          "trials", "status"},
                                         rows));
  return ExitCode::kDone;
}

ExitCode showRun(const ResultsOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  const results::StoredRun run = session::loadRunOrLatest(store, options.run);
  const results::RunInfo& info = run.info;
  const std::string head = fmt::format(
      "run {} of {} ({}), {}, bench {}, profile {}, seed {}: {}, {} trials", info.id,
      info.identity.scenario_name, info.created, info.software, info.identity.bench,
      info.identity.profile, info.identity.seed, results::runStatusName(info.status), info.trials);
  fmt::print("{}\n", printable(head));
  for (const std::string& what : run.damaged) {
    fmt::print("NOT VALID: {} is damaged in the results database\n", printable(what));
  }
  for (const results::TestResult& test : run.tests) fmt::print("\n{}", session::testText(test));
  return ExitCode::kDone;
}

void printUnpaired(const std::vector<results::UnpairedKpi>& kpis, std::int64_t run) {
  if (kpis.empty()) return;
  Rows rows;
  for (const results::UnpairedKpi& kpi : kpis) {
    rows.push_back({kpi.test, kpi.point, kpi.name, results::quantityText(kpi.quantity)});
  }
  fmt::print("\nonly in run {}\n{}", run,
             session::alignedTable({"test", "point", "figure", "value"}, rows, 3));
}

// An item and its value in each run.
void printPairs(const std::string& what, const std::string& first, const std::string& second,
                const Rows& rows) {
  if (!rows.empty()) fmt::print("{}\n", session::alignedTable({what, first, second}, rows));
}

void printComparison(const results::Comparison& comparison) {
  const auto first = fmt::format("run {}", comparison.first.id);
  const auto second = fmt::format("run {}", comparison.second.id);
  Rows keys;
  for (const results::DifferingKey& one : comparison.scenario) {
    keys.push_back({one.key, one.first.value_or("not stated"), one.second.value_or("not stated")});
  }
  printPairs("scenario key", first, second, keys);
  Rows conditions;
  for (const results::DifferingCondition& one : comparison.conditions) {
    conditions.push_back({one.test.empty() ? one.name : one.test + ": " + one.name,
                          one.first.empty() ? "none" : one.first,
                          one.second.empty() ? "none" : one.second});
  }
  printPairs("condition", first, second, conditions);
  Rows rows;
  for (const results::ComparedKpi& kpi : comparison.kpis) {
    rows.push_back({kpi.test, kpi.point, kpi.name, results::quantityText(kpi.first),
                    results::quantityText(kpi.second), changeText(kpi), significanceText(kpi)});
  }
  fmt::print("{}",
             session::alignedTable(
                 {"test", "point", "figure", first, second, "change", "significance"}, rows, 3));
  printUnpaired(comparison.only_first, comparison.first.id);
  printUnpaired(comparison.only_second, comparison.second.id);
}

// `results`: directories whose databases are read.
void checkOutput(const char* option, const std::string& file,
                 const std::vector<std::string>& results) {
  if (file.empty()) return;
  for (const std::string& directory : results) {
    CommandFiles files;
    files.outputs.push_back({option, file});
    files.results = directory;
    checkOutputFiles(files);
  }
}

ExitCode diffRuns(const ResultsOptions& options) {
  checkOutput("--html", options.html, {options.results, options.second_results});
  auto store = results::ResultStore::openExisting(options.results);
  const results::StoredRun first = store.loadRun(options.first);
  const results::StoredRun second =
      options.second_results.empty()
          ? store.loadRun(options.second)
          : results::ResultStore::openExisting(options.second_results).loadRun(options.second);
  const results::Comparison comparison = session::compareStoredRuns(first, second);
  if (!options.html.empty()) writeFile(options.html, report::renderComparison(comparison));
  if (options.json) {
    fmt::print("{}", results::comparisonJson(comparison));
  } else {
    printComparison(comparison);
  }
  return ExitCode::kDone;
}

ExitCode exportRun(const ResultsOptions& options) {
  checkOutput("-o", options.output, {options.results});
  auto store = results::ResultStore::openExisting(options.results);
  const results::StoredRun run = session::loadRunOrLatest(store, options.run);
  const std::string text =
      options.format == "csv" ? results::exportCsv(run) : results::exportJson(run);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    writeFile(options.output, text);
  }
  return ExitCode::kDone;
}

ExitCode mergeResults(const ResultsOptions& options) {
  return mergeAndConclude(options.sweep, options.partial, options.tables);
}

}  // namespace

void addResultsVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<ResultsOptions>();
  CLI::App* verb = app.add_subcommand("results", "Look at stored runs");
  verb->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, ExitCode (*act)(const ResultsOptions&)) {
    CLI::App* sub = verb->add_subcommand(name, help);
    addResultsOption(*sub, options->results);
    sub->callback([options, act, &action] { action = [options, act] { return act(*options); }; });
    return sub;
  };
  add("ls", "List the runs", listRuns);
  command::addWholeNumber(*add("show", "Show the tables of a run", showRun), "run", options->run,
                          "Number of the run (default: the latest)");
  CLI::App* diff = add("diff", "Compare the figures of two runs", diffRuns);
  command::addWholeNumber(*diff, "first", options->first, "Number of a run")->required();
  command::addWholeNumber(*diff, "second", options->second, "Number of another run")->required();
  diff->add_option("--second-results", options->second_results,
                   "Directory of the second run's results (default: the same)");
  diff->add_flag("--json", options->json, "Print the comparison as JSON");
  diff->add_option("--html", options->html, "Write the comparison as a page to this file");
  CLI::App* exported = add("export", "Write a run as JSON or CSV", exportRun);
  command::addWholeNumber(*exported, "run", options->run,
                          "Number of the run (default: the latest)");
  exported->add_option("--format", options->format, "json or csv")
      ->check(CLI::IsMember({"json", "csv"}))
      ->capture_default_str();
  exported->add_option("-o,--output", options->output, "File to write (default: stdout)");
  CLI::App* merge = verb->add_subcommand("merge", "Make one run of the points of a sweep");
  merge->add_option("sweep", options->sweep, "Directory of the sweep")->required();
  merge->add_flag("--partial", options->partial, "Also when points are not done");
  merge->add_flag("--tables", options->tables, "Print all tables instead of a summary");
  merge->callback([options, &action] { action = [options] { return mergeResults(*options); }; });
}

}  // namespace plumbline::cli
