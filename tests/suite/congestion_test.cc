// T6.4, T6.5b, T7.2 to T7.4 on the bench of simulated hosts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "suite/framework/pause_hops.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

results::TestResult fourSenders(Picoseconds duration) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.incast_ratios = {{4}};
  scenario.parameters.duration = duration;
  scenario.parameters.repetitions = 1;
  return runTest(uetCongestionProcedure(), scenario);
}

TEST(UetCongestion, NeedsNoPfcAndLosesNothingToTheApplication) {
  const results::TestResult result = fourSenders(milliseconds(1));
  ASSERT_TRUE(result.valid);
  for (const char* control : {"UET, NSCC", "UET, receiver credit"}) {
    const std::string point = std::string("4 senders, ") + control;
    EXPECT_EQ(kpi(result, "failed_messages", point).value, 0);
    EXPECT_EQ(kpi(result, "pfc_per_s", point).value, 0);
    EXPECT_GT(kpi(result, "goodput_percent", point).value, 70);
    EXPECT_LE(kpi(result, "goodput_percent", point).value, 100);
  }
}

// Four senders with credits: the receiver gives each a quarter, at once and for good.
TEST(UetCongestion, ReceiverCreditSettles) {
  const results::TestResult result = fourSenders(milliseconds(2));
  ASSERT_TRUE(result.valid);
  EXPECT_LE(kpi(result, "convergence_us", "4 senders, UET, receiver credit").value, 100);
}

TEST(UetCongestion, RefusesADutWithTooFewHosts) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 3;
  const SimRunner runner;
  const Plan plan = uetCongestionProcedure().plan({scenario, runner.bench.capabilities()});
  EXPECT_THAT(plan.refusals, ElementsAre(HasSubstr("2 senders need 5 hosts")));
  scenario.parameters.incast_ratios = {4};
  EXPECT_THAT(uetCongestionProcedure().plan({scenario, runner.bench.capabilities()}).refusals,
              ElementsAre(HasSubstr("an incast of 4 senders needs 5 hosts")));
}

// One flow has the link to itself from the first window on, and there is nothing to settle.
TEST(UetCongestion, ASingleSenderDoesNotConverge) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.incast_ratios = {{1}};
  scenario.parameters.duration = milliseconds(1);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(uetCongestionProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const results::Table& congestion = table(result, "congestion");
  ASSERT_EQ(congestion.rows.size(), 3U);
  for (const auto& row : congestion.rows) {
    EXPECT_EQ(findKpi(result, "convergence_us", "1 senders, " + text(row[1])), nullptr);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& column = congestion.columns.at(i);
      if (column != "Convergence" && column != "Fair time") continue;
      EXPECT_EQ(text(row[i]), "not observed") << column;
    }
  }
  EXPECT_THAT(anomalies(result), HasSubstr("a single flow shares the link with no other"));
}

// The receiver's credit limits four senders: nearly all of it is used, and it differs from the
// arrived data by little more than the speculative credit (1.5 bandwidth-delay products each).
TEST(UetCongestion, TellsHowMuchReceiverCreditIsUsed) {
  const results::TestResult result = fourSenders(milliseconds(1));
  const double used =
      kpi(result, "credit_utilisation_percent", "4 senders, UET, receiver credit").value;
  EXPECT_GT(used, 90);
  EXPECT_LT(used, 110);
  EXPECT_EQ(findKpi(result, "credit_utilisation_percent", "4 senders, RoCEv2, DCQCN"), nullptr);
}

TEST(UetCongestion, FlowsThatDoNotSettleAreSaidToNeverHaveConverged) {
  const results::TestResult result = fourSenders(milliseconds(1));
  const results::Table& congestion = table(result, "congestion");
  const auto column = static_cast<std::size_t>(
      std::find(congestion.columns.begin(), congestion.columns.end(), "Convergence") -
      congestion.columns.begin());
  for (const auto& row : congestion.rows) {
    if (findKpi(result, "convergence_us", "4 senders, " + text(row[1])) == nullptr) {
      EXPECT_EQ(text(row[column]), "never converged");
    }
  }
}

// Rate windows of four senders are 100 us long, and flows must share fairly for five of them: 450
// us after the joining are too few to tell, 525 us are enough.
TEST(UetCongestion, ConvergenceIsNotObservedInLessThanFiveWindows) {
  for (const auto& [duration, enough] :
       {std::pair(microseconds(600), false), std::pair(microseconds(700), true)}) {
    const results::TestResult result = fourSenders(duration);
    ASSERT_TRUE(result.valid);
    const results::Table& congestion = table(result, "congestion");
    const auto column = static_cast<std::size_t>(
        std::find(congestion.columns.begin(), congestion.columns.end(), "Convergence") -
        congestion.columns.begin());
    for (const auto& row : congestion.rows) {
      const std::string point = "4 senders, " + text(row[1]);
      const bool observed = findKpi(result, "convergence_us", point) != nullptr ||
                            text(row[column]) == "never converged";
      EXPECT_EQ(observed, enough) << point;
    }
    if (!enough) {
      EXPECT_EQ(result.unmeasured.size(), congestion.rows.size());
    }
    EXPECT_EQ(std::any_of(result.anomalies.begin(), result.anomalies.end(),
                          [](const results::Anomaly& one) {
                            return one.what.find("5 rate windows of 100 us") != std::string::npos;
                          }),
              !enough);
  }
}

// As many senders as there are hosts beside the receiver, and the victim's two where there is one;
// more are refused with the number of hosts.
TEST(Incast, UsesAllHostsThatThereAre) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 6;
  scenario.parameters.incast_ratios = {{5}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(uetCongestionProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  const results::Kpi* goodput = findKpi(result, "goodput_percent", "5 senders, UET, NSCC");
  ASSERT_NE(goodput, nullptr);
  EXPECT_GT(goodput->quantity.value, 50);

  const SimRunner runner;
  const Plan plan = pfcIncastProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_EQ(plan.refusals[0],
            "an incast of 5 senders needs 8 hosts, with a receiver and the two hosts of the "
            "victim, and there are 6");
}

TEST(Trimming, BeatsFullDrops) {
  const results::TestResult result = runTest(trimmingProcedure(), smallFabric());
  ASSERT_TRUE(result.valid);
  EXPECT_GT(kpi(result, "trimmed_packets", "trimmed").value, 0);
  EXPECT_EQ(kpi(result, "dropped_packets", "trimmed").value, 0);
  EXPECT_EQ(kpi(result, "trimmed_packets", "dropped").value, 0);
  EXPECT_GT(kpi(result, "dropped_packets", "dropped").value, 0);
  EXPECT_GT(kpi(result, "completion_us", "dropped").value,
            2 * kpi(result, "completion_us", "trimmed").value);
}

// The receiver's leaf trims the packet, sends it before data, and the receiver answers at once:
// after at most one frame of 4198 B, over the link of 50 ns, and the NACK back over links of 600 ns
// and three switches of 600 ns.
TEST(Trimming, FirstRequestFollowsTheOnsetByHalfARoundTrip) {
  const results::TestResult result = runTest(trimmingProcedure(), smallFabric());
  ASSERT_TRUE(result.valid);
  const double request = kpi(result, "first_request_us", "trimmed").value;
  EXPECT_GE(request, 0.050 + 2.400);
  EXPECT_LE(request, 0.050 + 2.400 + 0.0844 * 6);
  EXPECT_GE(kpi(result, "first_retransmission_us", "trimmed").value, request);
  // No NACK follows a packet that was dropped whole.
  EXPECT_EQ(findKpi(result, "first_request_us", "dropped"), nullptr);
  EXPECT_GT(kpi(result, "first_retransmission_us", "dropped").value, request);
  EXPECT_NE(findKpi(result, "bandwidth_saved_percent", "trimmed"), nullptr);
  EXPECT_GT(kpi(result, "time_saved_percent", "trimmed").value, 50);
  EXPECT_EQ(findKpi(result, "bandwidth_saved_percent", "dropped"), nullptr);
}

// Whether a limit on the KPI at this point would be "not measured".
bool isNotMeasured(const results::TestResult& result, const std::string& name,
                   const std::string& point) {
  return std::any_of(result.unmeasured.begin(), result.unmeasured.end(),
                     [&](const auto& one) { return one.name == name && one.point == point; });
}

void expectNoSavings(const results::TestResult& result, const std::string& reason) {
  ASSERT_TRUE(result.valid);
  for (const char* name : {"bandwidth_saved_percent", "time_saved_percent"}) {
    EXPECT_EQ(findKpi(result, name, "trimmed"), nullptr) << name;
    EXPECT_TRUE(isNotMeasured(result, name, "trimmed")) << name;
  }
  EXPECT_NE(anomalies(result).find(reason), std::string::npos) << anomalies(result);
}

// Two messages of 64 KiB do not reach a threshold of 800 KB.
TEST(Trimming, SavesNothingThatIsKnownWithoutAnOverflow) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  const results::TestResult result = runTest(trimmingProcedure(), scenario);
  EXPECT_EQ(kpi(result, "trimmed_packets", "trimmed").value, 0);
  expectNoSavings(result, "no packet was trimmed in 2 of 2 repetitions");
  EXPECT_THAT(result.summary, HasSubstr(": no packet was trimmed or dropped."));
}

// Two windows of eight bandwidth-delay products are 16 * 50 KB/us * 5.5 us = 4.4 MB: above a
// threshold of 100 KB, but below it and the limit together, which is the room without trimming.
TEST(Trimming, SavesNothingThatIsKnownWithoutADrop) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.trim->threshold = Bytes(100'000);
  scenario.switches.trim->limit = Bytes(6'000'000);
  const results::TestResult result = runTest(trimmingProcedure(), scenario);
  EXPECT_GT(kpi(result, "trimmed_packets", "trimmed").value, 0);
  EXPECT_EQ(kpi(result, "dropped_packets", "dropped").value, 0);
  expectNoSavings(result, "no packet was dropped in 2 of 2 repetitions");
  EXPECT_THAT(result.summary, Not(HasSubstr("no packet was trimmed or dropped")));
}

// Switches that trim, and packets that must not be trimmed.
TEST(Trimming, NeedsATransportWhosePacketsAreTrimmed) {
  scenario::Scenario scenario = smallFabric();
  transport::UetSpec uet;
  uet.trimming = false;
  scenario.transport = uet;
  SimRunner runner;
  EXPECT_THAT(trimmingProcedure().plan({scenario, runner.bench.capabilities()}).refusals,
              ElementsAre(HasSubstr("transport.trimming")));
}

TEST(Trimming, WithoutTrimmingInTheDutThereIsNothingToMeasure) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.trim.reset();
  SimRunner runner;
  const Plan plan = trimmingProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_NE(plan.refusals[0].find("dut.switch.trim"), std::string::npos);
}

TEST(PauseHops, CountLinksToTheHost) {
  const fabric::Topology topology = fabric::buildTopology(smallFabric().topology);
  bench::FabricResult result;
  const auto pause = [&result](const char* name) {
    bench::LinkLoad& link = result.links.emplace_back();
    link.name = name;
    link.pauses = 1;
  };
  EXPECT_EQ(pauseHops(topology, result, 0), 0U);
  pause("spine1-leaf0");
  EXPECT_EQ(pauseHops(topology, result, 0), 1U);
  pause("leaf2-spine1");
  EXPECT_EQ(pauseHops(topology, result, 0), 2U);
  pause("leaf2-host9");  // by a storm of the host: none that spread
  EXPECT_EQ(pauseHops(topology, result, 0), 2U);
  pause("host9-leaf2");
  EXPECT_EQ(pauseHops(topology, result, 0), 3U);
  pause("leaf9-spine1");
  EXPECT_EQ(pauseHops(topology, result, 0), std::nullopt);
}

TEST(PfcIncast, IsLosslessAndSpreadsWithMoreSenders) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.incast_ratios = {{2, 12}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(pfcIncastProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "drop_ppm", "2 senders").value, 0);
  EXPECT_EQ(kpi(result, "drop_ppm", "12 senders").value, 0);
  EXPECT_GT(kpi(result, "paused_hosts_us", "12 senders").value,
            kpi(result, "paused_hosts_us", "2 senders").value);
  EXPECT_GT(kpi(result, "victim_us", "12 senders").value,
            kpi(result, "victim_us", "2 senders").value);
  // Pauses by hop and by port are the same pauses.
  double hosts = 0;
  for (const auto& row : table(result, "pauses_by_hop").rows) {
    if (text(row[0]) == "12" && text(row[1]) == "host > leaf") hosts += quantity(row[3]).value;
  }
  double ports = 0;
  double paused = 0;
  for (const auto& row : table(result, "pauses_by_port").rows) {
    if (text(row[0]) != "12" || !text(row[1]).starts_with("host")) continue;
    ports += quantity(row[2]).value;
    paused += quantity(row[3]).value;
  }
  EXPECT_GT(ports, 0);
  EXPECT_NEAR(hosts, ports, 1e-6 * ports);
  EXPECT_NEAR(paused, kpi(result, "paused_hosts_us", "12 senders").value, 1e-6 * paused);
  const auto& words = table(result, "verdicts").rows.at(1);
  EXPECT_TRUE(text(words[1]).starts_with("sufficient"));
  EXPECT_TRUE(text(words[2]).starts_with("not tested"));
}

// Cables beside each other are one hop, in a fabric of any kind.
TEST(PfcIncast, ParallelCablesAreOneHop) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.uplinks = 2;
  scenario.parameters.incast_ratios = {{12}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(pfcIncastProcedure(), scenario);
  std::vector<std::string> hops;
  for (const auto& row : table(result, "pauses_by_hop").rows) hops.push_back(text(row[1]));
  EXPECT_THAT(hops, testing::UnorderedElementsAre("host > leaf", "leaf > spine", "spine > leaf"));
}

// Pauses of 100 quanta, 0.13 us at 400 Gb/s, are refreshed many times: every PAUSE frame takes
// effect at one port, which belongs to one hop.
TEST(PfcIncast, PauseFramesOfHopsAndPortsAddUp) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.pfc->quanta = 100;
  scenario.parameters.incast_ratios = {{12}};
  scenario.parameters.repetitions = 2;
  const results::TestResult result = runTest(pfcIncastProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double all = kpi(result, "pfc_per_s", "12 senders").value;
  double hops = 0;
  for (const auto& row : table(result, "pauses_by_hop").rows) hops += quantity(row[3]).value;
  double ports = 0;
  for (const auto& row : table(result, "pauses_by_port").rows) ports += quantity(row[2]).value;
  EXPECT_GT(all, 0);
  EXPECT_NEAR(hops, all, 1e-6 * all);
  EXPECT_NEAR(ports, all, 1e-6 * all);
}

// 1,000 B above xoff hold no frame of 4 KB.
TEST(PfcIncast, SaysThatTheHeadroomIsTooSmall) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.pfc->headroom = Bytes(1'000);
  scenario.parameters.incast_ratios = {{12}};
  scenario.parameters.repetitions = 1;
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  const results::TestResult result = runTest(pfcIncastProcedure(), scenario);
  EXPECT_TRUE(text(table(result, "verdicts").rows.at(0)[1]).starts_with("too small"));
  // No watchdog, no interventions: not 0 of them.
  EXPECT_EQ(findKpi(result, "watchdog_events", "12 senders"), nullptr);
}

// A storm of the receiver of the victim's message pauses the switch's port towards it: no port of a
// host.
TEST(PfcIncast, APortTowardsAHostIsNoneOfAHost) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.incast_ratios = {{1}};
  scenario.parameters.repetitions = 1;
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  for (std::uint32_t host = 0; host < 16; ++host) {
    scenario.storms.push_back(
        {.host = host, .priorities = 0x08, .start = Picoseconds(0), .duration = nanoseconds(100)});
  }
  const results::TestResult result = runTest(pfcIncastProcedure(), scenario);
  EXPECT_GT(kpi(result, "pfc_per_s", "1 senders").value, 0);
  EXPECT_EQ(kpi(result, "paused_hosts_us", "1 senders").value, 0);
}

// Figures are means of the repetitions, the verdicts' numbers sums.
TEST(PfcIncast, SaysOverWhatItsNumbersAdd) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.pfc->headroom = Bytes(1'000);
  scenario.switches.pfc->watchdog.emplace() = {microseconds(1), microseconds(2), microseconds(10)};
  scenario.parameters.incast_ratios = {{12}};
  scenario.parameters.repetitions = 2;
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  const results::TestResult result = runTest(pfcIncastProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const auto& verdict = table(result, "verdicts").rows.at(0);
  const double mean = kpi(result, "watchdog_events", "12 senders").value;
  EXPECT_GT(mean, 0);
  EXPECT_THAT(text(verdict[1]), testing::EndsWith("frames lost (sum of 2 repetitions)"));
  EXPECT_EQ(text(verdict[2]), fmt::format("acted {:.0f} times (sum of 2 repetitions), on pauses of "
                                          "plain incast",
                                          2 * mean));
  EXPECT_THAT(table(result, "pfc").note, HasSubstr("Every figure is the mean per repetition."));
}

// A rate window has 40 full frames of each of 32 flows: 83.96 ns each at 400 Gb/s, 107.4688 us.
TEST(DcqcnConvergence, SaysTheTimeThatIsTooShortInRoundNumbers) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{16}};
  scenario.parameters.duration = microseconds(600);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(dcqcnConvergenceProcedure(), scenario);
  EXPECT_THAT(anomalies(result), HasSubstr("senders stop 450 us after the joining, and flows must "
                                           "share fairly for 5 rate windows of 107.5 us"));
}

TEST(DcqcnConvergence, ReportsEveryParameterSet) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{2}};
  scenario.parameters.duration = milliseconds(2);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(dcqcnConvergenceProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* set : {"paper", "NVIDIA", "HPCC"}) {
    const std::string point = std::string("2 flows, ") + set;
    EXPECT_GT(kpi(result, "goodput_percent", point).value, 50) << set;
    EXPECT_LE(kpi(result, "goodput_percent", point).value, 100) << set;
    // None of them can within 2 ms (docs/model/roce.md), even though rates cross on the way.
    EXPECT_EQ(findKpi(result, "convergence_us", point), nullptr) << set;
  }
  // 10 % of 100 Gb/s by steps of 40 Mb/s, one in 55 us: longer than the 1.5 ms that are observed.
  EXPECT_THAT(
      anomalies(result),
      HasSubstr("no point settled in the 1.5 ms after the joining. That is too short for the "
                "additive increase: 10 % of 100 Gb/s, the fair share of 4 flows, are 250 "
                "additive increases of the paper's set, 13.8 ms by its timer"));
  // One parameter at a time, beside the paper's set.
  EXPECT_EQ(table(result, "sensitivity").rows.size(), 7U);
  // Rates over time for every set; nothing over flows where no point converged.
  ASSERT_GE(result.charts.size(), 3U);
  for (const results::Chart& chart : result.charts) {
    ASSERT_FALSE(chart.series.empty()) << chart.id;
    EXPECT_FALSE(chart.series[0].x.empty()) << chart.id;
  }
  const results::Chart& rates = result.charts[0];
  EXPECT_EQ(rates.kind, results::ChartKind::kTime);
  ASSERT_EQ(rates.series.size(), 3U);
  for (std::size_t i = 0; i < rates.series[0].y.size(); ++i) {
    EXPECT_LE(rates.series[0].y[i], rates.series[1].y[i]);  // slowest, mean, fastest
    EXPECT_LE(rates.series[1].y[i], rates.series[2].y[i]);
    EXPECT_LE(rates.series[2].y[i], 400);
  }
}

// 10 % of 12.5 Gb/s are 31.25 steps of 40 Mb/s, 1.72 ms: less than the 3 ms that are observed, so
// that the time is no reason.
TEST(DcqcnConvergence, ATimeThatSufficesIsNoReason) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.parameters.flows = {{4}};
  scenario.parameters.duration = milliseconds(4);
  scenario.parameters.repetitions = 1;
  SimRunner runner(gigabitsPerSecond(100));
  const results::TestResult result =
      dcqcnConvergenceProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_THAT(anomalies(result),
              HasSubstr("no point settled in the 3 ms after the joining. The additive increase "
                        "alone is not the reason: 10 % of 12.5 Gb/s"));
  EXPECT_THAT(anomalies(result), HasSubstr("1.72 ms by its timer"));
  EXPECT_THAT(anomalies(result), Not(HasSubstr("never acted")));
}

// PFC holds senders back at 100 kB of an input, so queues are far below the 4 MB of the marks.
TEST(DcqcnConvergence, SaysThatNothingWasMarked) {
  scenario::Scenario scenario = smallFabric();
  for (fabric::EcnSpec& rule : scenario.switches.ecn) {
    rule.kmin = Bytes(4'000'000);
    rule.kmax = Bytes(8'000'000);
  }
  scenario.switches.pfc->xoff = Bytes(100'000);
  scenario.parameters.flows = {{2}};
  scenario.parameters.duration = milliseconds(1);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(dcqcnConvergenceProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "ecn_percent", "2 flows, paper").value, 0);
  EXPECT_THAT(anomalies(result),
              HasSubstr("DCQCN never acted, and its parameters had no influence"));
  EXPECT_THAT(anomalies(result), HasSubstr("switches mark from 4000 kB on"));
  EXPECT_THAT(anomalies(result), Not(HasSubstr("additive increase")));
}

// At 400 Gb/s a sample is 20 us: of a shorter trial there is none, of a longer one no rate window.
TEST(DcqcnConvergence, ShortTrialsDoNotObserveIt) {
  for (const Picoseconds duration : {microseconds(1), microseconds(3), microseconds(25)}) {
    scenario::Scenario scenario = smallFabric();
    scenario.parameters.flows = {{2}};
    scenario.parameters.duration = duration;
    scenario.parameters.drain = Picoseconds(0);
    scenario.parameters.repetitions = 1;
    const results::TestResult result = runTest(dcqcnConvergenceProcedure(), scenario);
    ASSERT_TRUE(result.valid);
    for (const char* set : {"paper", "NVIDIA", "HPCC"}) {
      const std::string point = std::string("2 flows, ") + set;
      EXPECT_TRUE(isUnmeasured(result, "convergence_us", point)) << duration.count();
      EXPECT_EQ(findKpi(result, "goodput_percent", point) == nullptr, duration < microseconds(20))
          << duration.count();
    }
    EXPECT_THAT(anomalies(result), HasSubstr("convergence not observed: senders stop"));
    EXPECT_THAT(anomalies(result), Not(HasSubstr("no point settled")));
    EXPECT_THAT(result.summary, HasSubstr("Convergence was not observed at any point"));
  }
}

void checkDeadlock(const results::TestResult& result) {
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "deadlock", "no trigger").value, 0);
  EXPECT_EQ(kpi(result, "watchdog_drops", "no trigger").value, 0);
  EXPECT_EQ(kpi(result, "deadlock", "trigger, no watchdog").value, 1);
  EXPECT_EQ(findKpi(result, "recovery_us", "trigger, no watchdog"), nullptr);
  EXPECT_TRUE(isUnmeasured(result, "recovery_us", "trigger, no watchdog"));  // no limit is met
  EXPECT_FALSE(isUnmeasured(result, "recovery_us", "no trigger"));  // nothing to recover from
  EXPECT_EQ(kpi(result, "deadlock", "trigger, watchdog drops").value, 0);
  EXPECT_GT(kpi(result, "watchdog_drops", "trigger, watchdog drops").value, 0);
}

TEST(PfcDeadlock, ComesWithTheTriggerAndGoesWithTheWatchdog) {
  for (const std::uint64_t seed : {1, 2, 3}) {  // other paths, in every repetition as well
    SCOPED_TRACE(seed);
    scenario::Scenario scenario = smallFabric();
    scenario.seed = seed;
    scenario.parameters.repetitions = 2;
    checkDeadlock(runTest(pfcDeadlockProcedure(), scenario));
  }
}

// Paths, and with them the host of the trigger, change from repetition to repetition. A storm of
// the scenario's own stays where it is.
TEST(PfcDeadlock, OnlyTheTriggerMovesWithThePaths) {
  class SpecKeeper final : public TrialRunner {
   public:
    bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                           const std::string& label) override {
      specs.push_back(spec);
      return runner.run(spec, repetition, label);
    }
    SimRunner runner;
    std::vector<bench::TrialSpec> specs;
  };
  scenario::Scenario scenario = smallFabric();
  scenario.storms.push_back(
      {.host = 5, .priorities = 0x08, .start = microseconds(700), .duration = microseconds(10)});
  scenario.parameters.repetitions = 2;
  SpecKeeper runner;
  pfcDeadlockProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  std::set<std::uint32_t> triggers;
  for (const bench::TrialSpec& spec : runner.specs) {
    ASSERT_FALSE(spec.dut.storms.empty());
    EXPECT_EQ(spec.dut.storms.front().host, 5U);
    EXPECT_EQ(spec.dut.storms.front().start, microseconds(700));
    if (spec.dut.storms.size() > 1) triggers.insert(spec.dut.storms.back().host);
  }
  EXPECT_FALSE(triggers.empty());
}

// A link of the scenario's topology is none of the test's own, which the refusal says.
TEST(PfcDeadlock, RefusesFaultsOfTheScenariosTopology) {
  scenario::Scenario scenario = smallFabric();
  scenario.bit_errors = {{"leaf0-spine1", 1e-9}};
  const SimRunner runner;
  const Plan plan = pfcDeadlockProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_THAT(plan.refusals.front(),
              testing::StartsWith("the topology is the test's own, not the scenario's: "
                                  "bit_errors[0].link"));
}

// The watchdog's time is the scenario's, or a declared one, not a share of the trial: with twice
// the duration everything takes as long as before; with a longer detection time, longer.
TEST(PfcDeadlock, TheWatchdogsTimeIsNotTheTrials) {
  scenario::Scenario scenario = smallFabric();
  scenario.seed = 1;
  scenario.parameters.repetitions = 2;
  const auto standstill = [](const results::TestResult& result) {
    return kpi(result, "zero_throughput_us", "trigger, watchdog drops").value;
  };
  std::vector<double> times;
  for (const std::int64_t ms : {4, 8}) {
    scenario.parameters.duration = milliseconds(ms);
    const results::TestResult result = runTest(pfcDeadlockProcedure(), scenario);
    EXPECT_NE(deviations(result).find("detection 200 us"), std::string::npos);
    EXPECT_GE(result.repeatability.rows.size(), 8U);
    times.push_back(standstill(result));
    // Samples are 10 us apart, and either end lies between two of them.
    EXPECT_NEAR(
        results::systematicUncertainty(kpi(result, "zero_throughput_us", "trigger, watchdog drops"))
            .value(),
        20 / std::sqrt(12.0), 1e-3);
  }
  EXPECT_NEAR(times[1], times[0], 20);  // two samples
  fabric::WatchdogSpec watchdog;
  watchdog.poll = microseconds(100);
  watchdog.detection = microseconds(400);
  watchdog.restoration = microseconds(200);
  scenario.switches.pfc->watchdog = watchdog;
  const results::TestResult slower = runTest(pfcDeadlockProcedure(), scenario);
  // Two queues of the cycle may have to be detected one after the other.
  EXPECT_GE(standstill(slower), times[0] + 200 - 100 - 20);  // a poll, two samples
  EXPECT_LE(standstill(slower), times[0] + 2 * (200 + 100) + 20);
  EXPECT_EQ(deviations(slower).find("have no PFC watchdog"), std::string::npos);
}

// A DUT whose cycle takes a trigger of (16 + 4) * 200 KB / (42 % of 12.5 KB/us) = 762 us to close.
scenario::Scenario slowCycle() {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.switches.pfc->xoff = Bytes(200'000);
  scenario.switches.pfc->xon = Bytes(190'000);
  return scenario;
}

// At 100 Gb/s four inputs of 200 KB take 4 * 200 KB / (42 % of 12.5 KB/us) = 152 us to fill, and
// the one of the trigger's leaf longer still: more than 200 us.
TEST(PfcDeadlock, TheTriggerLastsUntilTheCycleIsClosed) {
  scenario::Scenario scenario = slowCycle();
  scenario.parameters.repetitions = 2;
  checkDeadlock(runTest(pfcDeadlockProcedure(), scenario));
}

// At 10 Gb/s every flow is in the deadlock, which closes after the trigger's end only.
TEST(PfcDeadlock, ADeadlockOfEverythingIsAResult) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.link_rate = gigabitsPerSecond(10);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(pfcDeadlockProcedure(), scenario);
  checkDeadlock(result);
  EXPECT_GT(kpi(result, "zero_throughput_us", "trigger, no watchdog").value, 1'000);
}

// That DUT in 200 us: the trigger, at most from 20 to 150 us, is too short. No deadlock without it
// is seen all the same.
TEST(PfcDeadlock, ATriggerThatDoesNotCloseTheCycleShowsNothing) {
  scenario::Scenario scenario = slowCycle();
  scenario.parameters.duration = microseconds(200);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(pfcDeadlockProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "deadlock", "no trigger").value, 0);
  for (const char* point :
       {"trigger, no watchdog", "trigger, watchdog drops", "trigger, watchdog forwards"}) {
    for (const char* name : {"deadlock", "zero_throughput_us", "recovery_us"}) {
      EXPECT_EQ(findKpi(result, name, point), nullptr) << name << " at " << point;
      EXPECT_TRUE(isNotMeasured(result, name, point)) << name << " at " << point;
    }
  }
  EXPECT_NE(anomalies(result).find("the trigger did not close the cycle"), std::string::npos);
  EXPECT_NE(result.summary.find("trigger, no watchdog: not observed"), std::string::npos);
}

// Trials of 500 and 700 us cut the trigger to less. Pauses reach all four links of the cycle, but
// as a tree behind the trigger: that is no cycle that came undone.
TEST(PfcDeadlock, ATriggerThatWasCutDoesNotShowThatThereIsNone) {
  scenario::Scenario scenario = slowCycle();
  scenario.parameters.repetitions = 1;
  for (const std::int64_t us : {500, 700}) {
    scenario.parameters.duration = microseconds(us);
    const results::TestResult result = runTest(pfcDeadlockProcedure(), scenario);
    ASSERT_TRUE(result.valid);
    EXPECT_EQ(findKpi(result, "deadlock", "trigger, no watchdog"), nullptr) << us;
    EXPECT_TRUE(isNotMeasured(result, "deadlock", "trigger, no watchdog")) << us;
  }
  scenario.parameters.duration = milliseconds(3);
  const results::TestResult whole = runTest(pfcDeadlockProcedure(), scenario);
  EXPECT_EQ(kpi(whole, "deadlock", "trigger, no watchdog").value, 1);
}

// A frame takes more than 2 us from host to host.
TEST(PfcDeadlock, ATrialInWhichNothingArrivesShowsNothing) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.duration = microseconds(1);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(pfcDeadlockProcedure(), scenario);
  for (const char* point : {"no trigger", "trigger, no watchdog", "trigger, watchdog drops"}) {
    for (const char* name : {"deadlock", "zero_throughput_us", "recovery_us"}) {
      EXPECT_EQ(findKpi(result, name, point), nullptr) << name << " at " << point;
    }
  }
  EXPECT_NE(anomalies(result).find("no flow made progress"), std::string::npos);
}

// SONiC's detection time of 200 ms is not over in a trial of 4 ms: that is no deadlock in spite of
// the watchdog.
TEST(PfcDeadlock, AWatchdogThatCannotActIsNotJudged) {
  scenario::Scenario scenario = smallFabric();
  scenario.seed = 1;
  scenario.switches.pfc->watchdog.emplace();
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(pfcDeadlockProcedure(), scenario);
  EXPECT_EQ(kpi(result, "deadlock", "trigger, no watchdog").value, 1);
  EXPECT_EQ(findKpi(result, "deadlock", "trigger, watchdog drops"), nullptr);
  EXPECT_NE(anomalies(result).find("the watchdog may not have acted"), std::string::npos);
  // The watchdog looks every 1 ms and acts at 4 ms, which is the trial's last instant.
  scenario.switches.pfc->watchdog = fabric::WatchdogSpec{
      .poll = milliseconds(1), .detection = milliseconds(2), .restoration = milliseconds(2)};
  const results::TestResult late = runTest(pfcDeadlockProcedure(), scenario);
  EXPECT_EQ(findKpi(late, "deadlock", "trigger, watchdog drops"), nullptr);
  EXPECT_NE(anomalies(late).find("the watchdog may not have acted"), std::string::npos);
  // Of the test's own 6 switches, not of the scenario's Clos.
  const std::pair<std::string, std::string> topology{
      "Topology", "graph of 6 switches and 72 cables, 64 host ports"};
  EXPECT_THAT(result.configuration, testing::Contains(topology));
}

// No flow outside the cycle delivers anything after its first frame, which would count as progress.
TEST(PfcDeadlock, FlowsOffTheCycleStaySilent) {
  const bench::Capabilities bench = SimRunner().bench.capabilities();
  const scenario::Scenario scenario = smallFabric();
  std::size_t silent = 0;
  for (const PlannedTrial& trial : pfcDeadlockProcedure().plan({scenario, bench}).samples) {
    for (const bench::StreamSpec& stream : trial.spec.streams) {
      const auto* burst = std::get_if<bench::BurstLoad>(&stream.load);
      if (burst == nullptr) continue;
      EXPECT_EQ(burst->frames * burst->bursts, 1U);
      ++silent;
    }
  }
  EXPECT_GT(silent, 0U);
}

TEST(PfcDeadlock, NeedsPfc) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.pfc.reset();
  const bench::Capabilities bench = SimRunner().bench.capabilities();
  EXPECT_EQ(pfcDeadlockProcedure().plan({scenario, bench}).refusals.size(), 1U);
}

// The flows of a point's name are those that run, on any number of hosts.
TEST(DcqcnConvergence, FlowsAreThoseOfTheName) {
  for (const std::uint32_t hosts : {4U, 6U, 9U, 26U, 33U, 63U, 64U}) {
    scenario::Scenario scenario = smallFabric();
    scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
    scenario.topology.hosts = hosts;
    scenario.parameters.flows = {{4, 5, 16, 64, 77}};
    SimRunner runner;
    const Plan plan = dcqcnConvergenceProcedure().plan({scenario, runner.bench.capabilities()});
    EXPECT_THAT(plan.refusals, IsEmpty()) << hosts << " hosts";
    for (const PlannedTrial& trial : plan.samples) {
      const auto& jobs = trial.spec.workload->jobs;
      ASSERT_EQ(jobs.size(), 2U);
      for (const workload::JobSpec& job : jobs) {
        const std::size_t senders = job.placement.hosts.size() - 1;  // the first one receives
        EXPECT_EQ(senders * job.flows, std::stoul(trial.label))
            << trial.label << ", " << hosts << " hosts";
      }
    }
  }
}

// At 400 Gb/s the paper's, NVIDIA's and HPCC's set sent as much as line rate does in 2.0 s on
// average with 64 flows, and in 2.9 s with 256, until goodput was known. Planned within 1.5.
TEST(DcqcnConvergence, ManyFlowsAreExpectedToTakeLonger) {
  scenario::Scenario scenario = smallFabric();
  scenario.profile = scenario::Profile::kStandard;
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 64;
  SimRunner runner;
  const auto hops = [&](std::uint32_t flows) {
    scenario.parameters.flows = {{flows}};
    return dcqcnConvergenceProcedure()
        .plan({scenario, runner.bench.capabilities()})
        .samples.front()
        .packet_hops;
  };
  const double one_second = hops(4);
  for (const auto& [flows, seconds] : {std::pair{64U, 2.0}, {256U, 2.9}}) {
    EXPECT_GT(hops(flows) / one_second, seconds / 1.5) << flows;
    EXPECT_LT(hops(flows) / one_second, seconds * 1.5) << flows;
  }
}

TEST(DcqcnConvergence, TooFewHostsAreRefused) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  for (const std::uint32_t hosts : {2U, 3U}) {
    scenario.topology.hosts = hosts;
    SimRunner runner;
    EXPECT_THAT(dcqcnConvergenceProcedure().plan({scenario, runner.bench.capabilities()}).refusals,
                testing::ElementsAre(testing::HasSubstr("four hosts are needed")));
  }
}

}  // namespace
}  // namespace plumbline::suite
