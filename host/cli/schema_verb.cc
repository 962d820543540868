#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "scenario/schema.h"

namespace plumbline::cli {

void addSchemaVerb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("schema", "Write the JSON schema of scenarios, for editors");
  verb->callback([&action] {
    action = [] {
      fmt::print("{}\n", scenario::scenarioSchema(vocabulary()).dump(1));
      return ExitCode::kDone;
    };
  });
}

}  // namespace plumbline::cli
