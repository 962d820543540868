// What run, plan and validate begin with: the scenario with what the command line overrides, the
// bench, and the plans of its tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/registry.h"
#include "scenario/parse.h"
#include "suite/procedure.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace plumbline::cli {

struct ScenarioOptions {
  std::string file;  // or the name of a scenario that comes with the program
  std::optional<std::string> bench;
  std::optional<std::string> profile;
  std::optional<std::uint64_t> seed;
};

// Accepts a plain integer: CLI11 by itself takes -1 for the largest unsigned number.
CLI::Validator plainInteger();

void addScenarioOptions(CLI::App& verb, ScenarioOptions& options);
// --results DIR, PLUMBLINE_RESULTS, ./results: in this order.
void addResultsOption(CLI::App& verb, std::string& directory);

// Tests and benches of this build. "rtl" is a known word even where the build left it out, so that
// a scenario can be checked anywhere.
scenario::Vocabulary vocabulary();
bool benchExists(const std::string& name);

// Scenarios that come with the program, sorted.
std::vector<std::filesystem::path> shippedScenarios();

// Throws Error(kUsage) for a scenario or an override that is wrong.
scenario::Scenario loadScenario(const ScenarioOptions& options);

struct PlannedTest {
  const suite::Procedure* procedure = nullptr;
  suite::Plan plan;
};

// Plans all tests of the scenario. Throws Error(kUnsupported) with all the reasons why they cannot
// run on this bench, one a line.
std::vector<PlannedTest> planTests(const scenario::Scenario& scenario, const bench::Bench& bench);

}  // namespace plumbline::cli
