#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/file_text.h"
#include "base/output_file.h"
#include "cli/note.h"
#include "cli/outputs.h"
#include "cli/pdf.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "command/whole_number_option.h"
#include "results/import.h"
#include "results/store.h"
#include "session/reporting.h"

namespace plumbline::cli {
namespace {

struct ReportOptions {
  std::optional<std::int64_t> run;
  std::string results;
  std::string from;
  std::string report;
  std::string pdf;
};

results::StoredRun runOfFile(const std::string& file) {
  return results::importJson(readFile(file, results::kMaxJsonBytes), file);
}

results::StoredRun runOfStore(const ReportOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  return session::loadRunOrLatest(store, options.run);
}

// "out/run.json" has its report in "out/run-report".
std::string directoryFor(const ReportOptions& options, std::int64_t run) {
  if (!options.report.empty()) return options.report;
  if (options.from.empty()) return session::defaultReportDirectory(options.results, run);
  return std::filesystem::path(options.from).replace_extension().string() + "-report";
}

ExitCode report(const ReportOptions& options) {
  const results::StoredRun run =
      options.from.empty() ? runOfStore(options) : runOfFile(options.from);
  const std::string directory = directoryFor(options, run.info.id);
  if (run.info.status != results::RunStatus::kDone) {
    note(stderr, "run {} is not complete: the report holds the tests that are\n", run.info.id);
  }
  const std::string directory_option = options.report.empty() ? "" : "--report";
  CommandFiles files;
  if (options.from.empty()) {
    files.results = options.results;
  } else {
    files.inputs.push_back({"the file of --from", options.from});
  }
  if (!options.pdf.empty()) files.outputs.push_back({"--pdf", options.pdf});
  files.report = {directory_option, directory};
  checkOutputFiles(files);
  requireDirectory(directory, directory_option);
  const std::string html = session::writeRunReport(run, directory);
  fmt::print("report {}\n", html);
  if (!options.pdf.empty()) {
    printPdf(html, options.pdf);
    fmt::print("pdf {}\n", options.pdf);
  }
  return ExitCode::kDone;
}

}  // namespace

void addReportVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Write the report of a stored run again");
  CLI::Option* run = command::addWholeNumber(*verb, "run", options->run,
                                             "Number of the run (default: the latest)");
  addResultsOption(*verb, options->results);
  verb->add_option("--from", options->from, "The run in this results JSON, instead of a stored one")
      ->excludes(run);
  verb->add_option("--report", options->report,
                   "Directory for it (default: RESULTS/run-N; of FILE.json, FILE-report)");
  verb->add_option("--pdf", options->pdf, "Also print it to this PDF file (needs Chromium)");
  verb->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace plumbline::cli
