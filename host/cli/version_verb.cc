#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "bench/trial/registry.h"
#include "cli/verbs.h"
#include "session/reporting.h"

namespace plumbline::cli {
namespace {

ExitCode version() {
  std::vector<std::string> names;
  for (const auto& bench : bench::benches()) names.push_back(bench.name);
  fmt::print("{}\nbenches: {}\n", session::softwareName(), fmt::join(names, ", "));
  for (const bench::OptionalBench& missing : bench::missingBenches()) {
    fmt::print("built without the bench {}, which needs {}\n", missing.name, missing.needs);
  }
  return ExitCode::kDone;
}

}  // namespace

void addVersionVerb(CLI::App& app, Action& action) {
  app.add_subcommand("version", "Show version and benches")->callback([&action] {
    action = version;
  });
}

}  // namespace plumbline::cli
