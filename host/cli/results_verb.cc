#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "cli/reporting.h"
#include "cli/setup.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "results/export.h"
#include "results/store.h"

namespace plumbline::cli {
namespace {

struct ResultsOptions {
  std::string results;
  std::optional<std::int64_t> run;
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::string format = "json";
  std::string output;
};

using Rows = std::vector<std::vector<std::string>>;

ExitCode listRuns(const ResultsOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  Rows rows;
  for (const results::RunInfo& run : store.listRuns()) {
    rows.push_back({std::to_string(run.id), run.created, run.identity.scenario_name,
                    run.identity.bench, run.identity.profile, std::to_string(run.identity.seed),
                    std::to_string(run.trials), std::string(results::runStatusName(run.status))});
  }
  fmt::print("{}", alignedTable({"run", "created", "scenario", "bench", "profile", "seed", "trials",
                                 "status"},
                                rows));
  return ExitCode::kDone;
}

ExitCode showRun(const ResultsOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  const results::StoredRun run = loadRunOrLatest(store, options.run);
  const results::RunInfo& info = run.info;
  fmt::print("run {} of {} ({}), {}, bench {}, profile {}, seed {}: {}, {} trials\n", info.id,
             info.identity.scenario_name, info.created, info.software, info.identity.bench,
             info.identity.profile, info.identity.seed, results::runStatusName(info.status),
             info.trials);
  for (const results::TestResult& test : run.tests) fmt::print("\n{}", testText(test));
  return ExitCode::kDone;
}

// KPIs of a run by what they are of.
std::map<std::vector<std::string>, results::Quantity> kpisOf(const results::StoredRun& run) {
  std::map<std::vector<std::string>, results::Quantity> kpis;
  for (const results::TestResult& test : run.tests) {
    for (const results::Kpi& kpi : test.kpis) kpis[{test.id, kpi.name, kpi.point}] = kpi.quantity;
  }
  return kpis;
}

std::string changeText(double first, double second) {
  if (first == second) return "same";
  if (first == 0) return "new";
  return fmt::format("{:+.3g} %", (second - first) / std::abs(first) * 100);
}

ExitCode diffRuns(const ResultsOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  const auto first = kpisOf(store.loadRun(options.first));
  const auto second = kpisOf(store.loadRun(options.second));
  Rows rows;
  for (const auto& [key, quantity] : first) {
    const auto other = second.find(key);
    const bool both = other != second.end();
    rows.push_back({key[0], key[2], key[1], quantityText(quantity),
                    both ? quantityText(other->second) : "-",
                    both ? changeText(quantity.value, other->second.value) : "-"});
  }
  for (const auto& [key, quantity] : second) {
    if (!first.contains(key)) {
      rows.push_back({key[0], key[2], key[1], "-", quantityText(quantity), "-"});
    }
  }
  fmt::print("{}", alignedTable({"test", "point", "figure", fmt::format("run {}", options.first),
                                 fmt::format("run {}", options.second), "change"},
                                rows));
  return ExitCode::kDone;
}

ExitCode exportRun(const ResultsOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  const results::StoredRun run = loadRunOrLatest(store, options.run);
  const std::string text =
      options.format == "csv" ? results::exportCsv(run) : results::exportJson(run);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    writeFile(options.output, text);
  }
  return ExitCode::kDone;
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
  add("show", "Show the tables of a run", showRun)
      ->add_option("run", options->run, "Number of the run (default: the latest)");
  CLI::App* diff = add("diff", "Compare the figures of two runs", diffRuns);
  diff->add_option("first", options->first, "Number of a run")->required();
  diff->add_option("second", options->second, "Number of another run")->required();
  CLI::App* exported = add("export", "Write a run as JSON or CSV", exportRun);
  exported->add_option("run", options->run, "Number of the run (default: the latest)");
  exported->add_option("--format", options->format, "json or csv")
      ->check(CLI::IsMember({"json", "csv"}))
      ->capture_default_str();
  exported->add_option("-o,--output", options->output, "File to write (default: stdout)");
}

}  // namespace plumbline::cli
