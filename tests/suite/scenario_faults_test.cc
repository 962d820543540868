// What a scenario does to its DUT is a deviation of the test, whatever the test is.
#include "suite/framework/scenario_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/free/free_procedure.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A small AllReduce.
scenario::Scenario smallAllReduce() {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{4}};
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  scenario.parameters.repetitions = 1;
  return scenario;
}

TEST(ScenarioFaults, OfEachKindAreADeviation) {
  scenario::Scenario scenario = smallAllReduce();
  EXPECT_THAT(deviations(runTest(allReduceProcedure(), scenario)),
              AllOf(Not(HasSubstr("dut.failures")), Not(HasSubstr("dut.bit_errors")),
                    Not(HasSubstr("dut.pause_storms"))));
  scenario.failures.push_back({"leaf0-spine1", microseconds(3), microseconds(5)});
  scenario.failures.push_back({"leaf1-spine1", microseconds(4), {}});
  scenario.bit_errors.push_back({"fabric", 1e-9});
  scenario.storms.push_back({.host = 2, .start = microseconds(1), .duration = microseconds(7)});
  EXPECT_THAT(deviations(runTest(allReduceProcedure(), scenario)),
              AllOf(HasSubstr("failures of the DUT (dut.failures): leaf0-spine1 is down from 3 us "
                              "on until 5 us; leaf1-spine1 is down from 4 us on"),
                    HasSubstr("bit errors of the DUT (dut.bit_errors): 1e-09 per bit on fabric"),
                    HasSubstr("(dut.pause_storms): host 2 sends PAUSE from 1 us on for 7 us")));
}

// T6.5a sets the bit errors of its trials itself.
TEST(ScenarioFaults, ThatTheTestReplacesAreSaidToBe) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.llr.emplace();
  scenario.parameters.duration = microseconds(20);
  scenario.bit_errors.push_back({"*", 1e-5});
  EXPECT_THAT(deviations(runTest(llrProcedure(), scenario)),
              HasSubstr("not in the trials, which the test sets up itself: bit errors of the DUT "
                        "(dut.bit_errors): 1e-05 per bit on every link"));
}

TEST(ScenarioFaults, CountTheTrialsThatHaveThem) {
  scenario::Scenario scenario = smallFabric();
  scenario.failures.push_back({"spine1", microseconds(3), {}});
  ScenarioFaults faults(scenario);
  EXPECT_THAT(faults.deviations(), IsEmpty());  // no trial yet
  bench::TrialSpec spec;
  bench::TrialResult trial;
  trial.fabric.emplace().sim_end = microseconds(20);
  faults.add(spec, trial);
  spec.dut.failures = scenario.failures;
  spec.dut.failures.front().down = microseconds(1);  // of a schedule of its own
  spec.dut.failures.push_back({"spine0", microseconds(9), {}});
  faults.add(spec, trial);
  EXPECT_THAT(faults.deviations(), ElementsAre(HasSubstr("in 1 of 2 trials: failures of the DUT")));
}

// Two failures of one link, and one of another that no trial reaches.
TEST(ScenarioFaults, EachHasItsOwnTrials) {
  scenario::Scenario scenario = smallFabric();
  scenario.failures.push_back({"spine1", microseconds(3), microseconds(5)});
  scenario.failures.push_back({"spine1", microseconds(30), {}});
  scenario.failures.push_back({"spine0", microseconds(40), {}});
  ScenarioFaults faults(scenario);
  bench::TrialSpec spec;
  spec.dut.failures = scenario.failures;
  bench::TrialResult trial;
  trial.fabric.emplace().sim_end = microseconds(20);
  faults.add(spec, trial);
  EXPECT_THAT(faults.deviations(),
              ElementsAre("failures of the DUT (dut.failures): spine1 is down from 3 us on until 5 "
                          "us",
                          "not reached, the trials end before: failures of the DUT "
                          "(dut.failures): spine1 is down from 30 us on; spine0 is down from 40 us "
                          "on"));
}

// Days after a trial of milliseconds.
TEST(ScenarioFaults, AfterTheTrialsNeverBegin) {
  scenario::Scenario scenario = smallAllReduce();
  scenario.failures.push_back({"leaf0-spine1", seconds(3600), {}});
  EXPECT_THAT(deviations(runTest(allReduceProcedure(), scenario)),
              HasSubstr("not reached, the trials end before: failures of the DUT (dut.failures): "
                        "leaf0-spine1 is down from 3600 s on"));
}

// Where a scenario is the test, its faults are no deviation.
TEST(ScenarioFaults, OfAFreeTestAreItsOwn) {
  scenario::Scenario scenario = smallFabric();
  scenario.failures.push_back({"leaf0-spine1", microseconds(3), {}});
  scenario.transport.emplace(transport::RoceSpec());
  workload::JobSpec job;
  job.name = "pairs";
  job.placement.ranks = 2;
  workload::MessageProgram messages;
  messages.pattern = workload::Pattern::kIncast;
  messages.bytes = 4096;
  messages.messages = 1;
  job.program = messages;
  scenario.workload.emplace().jobs = {job};
  EXPECT_THAT(deviations(runTest(freeProcedure(), scenario)), Not(HasSubstr("dut.failures")));
}

}  // namespace
}  // namespace plumbline::suite
