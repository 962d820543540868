// The test of retries hop by hop: on simulated hosts, against closed forms and with a fabric that
// reports wrong values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>

#include "bench/sim/sim_bench.h"
#include "suite/card/card.h"
#include "suite/framework/retry_model.h"
#include "tests/suite/scripted_card.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;
using bench::TrialSpec;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A ring of four streams, a leaf for each host: no two share a link.
scenario::Scenario ringOfFour() {
  scenario::Scenario scenario;
  scenario.profile = scenario::Profile::kQuick;
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.leaves = 4;
  scenario.topology.spines = 2;
  scenario.topology.hosts_per_leaf = 1;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.topology.host_link_delay = nanoseconds(500);
  scenario.topology.fabric_link_delay = nanoseconds(400);
  scenario.switches.llr = fabric::LlrSpec{nanoseconds(50), nanoseconds(70)};
  scenario.traffic.frame_sizes = {{Bytes(512)}};
  scenario.traffic.pairs = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  scenario.parameters.card.error_ratios = {{1e-5}};
  scenario.seed = 5;
  return scenario;
}

bench::Capabilities someHosts() {
  return bench::SimBench({.line_rate = gigabitsPerSecond(100)}).capabilities();
}

// Results of simulated hosts, changed by a function of the trial.
class Changed final : public TrialRunner {
 public:
  explicit Changed(std::function<void(TrialResult&)> change) : change_(std::move(change)) {}
  TrialResult run(const TrialSpec& spec, std::uint32_t, const std::string&) override {
    TrialResult result = bench.run(spec, {});
    change_(result);
    return result;
  }
  bench::SimBench bench{{.line_rate = gigabitsPerSecond(100)}};

 private:
  std::function<void(TrialResult&)> change_;
};

results::TestResult runChanged(const scenario::Scenario& scenario,
                               const std::function<void(TrialResult&)>& change) {
  Changed runner(change);
  results::TestResult result =
      llrHopsProcedure().run({scenario, runner.bench.capabilities()}, runner);
  checkWellFormed(result);
  return result;
}

results::TestResult runRing() {
  return runChanged(ringOfFour(), [](TrialResult&) {});
}

// Complaints about retries; those about short trials and few samples are of the profile.
std::string complaints(const results::TestResult& result) {
  std::string all;
  for (const results::Anomaly& anomaly : result.anomalies) {
    if (anomaly.what.find("retr") == std::string::npos || anomaly.where == "percentiles") continue;
    all += anomaly.what + " @ " + anomaly.where + "\n";
  }
  return all;
}

double cellOf(const results::Table& table, const std::string& traffic, const std::string& hop,
              const std::string& column) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), column);
  for (const auto& row : table.rows) {
    if (text(row[1]) != traffic || text(row[2]) != hop) continue;
    return quantity(row.at(static_cast<std::size_t>(place - table.columns.begin()))).value;
  }
  throw std::runtime_error("no row of " + hop);
}

// 512 bytes take 40.96 ns; there and back, 120 ns of processing.
TEST(LlrHops, TimesOfFramesApartAreExact) {
  const results::TestResult result = runRing();
  EXPECT_TRUE(result.valid);
  EXPECT_EQ(complaints(result), "");
  std::set<std::string> hops;
  for (const auto& row : table(result, "hop_latency").rows) {
    if (text(row[1]) != "apart") continue;
    const std::string hop = text(row[2]);
    hops.insert(hop);
    if (hop.find("all ") == 0) continue;
    const bool to_host = hop.find("-host") != std::string::npos;
    const double computed = 2 * (to_host ? 500 : 400) + 120 + 40.96;
    const results::Table& times = table(result, "hop_latency");
    EXPECT_NEAR(cellOf(times, "apart", hop, "Computed, least"), computed, 1e-9) << hop;
    EXPECT_NEAR(cellOf(times, "apart", hop, "Measured, min"), computed, 1e-9) << hop;
    EXPECT_NEAR(std::remainder(cellOf(times, "apart", hop, "Max"), computed), 0, 1e-9) << hop;
  }
  // Two links between switches and one to a host for each of the streams, and all together.
  EXPECT_EQ(hops.size(), 4 * 3 + 1U);
  for (const results::Kpi& one : result.kpis) {
    EXPECT_EQ(one.quantity.observed, ObservationPoint::kModelled);
    if (one.name == "hop_retry_error_ns") {
      EXPECT_LT(one.quantity.value, 0.0005) << one.point;
    }
    if (one.name == "lost_frames" || one.name == "reordered_frames") {
      EXPECT_EQ(one.quantity.value, 0) << one.point;
    }
  }
}

TEST(LlrHops, RetriesAreThoseThatTheErrorsMake) {
  const results::TestResult result = runRing();
  const results::Table& counts = table(result, "hops");
  for (const auto& row : counts.rows) {
    const std::string traffic = text(row[1]);
    const std::string hop = text(row[2]);
    SCOPED_TRACE(testing::Message() << traffic << ", " << hop);
    const double expected =
        cellOf(counts, traffic, hop, "Frames") * (1 - std::pow(1 - 1e-5, 8 * 512));
    EXPECT_NEAR(cellOf(counts, traffic, hop, "Expected"), expected, expected * 1e-6);
    EXPECT_LT(cellOf(counts, traffic, hop, "99 % from"), expected);
    EXPECT_GT(cellOf(counts, traffic, hop, "to"), expected);
    EXPECT_LT(cellOf(counts, traffic, hop, "Deviation, std"), 4);
  }
  EXPECT_GT(cellOf(counts, "under load", "all 12 hops", "Retries"), 1000);
  EXPECT_NE(result.summary.find("12 hops of the fabric"), std::string::npos);
}

// Go-back-N between its cost at the load and on a full line, except for a frame per failure.
TEST(LlrHops, RepetitionsAreThoseOfGoBackN) {
  const results::TestResult result = runRing();
  const results::Table& shares = table(result, "hop_share");
  for (const auto& row : shares.rows) {
    if (text(row[1]) != "under load") continue;
    const std::string hop = text(row[2]);
    SCOPED_TRACE(hop);
    const double measured = cellOf(shares, "under load", hop, "Sent again");
    EXPECT_GT(measured, cellOf(shares, "under load", hop, "Go-back-N at this load") - 4);
    EXPECT_LT(measured, cellOf(shares, "under load", hop, "On a full line") + 4);
    EXPECT_GT(measured, 10);
  }
}

TEST(LlrHops, NoticesAWrongTime) {
  const results::TestResult result = runChanged(ringOfFour(), [](TrialResult& trial) {
    for (bench::LinkLoad& link : trial.fabric->links) {
      if (link.name == "leaf1-host1") link.retries->latency.record(1'160'959);
    }
  });
  EXPECT_THAT(complaints(result),
              HasSubstr("0.001 ns more or less than computed @ 1e-05 per bit, apart, leaf1-host1"));
  EXPECT_THAT(complaints(result), Not(HasSubstr("leaf0-host0")));
}

TEST(LlrHops, NoticesRetriesThatNoErrorsExplain) {
  const results::TestResult result = runChanged(ringOfFour(), [](TrialResult& trial) {
    for (bench::LinkLoad& link : trial.fabric->links) {
      if (link.name == "leaf1-host1") link.retries->bit_error_rate = 2e-5;
    }
  });
  EXPECT_THAT(complaints(result), HasSubstr("where 2e-05 errors per bit make"));
  EXPECT_THAT(complaints(result), HasSubstr("under load, leaf1-host1"));
  EXPECT_THAT(complaints(result), Not(HasSubstr("leaf0-host0")));
}

TEST(LlrHops, NoticesWhatIsWrongAboveTheRetries) {
  const results::TestResult result =
      runChanged(ringOfFour(), [](TrialResult& trial) { trial.streams.at(2).out_of_order = 3; });
  EXPECT_THAT(complaints(result), HasSubstr("'host2 to host3' lost, 0 came twice and 3 out"));
}

// Links that the scenario names have errors of their own, and the others none.
TEST(LlrHops, StrikesTheLinksThatAreNamed) {
  scenario::Scenario scenario = ringOfFour();
  scenario.parameters.card.error_ratios.reset();
  scenario.bit_errors = {{"leaf1-host1", 2e-6}, {"leaf2-host2", 1e-5}};
  const results::TestResult result = runChanged(scenario, [](TrialResult&) {});
  EXPECT_EQ(complaints(result), "");
  const results::Table& counts = table(result, "hops");
  ASSERT_EQ(counts.rows.size(), 2 * 3U);
  EXPECT_EQ(text(counts.rows[3][0]), "own ratios");
  EXPECT_EQ(text(counts.rows[3][2]), "all 2 hops");
  const double frames = cellOf(counts, "under load", "leaf1-host1", "Frames");
  EXPECT_NEAR(cellOf(counts, "under load", "leaf1-host1", "Expected"),
              frames * (1 - std::pow(1 - 2e-6, 8 * 512)), 1e-3);
  // A sweep gives them all the same.
  scenario.parameters.card.error_ratios = {{1e-6}};
  const Plan plan = llrHopsProcedure().plan({scenario, someHosts()});
  ASSERT_EQ(plan.samples.size(), 2U);
  ASSERT_EQ(plan.samples[1].spec.dut.bit_errors.size(), 2U);
  EXPECT_EQ(plan.samples[1].spec.dut.bit_errors[1].rate, 1e-6);
}

// On a link of 512-byte frames whose retry takes 982.24 ns on average, go-back-N leaves
// 1 / (1 + 0.0418 * 982.24 / 42.56) = 50.9 % at 1e-5; towards a host with 1,182.24 ns 46.3 %.
TEST(LlrHops, LoadsTheLineWithWhatRetriesLeave) {
  scenario::Scenario scenario = ringOfFour();
  scenario.parameters.card.error_ratios = {{1e-7, 1e-5}};
  const Plan plan = llrHopsProcedure().plan({scenario, someHosts()});
  EXPECT_THAT(plan.points, ElementsAre("1e-05 per bit, apart", "1e-07 per bit, under load",
                                       "1e-05 per bit, under load"));
  const auto load = [&](std::size_t i) {
    return std::get<bench::ConstantLoad>(plan.samples[i].spec.streams.at(0).load).rate.toDouble();
  };
  EXPECT_EQ(load(1), 0.8);
  EXPECT_NEAR(load(2), 0.9 / (1 + (std::exp(0.04096) - 1) * 1182.24 / 42.56), 1e-5);
  // A frame's retries, five of them at the most, are over before the next one.
  EXPECT_LT(load(0), 42.56 / (5 * 1160.96));
}

TEST(LlrHops, RefusesWhatHasNoHopsToTell) {
  const auto refusals = [](const scenario::Scenario& scenario, const bench::Capabilities& bench) {
    return llrHopsProcedure().plan({scenario, bench}).refusals;
  };
  const bench::Capabilities hosts = someHosts();
  EXPECT_THAT(refusals(ringOfFour(), hosts), IsEmpty());
  EXPECT_THAT(refusals(onALink(), hosts), ElementsAre(HasSubstr("a bare link has no hops")));
  bench::Capabilities real = aCard();
  real.simulated_dut = false;
  EXPECT_THAT(refusals(ringOfFour(), real), ElementsAre(HasSubstr("only a simulated DUT")));

  scenario::Scenario scenario = ringOfFour();
  scenario.bit_errors = {{"hosts", 1e-6}};
  EXPECT_THAT(refusals(scenario, hosts),
              ElementsAre(HasSubstr("a sender's own link, host0-leaf0")));

  scenario = ringOfFour();
  scenario.parameters.card.error_ratios = {{1e-3}};
  EXPECT_THAT(refusals(scenario, hosts), ElementsAre(HasSubstr("more than half of the frames")));
}

// The fabric's hops are modelled, the card times its own link: 1000 frames of 512 bytes, 41 of them
// damaged, 20 ns more than on a free line of 500 ns for each.
TEST(LlrHops, PutsTheCardsOwnLinkBesideThem) {
  bench::SimBench fabric({.line_rate = gigabitsPerSecond(100)});
  Scripted runner([&](const TrialSpec& spec) {
    if (!spec.link_retry) {
      TrialResult result = fabric.run(spec, {});
      result.observed = ObservationPoint::kTester;
      return result;
    }
    TrialResult result = nothingWrong(spec);
    bench::LinkRetryOutcome sender;
    bench::LinkRetryOutcome receiver;
    for (int i = 0; i < 41; ++i) receiver.damaged.record(1'531'176);
    sender.counters.tx_ok = 1000;
    sender.counters.tx_replay_frames = 205;  // 5 each
    receiver.counters.tx_nack = receiver.counters.rx_bad = 41;
    result.ports.at(0).link_retry = sender;
    result.ports.at(1).link_retry = receiver;
    return result;
  });
  const scenario::Scenario scenario = ringOfFour();
  const results::TestResult result = llrHopsProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  EXPECT_EQ(complaints(result), "");
  ASSERT_EQ(runner.asked.size(), 3U);
  const TrialSpec& own = runner.asked[2];
  EXPECT_EQ(own.dut.topology.kind, fabric::TopologyKind::kLink);
  EXPECT_EQ(own.dut.topology.host_link_delay, nanoseconds(500));
  EXPECT_TRUE(own.dut.bit_errors.empty());
  EXPECT_EQ(std::get<card::BitErrors>(own.damage.at(0).what).ratio, 1e-5);
  const std::string place = "1e-05 per bit, card's own link, port 0 to port 1";
  EXPECT_EQ(kpi(result, "hop_retry_max_ns", place).value, 1531.176);
  EXPECT_EQ(kpi(result, "hop_retry_max_ns", place).observed, ObservationPoint::kTester);
  EXPECT_EQ(kpi(result, "hop_retry_error_ns", place).value, 0);
  EXPECT_NEAR(cellOf(table(result, "hops"), "card's own link", "port 0 to port 1", "Expected"),
              1000 * (1 - std::pow(1 - 1e-5, 8 * 512)), 1e-6);
  EXPECT_EQ(kpi(result, "hop_retry_max_ns", "1e-05 per bit, apart, leaf1-host1").observed,
            ObservationPoint::kModelled);
}

TEST(RetryModel, ComputesFailuresAndShares) {
  // 4096 bits.
  EXPECT_NEAR(damageProbability(1e-4, 512), 0.33610, 1e-5);
  EXPECT_NEAR(failuresPerFrame(1e-4, 512), 0.33610 / (1 - 0.33610), 1e-4);
  EXPECT_EQ(damageProbability(0, 512), 0);
  // A failure in ten frames costs ten and a half of them on a full line, one at least.
  EXPECT_NEAR(goBackNShareAt(1, 0.1, nanoseconds(40), nanoseconds(400)), 1 / 2.05, 1e-9);
  EXPECT_NEAR(goBackNShareAt(0.01, 0.1, nanoseconds(40), nanoseconds(400)), 1 / 1.1, 1e-9);
}

TEST(RetryModel, FitsTimesToAttempts) {
  const bench::RetryTime one{nanoseconds(1000), nanoseconds(1040)};
  const auto times = [](std::initializer_list<std::uint64_t> all) {
    stats::Histogram histogram;
    for (const std::uint64_t time : all) histogram.record(time);
    return histogram;
  };
  EXPECT_EQ(retryResidual({}, one, 0), 0);
  EXPECT_EQ(retryResidual(times({1'000'000, 1'040'000}), one, 2), 0);
  EXPECT_EQ(retryResidual(times({999'000}), one, 1), 1);
  EXPECT_EQ(retryResidual(times({1'042'000}), one, 1), 2);
  // Of two attempts only where there was a second one.
  EXPECT_EQ(retryResidual(times({1'000'000, 2'010'000}), one, 3), 0);
  EXPECT_EQ(retryResidual(times({1'000'000, 2'010'000}), one, 2), 970);
}

}  // namespace
}  // namespace plumbline::suite
