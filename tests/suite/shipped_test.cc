// The scenarios that come with the program are right, can run, and explain themselves in comments.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/sim_bench.h"
#include "fabric/fabric_spec.h"
#include "scenario/parse.h"
#include "scenario/warnings.h"
#include "suite/procedure.h"

namespace plumbline::suite {
namespace {

namespace fs = std::filesystem;

std::set<fs::path> shipped() {
  std::set<fs::path> files;
  const fs::path folder = fs::path(PLUMBLINE_SOURCE_DIR) / "scenarios";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  return files;
}

scenario::Vocabulary vocabulary() {
  scenario::Vocabulary words{
      {},
      {"rtl", "fpga", "sim", "libfabric", "verbs", "compare", "compare-libfabric", "compare-verbs"},
      {},
      {}};
  for (const Procedure* procedure : procedures()) {
    words.tests.push_back(procedure->id());
    if (procedure->onHosts()) words.on_hosts.push_back(procedure->id());
    if (procedure->runsWorkload()) words.with_workload.push_back(procedure->id());
  }
  return words;
}

TEST(ShippedScenarios, TheOnesWePromiseAreThere) {
  std::set<std::string> names;
  for (const auto& file : shipped()) names.insert(file.filename());
  for (const char* name :
       {"quickstart.yaml", "latency.yaml", "throughput.yaml", "burst-incast.yaml", "incast32.yaml",
        "incast32-nscc.yaml", "permutation128.yaml", "alltoall128.yaml", "allreduce128.yaml"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

// Reviewed, by docs/scenarios.md: 400 Gb/s are 50 B/ns.
// - incast32, allreduce128: kmin of 400 KB is twice xoff. Several inputs fill a queue of theirs, so
//   that ECN marks first; one input alone would be paused before.
// - allreduce128: cables of 1 us need 2·(4174 + 20) + 84 + 50·(2·1000 + 600) = 138,472 B.
TEST(ShippedScenarios, WarnOfNothingButWhatIsKnown) {
  const std::map<std::string, std::vector<std::string>> known{
      {"incast32", {"PFC acts before ECN"}},
      {"allreduce128",
       {"PFC acts before ECN", "headroom 120 KB is below the 138.5 KB that host0-leaf0 needs"}}};
  for (const auto& file : shipped()) {
    SCOPED_TRACE(file);
    if (file.extension() != ".yaml") continue;
    const scenario::Scenario scenario = scenario::loadScenario(file, vocabulary());
    const auto expected = known.find(scenario.name);
    const auto wanted = expected == known.end() ? std::vector<std::string>() : expected->second;
    const auto found = scenario::warningsOf(scenario, vocabulary());
    ASSERT_EQ(found.size(), wanted.size()) << (found.empty() ? "" : found.front().text("s"));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_TRUE(found[i].what.starts_with(wanted[i])) << found[i].what;
    }
  }
}

TEST(ShippedScenarios, AllValidate) {
  for (const auto& file : shipped()) {
    SCOPED_TRACE(file);
    ASSERT_NO_THROW({
      const scenario::Scenario scenario = scenario::loadScenario(file, vocabulary());
      EXPECT_NO_THROW(fabric::validate(scenario.fabricSpec()));
      EXPECT_EQ(scenario.name, file.stem());
      EXPECT_GT(std::count(scenario.text.begin(), scenario.text.end(), '#'), 10);
    });
  }
}

// Every test on simulated hosts has its scenario, and both profiles of it can run; what runs
// several tests is for the quick one.
TEST(ShippedScenarios, TestsOnSimulatedHostsHaveOneThatCanRun) {
  std::set<std::string> tests;
  for (const auto& file : shipped()) {
    if (file.parent_path().filename() != "training") continue;
    SCOPED_TRACE(file);
    scenario::Scenario scenario = scenario::loadScenario(file, vocabulary());
    const bench::SimBench bench({.line_rate = scenario.topology.link_rate});
    for (const auto profile : {scenario::Profile::kQuick, scenario::Profile::kStandard}) {
      if (profile == scenario::Profile::kStandard && scenario.tests.size() > 1) continue;
      scenario.profile = profile;
      for (const std::string& id : scenario.tests) {
        tests.insert(id);
        const Plan plan = procedure(id).plan({scenario, bench.capabilities()});
        EXPECT_TRUE(plan.refusals.empty()) << id << ": " << plan.refusals.front();
        ASSERT_FALSE(plan.samples.empty()) << id;
        EXPECT_EQ(bench.refusals(plan.samples.front().spec), std::vector<std::string>{}) << id;
      }
    }
  }
  for (const Procedure* procedure : procedures()) {
    if (procedure->onHosts() && procedure->id() != scenario::kFreeTest) {
      EXPECT_TRUE(tests.contains(procedure->id())) << procedure->id();
    }
  }
}

}  // namespace
}  // namespace plumbline::suite
