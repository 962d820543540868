#include "cli/setup.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "base/error.h"
#include "scenario/quantity.h"

namespace plumbline::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSimulatedCard = "rtl";

// A bare name that is no file here means a scenario that comes with the program.
std::string resolved(const std::string& file) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) || fs::path(file).has_parent_path()) return file;
  for (const fs::path& shipped : shippedScenarios()) {
    if (shipped.stem() == file || shipped.filename() == file) return shipped.string();
  }
  return file;
}

}  // namespace

CLI::Validator plainInteger() {
  return {[](const std::string& text) { return scenario::parseInteger(text).error; }, ""};
}

void addScenarioOptions(CLI::App& verb, ScenarioOptions& options) {
  verb.add_option("scenario", options.file, "Scenario file, or the name of one in `list scenarios`")
      ->required();
  verb.add_option("--bench", options.bench, "Bench to use instead of the scenario's");
  verb.add_option("--profile", options.profile, "quick or standard instead of the scenario's");
  verb.add_option("--seed", options.seed, "Seed to use instead of the scenario's")
      ->check(plainInteger());
}

void addResultsOption(CLI::App& verb, std::string& directory) {
  directory = "results";
  verb.add_option("--results", directory, "Directory of the results database")
      ->envname("PLUMBLINE_RESULTS")
      ->capture_default_str();
}

scenario::Vocabulary vocabulary() {
  scenario::Vocabulary vocabulary;
  for (const suite::Procedure* procedure : suite::procedures()) {
    vocabulary.tests.push_back(procedure->id());
    if (procedure->onHosts()) vocabulary.on_hosts.push_back(procedure->id());
    if (procedure->runsWorkload()) vocabulary.with_workload.push_back(procedure->id());
  }
  for (const auto& bench : bench::benches()) vocabulary.benches.push_back(bench.name);
  if (!benchExists(kSimulatedCard)) {
    vocabulary.benches.insert(vocabulary.benches.begin(), kSimulatedCard);
  }
  return vocabulary;
}

bool benchExists(const std::string& name) {
  const auto& all = bench::benches();
  return std::any_of(all.begin(), all.end(), [&](const auto& info) { return info.name == name; });
}

std::vector<fs::path> shippedScenarios() {
  std::set<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(PLUMBLINE_SCENARIO_DIR, error)) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  }
  return {files.begin(), files.end()};
}

scenario::Scenario loadScenario(const ScenarioOptions& options) {
  const scenario::Vocabulary known = vocabulary();
  scenario::Scenario scenario = scenario::loadScenario(resolved(options.file), known);
  if (options.bench) {
    if (std::find(known.benches.begin(), known.benches.end(), *options.bench) ==
        known.benches.end()) {
      throw Error(ErrorKind::kUsage, "there is no bench \"" + *options.bench + "\"", "--bench",
                  fmt::format("one of {}", fmt::join(known.benches, ", ")));
    }
    scenario.bench = *options.bench;
  }
  if (options.profile) {
    const auto profile = scenario::profileFromName(*options.profile);
    if (!profile) {
      throw Error(ErrorKind::kUsage, "there is no profile \"" + *options.profile + "\"",
                  "--profile", "quick or standard");
    }
    scenario.profile = *profile;
  }
  if (options.seed) scenario.seed = *options.seed;
  return scenario;
}

std::vector<PlannedTest> planTests(const scenario::Scenario& scenario, const bench::Bench& bench) {
  std::vector<PlannedTest> tests;
  std::vector<std::string> refusals;
  std::set<std::string> reasons;
  // One reason often refuses many points: the first one stands for them.
  const auto refuse = [&](const std::string& where, const std::string& reason) {
    if (reasons.insert(reason).second) refusals.push_back(where + ": " + reason);
  };
  for (const std::string& id : scenario.tests) {
    const suite::Procedure& procedure = suite::procedure(id);
    suite::Plan plan = procedure.plan({scenario, bench.capabilities()});
    for (const std::string& reason : plan.refusals) refuse(id, reason);
    for (const auto& sample : plan.samples) {
      for (const std::string& reason : bench.refusals(sample.spec)) {
        refuse(id + ", " + sample.label, reason);
      }
    }
    tests.push_back({&procedure, std::move(plan)});
  }
  if (!refusals.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} cannot run on the bench {}:\n{}", scenario.file,
                            bench.capabilities().name, fmt::join(refusals, "\n")));
  }
  return tests;
}

}  // namespace plumbline::cli
