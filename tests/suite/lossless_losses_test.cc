// Losses where PFC promises none: on `free` and on the tests of simulated hosts.
#include "suite/framework/lossless_losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/free/free_procedure.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kHeadroomFull = static_cast<std::size_t>(fabric::DropReason::kHeadroomFull);

// Eight hosts send to h0: six on its own switch, two over the cable between the switches. So little
// of the queue towards h0 is of that cable that it is hardly drained before its PAUSE takes effect.
scenario::Scenario incastOver(Picoseconds delay) {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kGraph;
  fabric::GraphSpec& graph = scenario.topology.graph;
  graph.switches = {"s3", "s4"};
  const BitRate rate = gigabitsPerSecond(100);
  for (const std::string host : {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"}) {
    graph.hosts.push_back(host);
    const bool far = host == "h1" || host == "h2";
    graph.cables.push_back({host, far ? "s3" : "s4", rate, nanoseconds(50)});
  }
  graph.cables.push_back({"s3", "s4", rate, delay});
  scenario.switches.pfc.emplace();
  scenario.transport.emplace(transport::RoceSpec());
  workload::JobSpec job;
  job.name = "incast";
  job.placement.ranks = 9;
  workload::MessageProgram messages;
  messages.pattern = workload::Pattern::kIncast;
  messages.bytes = 2 << 20;
  messages.messages = 1;
  job.program = messages;
  scenario.workload.emplace().jobs = {job};
  return scenario;
}

// The cable of 5 us carries 141 KB behind a PAUSE (tests/scenario/warnings_test.cc), and the
// default headroom is 100 KB.
TEST(LosslessLosses, ALongCableWithTheDefaultHeadroomIsAnAnomalyOfFree) {
  const auto result = runTest(freeProcedure(), incastOver(microseconds(5)));
  EXPECT_THAT(anomalies(result),
              AllOf(HasSubstr("packets of a lossless priority dropped, PFC headroom full, on the "
                              "way into s4-h0"),
                    HasSubstr("Likely reason: the headroom of 100000 B is below the 140972 B that "
                              "s3-s4 needs"),
                    HasSubstr("@ repetition 0")));
  EXPECT_THAT(anomalies(runTest(freeProcedure(), incastOver(nanoseconds(250)))),
              Not(HasSubstr("lossless")));
}

TEST(LosslessLosses, TooSmallAHeadroomIsAnAnomaly) {
  scenario::Scenario scenario = incastOver(nanoseconds(250));
  scenario.switches.pfc->headroom = Bytes(1'000);
  EXPECT_THAT(anomalies(runTest(freeProcedure(), scenario)),
              AllOf(HasSubstr("PFC headroom full"), HasSubstr("the headroom of 1000 B is below")));

  scenario::Scenario fabric = smallFabric();
  fabric.switches.pfc->headroom = Bytes(1'000);
  fabric.parameters.repetitions = 1;
  EXPECT_THAT(anomalies(runTest(pfcIncastProcedure(), fabric)), HasSubstr("PFC headroom full"));
}

bench::TrialSpec losslessSpec() {
  bench::TrialSpec spec;
  spec.dut.switches.pfc.emplace();
  spec.transport.emplace(transport::RoceSpec());
  return spec;
}

bench::TrialResult trialWith(std::uint64_t headroom, std::uint64_t link_down,
                             std::uint64_t timeouts) {
  bench::TrialResult trial;
  bench::FabricResult& fabric = trial.fabric.emplace();
  fabric.total.drops[kHeadroomFull] = headroom;
  fabric.total.drops[static_cast<std::size_t>(fabric::DropReason::kLinkDown)] = link_down;
  fabric.endpoints.timeouts = timeouts;
  return trial;
}

std::string textOf(const bench::TrialSpec& spec, const bench::TrialResult& trial) {
  LosslessLosses losses;
  losses.add(spec, trial, "t");
  const auto anomaly = losses.anomaly();
  return anomaly ? anomaly->what : "";
}

TEST(LosslessLosses, WhatTheScenarioInjectsIsNotPfcsFault) {
  bench::TrialSpec spec = losslessSpec();
  EXPECT_EQ(textOf(spec, trialWith(0, 0, 0)), "");
  EXPECT_THAT(textOf(spec, trialWith(0, 0, 3)), HasSubstr("3 timeouts of endpoints with lossless"));
  EXPECT_EQ(textOf(spec, trialWith(0, 5, 3)), "");  // packets were lost for another reason
  std::get<transport::RoceSpec>(*spec.transport).data_priority = 4;
  EXPECT_EQ(textOf(spec, trialWith(0, 0, 3)), "");
  spec = losslessSpec();
  spec.dut.failures = {{"a-b", {}, {}}};
  EXPECT_EQ(textOf(spec, trialWith(0, 0, 3)), "");
  // A full headroom is PFC's fault, whatever other losses there are.
  EXPECT_THAT(textOf(spec, trialWith(7, 5, 3)), HasSubstr("7 packets of a lossless priority"));
}

// A headroom that is long enough is filled by a switch that does not obey.
TEST(LosslessLosses, AForwardingWatchdogIsNamedAsTheReason) {
  bench::TrialSpec spec = losslessSpec();
  spec.dut.switches.pfc->watchdog.emplace();
  bench::TrialResult trial = trialWith(7, 0, 0);
  trial.fabric->total.watchdog_events = 1;
  EXPECT_THAT(textOf(spec, trial), HasSubstr("did not stop in time"));
  spec.dut.switches.pfc->watchdog->action = fabric::WatchdogSpec::Action::kForward;
  EXPECT_THAT(textOf(spec, trial), HasSubstr("Likely reason: the PFC watchdog forwards"));
  trial.fabric->total.watchdog_events = 0;  // it did not act
  EXPECT_THAT(textOf(spec, trial), HasSubstr("did not stop in time"));
  spec.dut.switches.pfc.reset();
  EXPECT_THAT(textOf(spec, trial), HasSubstr("did not stop in time"));
}

TEST(LosslessLosses, AreOneAnomalyForAllTrials) {
  LosslessLosses losses;
  losses.add(losslessSpec(), trialWith(2, 0, 0), "64 B, repetition 0");
  losses.add(losslessSpec(), trialWith(0, 0, 0), "64 B, repetition 1");
  losses.add(losslessSpec(), trialWith(3, 0, 1), "64 B, repetition 2");
  const auto anomaly = losses.anomaly();
  ASSERT_TRUE(anomaly);
  EXPECT_THAT(anomaly->what, AllOf(HasSubstr("5 packets"), HasSubstr("1 timeout of")));
  EXPECT_EQ(anomaly->where, "2 trials, the first: 64 B, repetition 0");
}

}  // namespace
}  // namespace plumbline::suite
