// What everything that runs, plans or checks a scenario begins with: the scenario with what the
// user overrides, and the plans of its tests.
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
  std::string file;  // or the name of a scenario that comes with the program
  std::optional<std::string> bench;
  std::optional<std::string> profile;
  std::optional<std::uint64_t> seed;
};

// Tests and benches of this build. A bench that the build left out is a known word as well, so that
// a scenario can be checked anywhere.
scenario::Vocabulary vocabulary();
bool benchExists(const std::string& name);
// The benches that a scenario's `bench` stands for: two for "compare" and "compare-libfabric", else
// itself.
std::vector<std::string> benchesOf(const std::string& bench);

// Where the scenarios are that come with the program: installed beside it, whatever the prefix; for
// a program that is not installed, in the source tree.
std::filesystem::path scenarioDirectory();
// Those scenarios, sorted.
std::vector<std::filesystem::path> shippedScenarios();
// The file of the shipped scenario of this name, with or without ".yaml"; empty when there is none.
std::filesystem::path shippedScenario(const std::string& name);
// What a message says to somebody who asks for a shipped scenario that does not exist: the name
// that was probably meant, or where the names are.
std::string scenarioMeant(const std::string& name);

// Throws Error(kUsage) for a scenario or an override that is wrong.
scenario::Scenario loadScenario(const ScenarioOptions& options);
// The overrides alone, on a scenario that is loaded already.
void applyOverrides(const ScenarioOptions& options, scenario::Scenario& scenario);

// What is legal in the scenario but hardly meant (scenario/warnings.h), one line each:
// "file:12:5: warning: headroom 100 KB is below … (at least 250000B)".
std::vector<std::string> warningLines(const scenario::Scenario& scenario);

struct PlannedTest {
  const suite::Procedure* procedure = nullptr;
  suite::Plan plan;
};

struct Planning {
  std::vector<PlannedTest> tests;
  // Why they cannot run on the bench: each reason once, with the first point it stands for.
  std::vector<std::string> refusals;
};

// Plans all tests of the scenario.
Planning tryPlanTests(const scenario::Scenario& scenario, const bench::Bench& bench);
// The same, but throws Error(kUnsupported) with all the reasons, one a line.
std::vector<PlannedTest> planTests(const scenario::Scenario& scenario, const bench::Bench& bench);

// Wall clock that the trials take on this bench and this machine, roughly; at least a second.
std::chrono::seconds expectedTime(const suite::Plan& plan, const scenario::Scenario& scenario,
                                  const bench::Capabilities& bench);

}  // namespace plumbline::session
