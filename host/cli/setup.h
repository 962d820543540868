// Options that several verbs share, and the steps of host/session with which every verb begins.
#pragma once

#include <cstddef>
#include <string>

#include "bench/trial/registry.h"
#include "session/planning.h"

namespace CLI {
class App;
}  // namespace CLI

namespace plumbline::cli {

using session::benchExists;
using session::loadScenario;
using session::PlannedTest;
using session::planTests;
using session::scenarioDirectory;
using session::ScenarioOptions;
using session::shippedScenarios;
using session::vocabulary;

// Prints the scenario's warnings to stderr, one a line; returns whether there are any.
bool printWarnings(const scenario::Scenario& scenario);

void addScenarioOptions(CLI::App& verb, ScenarioOptions& options);
// --max-memory, PLUMBLINE_MAX_MEMORY: sets memoryLimit().
inline constexpr const char* kMemoryVariable = "PLUMBLINE_MAX_MEMORY";
void addMemoryOption(CLI::App& verb);
// Divides memoryLimit() among `workers` simultaneous programs that this one starts.
void shareMemory(std::size_t workers);
inline constexpr const char* kDefaultResults = "results";
inline constexpr const char* kResultsVariable = "PLUMBLINE_RESULTS";
// --results DIR, PLUMBLINE_RESULTS, ./results: in this order.
void addResultsOption(CLI::App& verb, std::string& directory);

}  // namespace plumbline::cli
