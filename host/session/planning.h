// Common first step of all that run, plan or check a scenario: the scenario with the user's
// overrides, and the plans of its tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/bench.h"
#include "scenario/parse.h"
#include "suite/procedure.h"

namespace plumbline::session {

struct ScenarioOptions {
  std::string file;  // or the name of a shipped scenario
  std::optional<std::string> bench;
  std::optional<std::string> profile;
  std::optional<std::uint64_t> seed;
};

// Tests and benches known to this build. Includes benches that the build lacks, so that a scenario
// can be checked anywhere.
scenario::Vocabulary vocabulary();
bool benchExists(const std::string& name);
// The benches of a scenario's `bench`: two for "compare" and "compare-libfabric", else itself.
std::vector<std::string> benchesOf(const std::string& bench);

// Directory of the shipped scenarios: installed beside the program, whatever the prefix; for a
// program that is not installed, in the source tree.
std::filesystem::path scenarioDirectory();
// Those scenarios, sorted.
std::vector<std::filesystem::path> shippedScenarios();
// The file of the shipped scenario of this name, with or without ".yaml"; empty when there is none.
std::filesystem::path shippedScenario(const std::string& name);
// Text of a message about an unknown shipped scenario: the most similar name, or where to find the
// names.
std::string scenarioMeant(const std::string& name);

// Throws Error(kUsage) for an invalid scenario or override.
scenario::Scenario loadScenario(const ScenarioOptions& options);
// Applies the overrides alone to a scenario that is loaded already.
void applyOverrides(const ScenarioOptions& options, scenario::Scenario& scenario);

// Legal but probably unintended settings of the scenario (scenario/warnings.h), one line each:
// "file:12:5: warning: headroom 100 KB is below … (at least 250000B)".
std::vector<std::string> warningLines(const scenario::Scenario& scenario);

struct PlannedTest {
  const suite::Procedure* procedure = nullptr;
  suite::Plan plan;
};

struct Planning {
  std::vector<PlannedTest> tests;
  // Why they cannot run on the bench: each reason once, with the first point that it affects and
  // the other tests.
  std::vector<std::string> refusals;
};

// Plans all tests of the scenario.
Planning tryPlanTests(const scenario::Scenario& scenario, const bench::Bench& bench);
// The same, but throws Error(kUnsupported) with all reasons, one per line.
std::vector<PlannedTest> planTests(const scenario::Scenario& scenario, const bench::Bench& bench);

// Approximate wall time of the trials on this bench and this machine; at least a second.
std::chrono::seconds expectedTime(const suite::Plan& plan, const scenario::Scenario& scenario,
                                  const bench::Capabilities& bench);

}  // namespace plumbline::session
