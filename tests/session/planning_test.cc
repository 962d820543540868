// Why tests cannot run on a bench.
#include "session/planning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

}  // namespace
}  // namespace plumbline::session
