// DUTs whose PFC or ECN is for other priorities than that of the data.
#include "suite/framework/unprotected_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// The data has priority 3. What pauses or marks others only says nothing about PFC or DCQCN.
TEST(Priorities, TestsNeedTheirMechanismInThePriorityOfTheData) {
  const auto refusals = [](const Procedure& test, const scenario::Scenario& scenario) {
    SimRunner runner;
    return test.plan({scenario, runner.bench.capabilities()}).refusals;
  };
  scenario::Scenario paused = smallFabric();
  paused.switches.pfc->priorities = 1 << 2;
  for (const Procedure* test : {&pfcIncastProcedure(), &cbfcPfcProcedure()}) {
    EXPECT_THAT(refusals(*test, paused),
                ElementsAre(HasSubstr("the data has priority 3, which PFC of the DUT does not")));
  }
  transport::RoceSpec roce;
  roce.data_priority = 2;
  paused.transport = roce;
  EXPECT_THAT(refusals(pfcIncastProcedure(), paused), IsEmpty());

  scenario::Scenario marked = smallFabric();
  marked.switches.ecn.front().priorities = 1;
  EXPECT_THAT(refusals(dcqcnConvergenceProcedure(), marked),
              ElementsAre(HasSubstr("mark no packets of the data's priority 3")));
  marked.switches.ecn.clear();
  EXPECT_THAT(refusals(dcqcnConvergenceProcedure(), marked), SizeIs(1));
}

// T6.4 compares NSCC with DCQCN: that of the label, and a deviation where no switch marks for it.
TEST(Priorities, AComparisonWithDcqcnSaysWhereItNeverActs) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.incast_ratios = {{2}};
  scenario.parameters.duration = microseconds(50);
  scenario.parameters.repetitions = 1;
  const std::string text =
      "DCQCN never acts: the switches mark no packets of the data's priority 3";
  EXPECT_THAT(deviations(runTest(uetCongestionProcedure(), scenario)), Not(HasSubstr(text)));
  scenario.switches.ecn.front().priorities = 1;
  EXPECT_THAT(deviations(runTest(uetCongestionProcedure(), scenario)), HasSubstr(text));

  transport::RoceSpec without;
  without.dcqcn.enabled = false;
  scenario.transport = without;
  SimRunner runner;
  const Plan plan = uetCongestionProcedure().plan({scenario, runner.bench.capabilities()});
  for (const PlannedTrial& trial : plan.samples) {
    const auto* roce = std::get_if<transport::RoceSpec>(&*trial.spec.transport);
    EXPECT_TRUE(roce == nullptr || roce->dcqcn.enabled);
  }
}

// The priorities of switches and data differ: an anomaly of any test.
TEST(Priorities, DataThatNothingPausesOrMarksIsAnAnomaly) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{4}};
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  scenario.parameters.repetitions = 1;
  const std::string text = "the data has priority 3, which is in no dut.switch.pfc.priorities";
  EXPECT_THAT(anomalies(runTest(allReduceProcedure(), scenario)), Not(HasSubstr(text)));
  scenario.switches.pfc->priorities = 1 << 2;
  EXPECT_THAT(anomalies(runTest(allReduceProcedure(), scenario)), Not(HasSubstr(text)));  // marked
  scenario.switches.ecn.front().priorities = 1;
  EXPECT_THAT(anomalies(runTest(allReduceProcedure(), scenario)), HasSubstr(text));
  scenario.switches.ecn.clear();
  scenario.switches.pfc.reset();
  EXPECT_THAT(anomalies(runTest(allReduceProcedure(), scenario)),
              Not(HasSubstr(text)));  // a choice
}

}  // namespace
}  // namespace plumbline::suite
