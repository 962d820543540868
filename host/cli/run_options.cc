#include "cli/run_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "results/export.h"
#include "session/reporting.h"
#include "session/run_summary.h"

namespace plumbline::cli {

std::int64_t chooseRun(results::ResultStore& store, const results::RunIdentity& identity,
                       const RunOptions& options) {
  if (options.resume) {
    if (const auto unfinished = store.latestUnfinished(identity)) {
      if (!options.quiet) {
        fmt::print(stderr, "going on with run {}: {} trials are stored\n", unfinished->id,
                   unfinished->trials);
        if (unfinished->software != session::softwareName()) {
          fmt::print(stderr, "those were measured by {}, the rest will be by {}\n",
                     unfinished->software, session::softwareName());
        }
      }
      return unfinished->id;
    }
    if (!options.quiet) fmt::print(stderr, "nothing to resume: this is a new run\n");
  }
  return store.createRun(identity, session::softwareName(), session::machineName());
}

ExitCode printRun(const results::StoredRun& run, const session::Verdict& verdict, bool tables,
                  const std::string& results) {
  if (tables) {
    fmt::print("{}", session::runText(run, verdict));
  } else {
    fmt::print("{}all tables: plumbline results show {}{}\n", session::summaryText(run, verdict),
               run.info.id, results == kDefaultResults ? "" : " --results " + results);
  }
  if (!verdict.valid) return ExitCode::kInvalid;
  return verdict.met ? ExitCode::kDone : ExitCode::kLimitMissed;
}

ExitCode conclude(const scenario::Scenario& scenario, const results::StoredRun& run,
                  const RunOptions& options) {
  const ExitCode code =
      printRun(run, session::verdictOf(scenario, run), options.tables, options.results);
  if (!options.json.empty()) session::writeFile(options.json, results::exportJson(run));
  const std::string directory = options.report.empty()
                                    ? session::defaultReportDirectory(options.results, run.info.id)
                                    : options.report;
  fmt::print("report {}\n", session::writeRunReport(run, directory));
  return code;
}

std::string resumeCommand(const RunOptions& options) {
  std::string command = "plumbline run " + options.scenario.file + " --resume";
  if (options.scenario.bench) command += " --bench " + *options.scenario.bench;
  if (options.scenario.profile) command += " --profile " + *options.scenario.profile;
  if (options.scenario.seed) command += fmt::format(" --seed {}", *options.scenario.seed);
  if (!options.agents.empty()) command += " --agents " + options.agents;
  return command + " --results " + options.results;
}

}  // namespace plumbline::cli
