#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/setup.h"
#include "cli/verbs.h"

namespace plumbline::cli {
namespace {

ExitCode validate(const ScenarioOptions& options) {
  const scenario::Scenario scenario = loadScenario(options);
  if (benchExists(scenario.bench)) {
    planTests(scenario,
              *bench::makeBench(scenario.bench,
                                {.trace_fst = {}, .line_rate = scenario.topology.link_rate}));
    fmt::print("{}: valid, and the bench {} can run it\n", scenario.file, scenario.bench);
  } else {
    fmt::print("{}: valid; this build has no bench {} to ask whether it can run it\n",
               scenario.file, scenario.bench);
  }
  return ExitCode::kDone;
}

}  // namespace

void addValidateVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<ScenarioOptions>();
  CLI::App* verb = app.add_subcommand("validate", "Check a scenario without running it");
  addScenarioOptions(*verb, *options);
  verb->callback([options, &action] { action = [options] { return validate(*options); }; });
}

}  // namespace plumbline::cli
