// Why tests cannot run on a bench.
#include "session/planning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "scenario/parse.h"
#include "tests/session/fake_bench.h"

namespace plumbline::session {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

std::vector<std::string> refusalsOf(std::vector<std::string> tests) {
  const FakeBench bench([](const bench::TrialSpec&) { return bench::TrialResult(); });
  scenario::Scenario scenario = loadScenario({"i13.1", {}, {}, {}});
  scenario.tests = std::move(tests);
  scenario.parameters.soak.duration = seconds(2);
  scenario.parameters.soak.interval = seconds(1);
  return tryPlanTests(scenario, bench).refusals;
}

// A user who removes a refused test is not refused again for the next one.
TEST(Refusals, AReasonIsGivenOnceWithAllTestsItConcerns) {
  EXPECT_THAT(refusalsOf({"I13.1", "I13.2", "I13.3"}),
              ElementsAre(testing::AllOf(StartsWith("I13.1: 3 windows are fewer than 4"),
                                         EndsWith(" (also I13.2, I13.3)"))));
  EXPECT_THAT(refusalsOf({"I13.2"}), ElementsAre(EndsWith("give no trend")));
}

TEST(Refusals, AReasonOfManyPointsIsGivenOnceWithTheFirst) {
  FakeBench bench([](const bench::TrialSpec&) { return bench::TrialResult(); });
  bench.refused = "the cable is green";
  scenario::Scenario scenario = loadScenario({"latency", {}, {}, {}});
  const std::vector<std::string> refusals = tryPlanTests(scenario, bench).refusals;
  EXPECT_EQ(std::count_if(refusals.begin(), refusals.end(),
                          [](const std::string& line) {
                            return line.find("the cable is green") != std::string::npos;
                          }),
            1);
  EXPECT_THAT(refusals, testing::Contains(StartsWith("T5.2, 64 B, zero load: the cable")));
}

// A user finds the tests that cannot run where the file names them.
TEST(Refusals, StandAtTheTestsOfTheFile) {
  FakeBench bench([](const bench::TrialSpec&) { return bench::TrialResult(); });
  bench.refused = "the cable is green";
  const scenario::ParseResult parsed = scenario::parseScenario(
      "plumbline: 1\nname: n\ntests: [T5.2]\ndut: {topology: {kind: switch}}\n", "s.yaml",
      vocabulary());
  ASSERT_TRUE(parsed.problems.empty());
  try {
    planTests(parsed.scenario, bench);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("s.yaml:3:8: cannot run on the bench "));
    EXPECT_THAT(error.what(), testing::HasSubstr("the cable is green"));
  }
}

}  // namespace
}  // namespace plumbline::session
