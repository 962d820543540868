#include "cli/run_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/output_file.h"
#include "base/shell_words.h"
#include "cli/note.h"
#include "cli/outputs.h"
#include "results/export.h"
#include "session/reporting.h"
#include "session/run_summary.h"

namespace plumbline::cli {
namespace {

// " --results DIR", unless the command looks there by default.
std::string resultsOption(const std::string& results) {
  const bool by_itself = results == kDefaultResults && std::getenv(kResultsVariable) == nullptr;
  return by_itself ? "" : " --results " + shellPath(results);
}

// The command line of a run with `options`, resumed or new.
std::string runCommand(const RunOptions& options, bool resume) {
  std::string command = "plumbline run " + shellPath(options.scenario.file);
  if (resume) command += " --resume";
  const auto add = [&command](const char* option, const std::string& word) {
    command += std::string(" ") + option + " " + word;
  };
  const auto add_path = [&add](const char* option, const std::string& path) {
    if (!path.empty()) add(option, shellPath(path));
  };
  if (options.scenario.bench) add("--bench", shellWord(*options.scenario.bench));
  if (options.scenario.profile) add("--profile", shellWord(*options.scenario.profile));
  if (options.scenario.seed) add("--seed", std::to_string(*options.scenario.seed));
  // The option is in the variable, too.
  const char* memory = std::getenv(kMemoryVariable);
  if (memory != nullptr && *memory != '\0') add("--max-memory", shellWord(memory));
  if (options.threads != RunOptions().threads) add("--threads", std::to_string(options.threads));
  if (!options.agents.empty()) {
    add("--agents", shellWord(options.agents));
    add_path("--token-file", options.server.token_file);
    add_path("--ca", options.server.ca_file);
    add("--start-tolerance", shellWord(options.start_tolerance));
    add("--agent-timeout", shellWord(options.agent_timeout));
  }
  add_path("--report", options.report);
  add_path("--json", options.json);
  add_path("--jsonl", options.jsonl);
  if (!options.capture.empty() && !resume) {  // stored trials have no frames
    add_path("--capture", options.capture);
    add("--capture-port", std::to_string(options.capture_port));
  }
  if (options.tables) command += " --tables";
  add_path("--results", options.results);
  return command;
}

}  // namespace

std::int64_t chooseRun(results::ResultStore& store, const results::RunIdentity& identity,
                       const RunOptions& options) {
  if (options.resume) {
    if (const auto unfinished = store.latestUnfinished(identity)) {
      session::requireSameInputs(*unfinished, identity);
      if (!options.quiet) {
        note(stderr, "going on with run {}: {} trials are stored\n", unfinished->id,
             unfinished->trials);
      }
      return unfinished->id;
    }
    if (!options.quiet) note(stderr, "nothing to resume: this is a new run\n");
  }
  return store.createRun(identity, session::softwareName(), session::machineName());
}

ExitCode printRun(const results::StoredRun& run, const session::Verdict& verdict, bool tables,
                  const std::string& results) {
  if (tables) {
    fmt::print("{}", session::runText(run, verdict));
  } else {
    fmt::print("{}all tables: plumbline results show {}{}\n", session::summaryText(run, verdict),
               run.info.id, resultsOption(results));
  }
  return verdict.exitCode();
}

ExitCode conclude(const scenario::Scenario& scenario, const results::StoredRun& run,
                  const RunOptions& options, OutputErrors& errors) {
  // The measurements are stored: if one output cannot be written, the others still are, and all can
  // be written again later. Those that follow the trials need a run for it.
  std::string again;
  if (errors.any()) again = fmt::format("  {}\n", runCommand(options, false));
  const auto attempt = [&](const std::string& command, const auto& write) {
    if (!errors.attempt(write)) return;
    again += fmt::format("  plumbline {}{}\n", command, resultsOption(options.results));
  };
  if (!options.json.empty()) {
    attempt(fmt::format("results export {} -o {}", run.info.id, shellPath(options.json)),
            [&] { writeFile(options.json, results::exportJson(run)); });
  }
  const std::string directory = options.report.empty()
                                    ? session::defaultReportDirectory(options.results, run.info.id)
                                    : options.report;
  std::string report;
  attempt(fmt::format("report {} --report {}", run.info.id, shellPath(directory)),
          [&] { report = session::writeRunReport(run, directory); });
  const ExitCode code =
      printRun(run, session::verdictOf(scenario, run), options.tables, options.results);
  if (!report.empty()) fmt::print("report {}\n", report);
  if (errors.any()) {
    note(stderr, "run {} is stored. To write again what could not be written:\n{}", run.info.id,
         again);
  }
  errors.check();
  return code;
}

std::string resumeCommand(const RunOptions& options) { return runCommand(options, true); }

}  // namespace plumbline::cli
