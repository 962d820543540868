#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/verbs.h"

namespace plumbline::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done and within the limits, 1 a limit was missed, 2 bad usage or scenario,\n"
    "3 the tester failed, 4 the measurement is not valid, 5 interrupted (run again with --resume).";

int code(ExitCode exit_code) { return static_cast<int>(exit_code); }

int parseAndAct(int argc, const char* const* argv) {
  CLI::App app("Plumbline: a precision tester for AI Ethernet fabrics", "plumbline");
  app.require_subcommand(1);
  app.footer(kFooter);
  Action action;
  addRunVerb(app, action);
  addValidateVerb(app, action);
  addPlanVerb(app, action);
  addListVerb(app, action);
  addPortsVerb(app, action);
  addReportVerb(app, action);
  addResultsVerb(app, action);
  addSweepVerb(app, action);
  addSelftestVerb(app, action);
  addServeVerb(app, action);
  addTopVerb(app, action);
  addVersionVerb(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // Also how --help arrives, which is no fault.
    return app.exit(e) == 0 ? code(ExitCode::kDone) : code(ExitCode::kUsage);
  }
  return code(action());
}

}  // namespace

int runCommand(int argc, const char* const* argv) {
  try {
    return parseAndAct(argc, argv);
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return code(exitCodeOf(e.kind()));
  } catch (const std::exception& e) {
    fmt::print(stderr, "plumbline has failed: {}\n", e.what());
    return code(ExitCode::kTesterFault);
  }
}

}  // namespace plumbline::cli
