#include "cli/app.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupts.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "base/work.h"
#include "cli/note.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "command/command_files.h"
#include "command/parse.h"
#include "session/reporting.h"

namespace plumbline::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done and within the limits, 1 a limit was missed, 2 bad usage or scenario,\n"
    "3 the tester failed, 4 the measurement is not valid, 5 interrupted (run again with --resume).";

int code(ExitCode exit_code) { return static_cast<int>(exit_code); }

// With the allowed values of options that CLI11 does not know.
command::CommandHelp commandHelp(const CLI::App& app) {
  command::CommandHelp help = command::helpOf(app);
  std::vector<std::string> scenarios;
  for (const auto& file : shippedScenarios()) scenarios.push_back(file.stem().string());
  command::addChoices(help, "scenario", scenarios);
  command::addChoices(help, "--bench", vocabulary().benches);
  command::addChoices(help, "--profile", {"quick", "standard"});
  return help;
}

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
  addFirmwareVerb(app, action);
  addReportVerb(app, action);
  addResultsVerb(app, action);
  addSweepVerb(app, action);
  addSchemaVerb(app, action);
  addSelftestVerb(app, action);
  addServeVerb(app, action);
  addTopVerb(app, action);
  addVersionVerb(app, action);
  if (argc == 3 && argv[1] == std::string_view(command::kCommandFilesOption)) {
    command::writeCommandFiles(commandHelp(app), session::softwareName(), argv[2]);
    return code(ExitCode::kDone);
  }
  const bool asked = command::parse(app, argc, argv);
  const ExitCode done = asked ? action() : ExitCode::kDone;
  flushStandardOutput();
  return code(done);
}

// A reader of standard output that exits early, such as `head`, ends the command by SIGPIPE,
// without a message, as it ends other commands.
void endByBrokenPipe() {
  if (std::ferror(stdout) == 0) return;
  pollfd output{STDOUT_FILENO, 0, 0};
  if (poll(&output, 1, 0) != 1 || (output.revents & POLLERR) == 0) return;
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

}  // namespace

int runCommand(int argc, const char* const* argv) {
  installInterruptHandlers();  // before a library or a simulation starts a thread
  try {
    return parseAndAct(argc, argv);
  } catch (const Error& e) {
    endByBrokenPipe();
    note(stderr, "{}\n", printable(e.what(), true));
    return code(exitCodeOf(e.kind()));
  } catch (const std::exception& e) {
    endByBrokenPipe();
    // Printing to a full disk throws as well.
    const bool unwritten = std::ferror(stdout) != 0;
    note(stderr, "{}: {}\n", unwritten ? "standard output" : "plumbline has failed",
         printable(faultText(e), true));
    return code(ExitCode::kTesterFault);
  }
}

}  // namespace plumbline::cli
