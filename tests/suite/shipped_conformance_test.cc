// Every shipped scenario of both suites in the profile `quick` meets the draft's demands: nothing
// is absent, empty, or the same at every point without a reason in the data file. All figures that
// may be limited are declared. Tests of the training suite cost the packet-hops that their plans
// say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenario/parse.h"
#include "suite/conformance/check.h"
#include "suite/procedure.h"
#include "tests/paths/paths.h"
#include "tests/suite/declared_kpis.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/packet_hops.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

namespace fs = std::filesystem;

// A scenario in one of its tests.
struct Shipped {
  fs::path file;
  std::string test;
};

scenario::Vocabulary words() {
  scenario::Vocabulary words{{}, {"rtl", "sim"}, {}, {}};
  for (const Procedure* one : procedures()) {
    words.tests.push_back(one->id());
    if (one->onHosts()) words.on_hosts.push_back(one->id());
    if (one->runsWorkload()) words.with_workload.push_back(one->id());
  }
  words.kpis = measuredKpis();
  return words;
}

// Each test in its own file; those without one in the file of the whole suite. Tests with common
// trials share a case.
std::map<std::string, std::vector<Shipped>> casesOf(const char* suite) {
  const fs::path folder = fs::path(checkoutPath("scenarios")) / suite;
  std::map<std::string, std::vector<Shipped>> cases;
  std::set<std::string> alone;
  const auto add = [&](const std::string& name, const Shipped& one) {
    // T11.3 judges the trials of T11.2, T12.2 the samples of T12.1.
    const bool follows = one.test == "T11.3" || one.test == "T12.2";
    cases[follows ? (one.test == "T11.3" ? "t11.2" : "t12.1") : name].push_back(one);
  };
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().stem();
    const bool is_long = name.ends_with("-1024") || name == "i6.4" || name == "i12.1" ||
                         name == "i11.3";  // a minute each
    if (name == "all" || name == "inference" ||
        (is_long && std::getenv("PLUMBLINE_LONG") == nullptr)) {
      continue;
    }
    const auto scenario = scenario::loadScenario(entry.path(), words());
    for (const std::string& test : scenario.tests) {
      alone.insert(test);
      add(name, {entry.path(), test});
    }
  }
  if (!fs::exists(folder / "all.yaml")) return cases;
  for (const std::string& test : scenario::loadScenario(folder / "all.yaml", words()).tests) {
    if (!alone.contains(test)) add("all-" + test, {folder / "all.yaml", test});
  }
  return cases;
}

std::map<std::string, std::vector<Shipped>> cases() {
  auto cases = casesOf("training");
  cases.merge(casesOf("inference"));
  return cases;
}

// Keeps what it has run.
class RememberingRunner final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    const auto key = std::pair(spec.toJson(), repetition);
    auto known = known_.find(key);
    if (known == known_.end()) {
      known = known_.emplace(key, runner_.run(spec, repetition, label)).first;
    }
    if (counted_.insert(key).second && known->second.fabric) hops_ += hopsOf(known->second);
    return known->second;
  }

  // Packet-hops of the trials since the last call; each counts once, and so does a known one.
  double takeHops() {
    counted_.clear();
    return std::exchange(hops_, 0);
  }

  [[nodiscard]] const bench::Capabilities& capabilities() const {
    return runner_.bench.capabilities();
  }

 private:
  SimRunner runner_;
  std::map<std::pair<std::string, std::uint32_t>, bench::TrialResult> known_;
  std::set<std::pair<std::string, std::uint32_t>> counted_;
  double hops_ = 0;
};

class ShippedConformance : public testing::TestWithParam<std::string> {};

TEST_P(ShippedConformance, HasWhatTheDraftDemands) {
  RememberingRunner runner;
  const std::vector<Shipped> files = cases().at(GetParam());
  for (const Shipped& one : files) {
    scenario::Scenario scenario = scenario::loadScenario(one.file, words());
    scenario.profile = scenario::Profile::kQuick;
    const results::TestResult result =
        procedure(one.test).run({scenario, runner.capabilities()}, runner);
    const Conformance& data = conformance(draftOf(one.test));
    const TestDemands* demands = data.test(one.test);
    ASSERT_NE(demands, nullptr) << one.test;
    for (const auto* list : {&demands->demands, &data.general}) {
      for (const Finding& finding : check(*list, result)) {
        ADD_FAILURE() << findingText(finding, one.test) << "\n  in " << one.file.filename();
      }
    }
    EXPECT_FALSE(result.kpis.empty());
    expectDeclaredKpis(procedure(one.test), result);
    const double made = runner.takeHops();
    if (draftOf(one.test) != Draft::kTraining) continue;
    scenario.tests = {one.test};
    const double planned = procedure(one.test).plan({scenario, runner.capabilities()}).packet_hops;
    EXPECT_PRED2(within, planned / made, kWorstPlanRatio)
        << one.test << ": planned " << planned << ", made " << made;
  }
}

// The tests of the tester card, on a DUT of formulas: its results have the same tables and figures.
// The card's own tests check whether values differ from point to point.
TEST(CardConformance, HasTheSameTablesAndFigures) {
  for (const char* id : {"T5.1", "T5.2", "T5.3"}) {
    FakeDut dut;
    scenario::Scenario scenario = someScenario();
    scenario.traffic.message_sizes.reset();
    const results::TestResult result = runTest(procedure(id), scenario, dut);
    for (const Finding& finding : check(conformance(Draft::kTraining).test(id)->demands, result)) {
      if (finding.kind == Finding::Kind::kConstant) continue;
      ADD_FAILURE() << findingText(finding, id);
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, shipped] : cases()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Suites, ShippedConformance, testing::ValuesIn(names()),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name) {
                             if (c == '.' || c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace plumbline::suite
