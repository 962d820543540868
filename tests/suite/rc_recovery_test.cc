// One rule for RC's recovery on switches that spray, the same in every test.
#include "suite/framework/rc_recovery.h"

#include <gtest/gtest.h>

#include <variant>

#include "suite/procedure.h"
#include "suite/training/training.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using Kind = fabric::LoadBalancingKind;

bench::TrialSpec trialWith(Kind kind, const transport::RoceSpec& roce,
                           fabric::TopologyKind topology = fabric::TopologyKind::kClos2) {
  bench::TrialSpec spec;
  spec.dut.topology.kind = topology;
  spec.dut.switches.load_balancing.kind = kind;
  spec.transport = roce;
  chooseRecovery(spec);
  return spec;
}

const transport::RoceSpec& roceOf(const bench::TrialSpec& spec) {
  return std::get<transport::RoceSpec>(*spec.transport);
}

TEST(RcRecovery, KeepsEarlyPacketsWhereSwitchesSpray) {
  for (const Kind kind : {Kind::kSprayRandom, Kind::kSprayRoundRobin, Kind::kSprayLeastQueue}) {
    const transport::RoceSpec roce = roceOf(trialWith(kind, {}));
    EXPECT_EQ(roce.recovery, transport::RoceRecovery::kSelectiveRepeat);
    EXPECT_EQ(roce.reorder_tolerance, 512U);
    EXPECT_EQ(recoveryText(roce), "selective repeat, reorder tolerance 512 packets");
  }
}

// Nothing overtakes on the one path of a switch.
TEST(RcRecovery, IsTheScenariosOnOnePath) {
  const auto spec = trialWith(Kind::kSprayRandom, {}, fabric::TopologyKind::kSingleSwitch);
  EXPECT_EQ(roceOf(spec).recovery, transport::RoceRecovery::kGoBackN);
}

TEST(RcRecovery, IsTheScenariosElsewhere) {
  for (const Kind kind : {Kind::kEcmp, Kind::kEcmpQp, Kind::kFlowlet, Kind::kWeighted}) {
    const transport::RoceSpec roce = roceOf(trialWith(kind, {}));
    EXPECT_EQ(roce.recovery, transport::RoceRecovery::kGoBackN);
    EXPECT_EQ(recoveryText(roce), "go-back-N");
  }
}

TEST(RcRecovery, ASelectiveRepeatOfTheScenarioKeepsItsTolerance) {
  transport::RoceSpec own;
  own.recovery = transport::RoceRecovery::kSelectiveRepeat;
  own.reorder_tolerance = 64;
  EXPECT_EQ(roceOf(trialWith(Kind::kSprayRoundRobin, own)).reorder_tolerance, 64U);
}

// Every trial that any test on simulated hosts plans on a DUT that sprays.
TEST(RcRecovery, IsTheSameInEveryTest) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.load_balancing.kind = Kind::kSprayRoundRobin;
  std::size_t sprayed = 0;
  for (const Procedure* procedure : procedures()) {
    if (!procedure->onHosts() || procedure->runsWorkload()) continue;
    SimRunner runner;
    for (const PlannedTrial& trial :
         procedure->plan({scenario, runner.bench.capabilities()}).samples) {
      const auto* roce =
          trial.spec.transport ? std::get_if<transport::RoceSpec>(&*trial.spec.transport) : nullptr;
      if (roce == nullptr || roce->service != transport::RoceService::kRc) continue;
      const bool spray = trial.spec.dut.switches.load_balancing.kind == Kind::kSprayRoundRobin;
      // T8.3 shows the cost of reordering with go-back-N, labelled so.
      const bool goes_back = trial.label.find("go-back-N") != std::string::npos;
      EXPECT_EQ(roce->recovery == transport::RoceRecovery::kSelectiveRepeat, spray && !goes_back)
          << procedure->id() << " " << trial.label;
      if (spray) ++sprayed;
    }
  }
  EXPECT_GT(sprayed, 20U);
}

// Tests whose draft names no balancing use the scenario's.
TEST(ScenarioBalancing, IsHonoured) {
  scenario::Scenario scenario = smallFabric();
  for (const Kind kind : {Kind::kSprayRandom, Kind::kFlowlet, Kind::kWeighted, Kind::kEcmpQp}) {
    scenario.switches.load_balancing.kind = kind;
    for (const Procedure* procedure :
         {&multiTenantProcedure(), &scaleProcedure(), &soakProcedure(), &leakProcedure()}) {
      SimRunner runner;
      for (const PlannedTrial& trial :
           procedure->plan({scenario, runner.bench.capabilities()}).samples) {
        EXPECT_EQ(trial.spec.dut.switches.load_balancing.kind, kind) << procedure->id();
      }
    }
  }
}

// A test that sets the balancing itself reports the scenario's different one as a deviation.
TEST(ScenarioBalancing, ThatASweepReplacesIsADeviation) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.load_balancing.kind = Kind::kWeighted;
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.ranks = {{8}};
  scenario.parameters.iterations = 1;
  const results::TestResult result = runTest(allReduceProcedure(), scenario);
  bool told = false;
  for (const results::Deviation& one : result.deviations) {
    told = told || one.what.find("the scenario's own, weighted ECMP, is not among them") !=
                       std::string::npos;
  }
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace plumbline::suite
