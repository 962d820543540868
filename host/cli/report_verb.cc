#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/pdf.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "results/store.h"
#include "session/reporting.h"

namespace plumbline::cli {
namespace {

struct ReportOptions {
  std::optional<std::int64_t> run;
  std::string results;
  std::string report;
  std::string pdf;
};

ExitCode report(const ReportOptions& options) {
  auto store = results::ResultStore::openExisting(options.results);
  const results::StoredRun run = session::loadRunOrLatest(store, options.run);
  const std::string directory = options.report.empty()
                                    ? session::defaultReportDirectory(options.results, run.info.id)
                                    : options.report;
  if (run.info.status != results::RunStatus::kDone) {
    fmt::print(stderr, "run {} is not complete: the report holds the tests that are\n",
               run.info.id);
  }
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
  verb->add_option("run", options->run, "Number of the run (default: the latest)");
  addResultsOption(*verb, options->results);
  verb->add_option("--report", options->report, "Directory for it (default: RESULTS/run-N)");
  verb->add_option("--pdf", options->pdf, "Also print it to this PDF file (needs Chromium)");
  verb->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace plumbline::cli
