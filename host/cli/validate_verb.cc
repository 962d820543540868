#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/setup.h"
#include "cli/verbs.h"
#include "session/run.h"
#include "sweep/point.h"

namespace plumbline::cli {
namespace {

ExitCode validate(const ScenarioOptions& options, bool strict) {
  const scenario::Scenario scenario = loadScenario(options);
  const bool warned = printWarnings(scenario);
  for (const std::string& bench : session::benchesOf(scenario.bench)) {
    if (benchExists(bench)) continue;
    fmt::print("{}: valid; this build has no bench {} to ask whether it can run it\n",
               scenario.file, bench);
    return strict && warned ? ExitCode::kUsage : ExitCode::kDone;
  }
  if (scenario.sweep.empty()) {
    session::prepareRun(scenario, {});
    fmt::print("{}: valid, and the bench {} can run it\n", scenario.file, scenario.bench);
  } else {
    const scenario::Sweep sweep(scenario.text, scenario.file);
    sweep::checkPoints(sweep, options);
    fmt::print("{}: valid, a sweep of {} points that can all run\n", scenario.file, sweep.size());
  }
  return strict && warned ? ExitCode::kUsage : ExitCode::kDone;
}

}  // namespace

void addValidateVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<ScenarioOptions>();
  CLI::App* verb = app.add_subcommand("validate", "Check a scenario without running it");
  addScenarioOptions(*verb, *options);
  addMemoryOption(*verb);
  auto strict = std::make_shared<bool>(false);
  verb->add_flag("--strict", *strict, "Exit with code 2 when there are warnings");
  verb->callback([options, strict, &action] {
    action = [options, strict] { return validate(*options, *strict); };
  });
}

}  // namespace plumbline::cli
