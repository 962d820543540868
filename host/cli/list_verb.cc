#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "session/text_table.h"

namespace plumbline::cli {
namespace {

void listTests() {
  std::vector<std::vector<std::string>> rows;
  for (const suite::Procedure* test : suite::procedures()) {
    rows.push_back({test->id(), test->title()});
  }
  fmt::print("{}", session::alignedTable({"test", "title"}, rows));
}

void listBenches() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& bench : bench::benches()) rows.push_back({bench.name, bench.description});
  fmt::print("{}", session::alignedTable({"bench", "description"}, rows));
}

void listScenarios() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& file : shippedScenarios()) {
    const auto scenario = scenario::loadScenario(file.string(), vocabulary());
    rows.push_back(
        {scenario.name, fmt::format("{}", fmt::join(scenario.tests, ", ")), file.string()});
  }
  fmt::print("{}", session::alignedTable({"scenario", "tests", "file"}, rows));
}

}  // namespace

void addListVerb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("list", "List what there is");
  verb->require_subcommand(1);
  const auto add = [&](const char* what, const char* help, void (*list)()) {
    verb->add_subcommand(what, help)->callback([list, &action] {
      action = [list] {
        list();
        return ExitCode::kDone;
      };
    });
  };
  add("tests", "Tests of the methodology that this build implements", listTests);
  add("benches", "Benches of this build", listBenches);
  add("scenarios", "Scenarios that come with the program", listScenarios);
}

}  // namespace plumbline::cli
