// The scenarios that come with the program are right, can run, and explain themselves in comments.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "bench/card/flow_plan.h"
#include "bench/sim/sim_bench.h"
#include "fabric/spec/fabric_spec.h"
#include "scenario/parse.h"
#include "scenario/warnings.h"
#include "suite/procedure.h"
#include "tests/paths/paths.h"

namespace plumbline::suite {
namespace {

namespace fs = std::filesystem;

std::set<fs::path> shipped() {
  std::set<fs::path> files;
  const fs::path folder = fs::path(checkoutPath("scenarios"));
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
  words.kpis = measuredKpis();
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

// A step of T10.2's models: floating-point operations of an iteration, over the accelerators that
// share them and the compute phase. An H100 has 989 TFLOP/s for dense BF16, of which large matrix
// products reach about half.
TEST(ShippedScenarios, ComputePhasesOfModelsArePossible) {
  struct Model {
    const char* file;
    double flop_per_unit;  // 6 a parameter and token; ResNet-50: 3 x 2 x 4.1e9 an image
    double accelerators;
  };
  for (const Model& model :
       {Model{"t10.2-gpt3", 6 * 175e9, 8 * 16 * 16}, Model{"t10.2-bert", 6 * 340e6 * 512, 16},
        Model{"t10.2-resnet50", 3 * 2 * 4.1e9, 16}}) {
    const fs::path file =
        fs::path(checkoutPath("scenarios")) / "training" / (std::string(model.file) + ".yaml");
    const scenario::Scenario scenario = scenario::loadScenario(file, vocabulary());
    const auto& job = scenario.workload->jobs.front();
    const auto& program = std::get<workload::TrainingProgram>(job.program);
    const double units = static_cast<double>(scenario.parameters.progress->per_iteration);
    const double each =
        units * model.flop_per_unit / model.accelerators / program.compute.toSeconds();
    EXPECT_LT(each, 0.5 * 989e12) << model.file;
    EXPECT_GT(each, 0.1 * 989e12) << model.file;
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

// Every test on simulated hosts has its scenario, and both profiles of it can run; files with
// several tests are for the quick one.
TEST(ShippedScenarios, TestsOnSimulatedHostsHaveOneThatCanRun) {
  std::set<std::string> tests;
  for (const auto& file : shipped()) {
    const fs::path folder = file.parent_path().filename();
    if (folder != "training" && folder != "inference") continue;
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
        // The frames that `plan` shows.
        EXPECT_NO_THROW(bench::planFlows(plan.samples.front().spec, bench.capabilities())) << id;
      }
    }
  }
  for (const Procedure* procedure : procedures()) {
    if (procedure->onHosts() && procedure->id() != scenario::kFreeProcedure) {
      EXPECT_TRUE(tests.contains(procedure->id())) << procedure->id();
    }
  }
}

}  // namespace
}  // namespace plumbline::suite
