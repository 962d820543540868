// The figures that a scenario may limit are those that the tests on simulated hosts measure. Those
// of the drafts' tests are held against their declarations by
// tests/suite/shipped_conformance_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/setup.h"
#include "kpi/kpi.h"
#include "scenario/parse.h"
#include "suite/procedure.h"
#include "tests/suite/declared_kpis.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::cli {
namespace {

using scenario::LimitSense;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

constexpr const char* kSmall = R"(plumbline: 1
name: small
test: {}
dut:
  topology: {{kind: clos2, leaves: 4, spines: 4, hosts_per_leaf: 4, link: 400G}}
  switch:
    ecn: {{priorities: [0, 3], kmin: 200KB, kmax: 800KB, pmax: 20%}}
    pfc: {{priorities: 3, xoff: 200KB, headroom: 120KB}}
    shared_buffer: {{total: 64MB}}
    trim: {{threshold: 800KB, priority: 5, limit: 200KB}}
{})";

scenario::ParseResult parsed(const std::string& test, const std::string& more) {
  return scenario::parseScenario(fmt::format(fmt::runtime(kSmall), test, more), "s", vocabulary());
}

std::string complaint(const std::string& test, const std::string& kpi) {
  const auto result = parsed(test, fmt::format("limits: {{{}: 1}}\n", kpi));
  return result.ok() ? std::string() : result.problems.front().text("s");
}

LimitSense senseOf(const std::string& test, const std::string& kpi) {
  return parsed(test, fmt::format("limits: {{{}: 1}}\n", kpi)).scenario.limits.at(0).sense;
}

TEST(KnownLimits, SensesAreThoseOfTheFigures) {
  EXPECT_EQ(senseOf("T9.1", "busbw_gbps"), LimitSense::kAtLeast);
  EXPECT_EQ(senseOf("T9.1", "link_jfi"), LimitSense::kAtLeast);
  EXPECT_EQ(senseOf("T9.1", "link_mmr"), LimitSense::kAtMost);
  EXPECT_EQ(senseOf("T9.1", "drop_ppm"), LimitSense::kAtMost);
  EXPECT_EQ(senseOf("T8.3", "goodput_percent"), LimitSense::kAtLeast);
  EXPECT_EQ(senseOf("T10.1", "jct_ratio"), LimitSense::kAtMost);
  EXPECT_EQ(senseOf("T11.2", "jct_overhead_percent"), LimitSense::kAtMost);
  EXPECT_EQ(senseOf("T6.4", "convergence_us"), LimitSense::kAtMost);
}

TEST(KnownLimits, AreOnlyForTestsThatMeasureThem) {
  EXPECT_EQ(complaint("T9.1", "busbw_gbps"), "");
  EXPECT_THAT(complaint("T9.1", "jct_ratio"),
              HasSubstr("no test of this scenario measures jct_ratio"));
  EXPECT_THAT(complaint("T9.1", "busbw"), HasSubstr("unknown key \"busbw\""));
}

TEST(KnownLimits, HaveTheRangeOfTheirUnit) {
  const auto problem = [](const std::string& limit) {
    const auto result = parsed("T9.1", "limits: {" + limit + "}\n");
    return result.ok() ? std::string() : result.problems.front().text("s");
  };
  EXPECT_EQ(problem("link_jfi: 0.999"), "");
  EXPECT_THAT(problem("link_jfi: 1.5"), HasSubstr("out of range (0 to 1)"));
  EXPECT_THAT(problem("efficiency_percent: 101"), HasSubstr("out of range (0 to 100"));
  EXPECT_THAT(problem("drop_ppm: -1"), HasSubstr("s:"));
}

TEST(KnownLimits, NoTestDeclaresAFigureThatThereIsNot) {
  std::set<std::string> names;
  for (const suite::Procedure* procedure : suite::procedures()) {
    EXPECT_FALSE(procedure->kpis().empty()) << procedure->id();
    for (const std::string& name : procedure->kpis()) {
      EXPECT_NE(kpi::find(name), nullptr) << procedure->id() << " " << name;
      names.insert(name);
    }
  }
  for (const kpi::Declaration& one : kpi::declarations()) {
    EXPECT_TRUE(names.contains(one.name)) << "no test measures " << one.name;
  }
}

// `free` runs the scenario's own workload: collectives have figures that messages have not.
TEST(KnownLimits, AreAllTheFiguresOfAWorkload) {
  scenario::Scenario scenario = suite::smallFabric();
  workload::JobSpec collective;
  collective.name = "collective";
  collective.placement.ranks = 4;
  workload::TrainingProgram program;
  program.collectives.emplace_back();
  collective.program = program;
  workload::JobSpec messages;
  messages.name = "messages";
  messages.placement.ranks = 4;
  workload::MessageProgram pairs;
  pairs.messages = 1;
  messages.program = pairs;
  scenario.workload.emplace().jobs = {collective, messages};
  suite::SimRunner runner;
  const suite::Procedure& test = suite::procedure(std::string(scenario::kFreeProcedure));
  const results::TestResult result = test.run({scenario, runner.bench.capabilities()}, runner);
  suite::expectDeclaredKpis(test, result);
  EXPECT_THAT(result.kpis, Contains(Field(&results::Kpi::name, "busbw_gbps")));
}

}  // namespace
}  // namespace plumbline::cli
