// T6.5a on the bench of simulated hosts: retries of links and of the transport, hop by hop.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suite/framework/hop_table.h"
#include "suite/framework/result_builder.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Links of 250 ns, 50 ns of processing at either end, frames of up to 4178 B at 400 Gb/s.
TEST(Llr, RepairsOnTheLinkInTheComputedTime) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.duration = microseconds(400);
  const results::TestResult result = runTest(llrProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double retries = kpi(result, "llr_retries", "1e-06, on").value;
  EXPECT_GT(retries, 10);
  EXPECT_EQ(kpi(result, "lost_frames", "1e-06, on").value, 0);
  EXPECT_EQ(kpi(result, "retransmitted_packets", "1e-06, on").value, 0);
  // From 2 * 250 + 100 ns on; a replayed frame that is damaged again takes a round more.
  EXPECT_GE(kpi(result, "llr_retry_mean_ns", "1e-06, on").value, 600);
  EXPECT_LE(kpi(result, "llr_retry_mean_ns", "1e-06, on").value, 600 + 2 * 83.56 + 10);
  EXPECT_GT(kpi(result, "lost_frames", "1e-06, off").value, 10);
  // The transport's timeout is a millisecond; orders of magnitude longer.
  EXPECT_GT(1e3 * kpi(result, "message_max_us", "1e-06, off").value,
            100 * kpi(result, "llr_retry_max_ns", "1e-06, on").value);
}

// Over cables of 1 ms a retry takes 2 ms, and those of a link follow one another: at 1e-6 some 90
// of the 2,600 frames of a trial of 1 ms (100 Gb/s), which takes longer than the wait of 100 ms; at
// 1e-7 9 of them. Over 10 ms the wait has no room for five retries of a link.
TEST(Llr, LeavesOutWhatIsNotRepeatedInTime) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 2;
  scenario.topology.spines = 2;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.topology.fabric_link_delay = milliseconds(1);
  SimRunner runner(gigabitsPerSecond(100));
  const results::TestResult result =
      llrProcedure().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  EXPECT_THAT(anomalies(result), Not(HasSubstr("errors per bit make")));
  EXPECT_LT(kpi(result, "hop_retries_sigma", "1e-07, on, all 8 hops").value, 4);
  EXPECT_EQ(kpi(result, "lost_frames", "1e-07, on").value, 0);
  EXPECT_EQ(findKpi(result, "llr_retries", "1e-06, on"), nullptr);
  EXPECT_GT(kpi(result, "lost_frames", "1e-06, off").value, 100);
  EXPECT_THAT(deviations(result), HasSubstr("bit error rate 1e-06 with LLR not measured"));
  scenario.topology.fabric_link_delay = milliseconds(10);
  const Plan plan = llrProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 3U);
  EXPECT_THAT(plan.refusals.front(), HasSubstr("bit error rate 1e-08 with LLR not measured"));
}

// Every link between switches with traffic is a hop; all of them together are the figures above.
// Frames have two lengths, besides ACKs, so the expectation is an upper bound by some per cent.
TEST(Llr, TellsTheRetriesOfEachHop) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.duration = microseconds(400);
  const results::TestResult result = runTest(llrProcedure(), scenario);
  const results::Table& hops = table(result, "hops");
  EXPECT_EQ(hops.columns.at(2), "Hop");
  std::string all;
  std::size_t listed = 0;
  for (const auto& row : hops.rows) {
    EXPECT_EQ(text(row[1]), "on");
    if (text(row[0]) != "1e-06") continue;
    if (all.empty()) all = text(row[2]);
    ++listed;
  }
  EXPECT_EQ(all.find("all "), 0U);
  EXPECT_EQ(listed, 13U);
  EXPECT_EQ(kpi(result, "hop_retry_max_ns", "1e-06, on, " + all).value,
            kpi(result, "llr_retry_max_ns", "1e-06, on").value);
  EXPECT_NEAR(kpi(result, "hop_retry_mean_ns", "1e-06, on, " + all).value,
              kpi(result, "llr_retry_mean_ns", "1e-06, on").value, 1e-6);
  EXPECT_LT(kpi(result, "hop_retries_sigma", "1e-06, on, " + all).value, 4);
  EXPECT_EQ(kpi(result, "hop_retry_error_ns", "1e-06, on, " + all).value, 0);
}

// Cables of 20 us: the first hop repeats 960 frames for each retry and is busy long after the
// trial's streams. The second one carries the same frames as they come: its load is that of the
// first, at most what the repetitions of the first leave.
TEST(Llr, HopsInSeriesHaveOneLoad) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.topology.hosts_per_leaf = 2;
  scenario.topology.fabric_rate = gigabitsPerSecond(800);
  scenario.topology.fabric_link_delay = microseconds(20);
  scenario.switches.shared_buffer->total = Bytes(640'000'000);
  scenario.switches.pfc->xoff = Bytes(20'000'000);
  scenario.switches.pfc->headroom = Bytes(5'000'000);
  scenario.parameters.duration = microseconds(500);
  const results::TestResult result = runTest(llrProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  std::map<std::string, std::map<std::string, double>> shares;  // by hop, then by column
  const results::Table& table = suite::table(result, "hop_share");
  for (const auto& row : table.rows) {
    if (text(row[0]) != "1e-06") continue;
    for (std::size_t i = 3; i < row.size(); ++i) {
      shares[text(row[2])][table.columns[i]] = quantity(row[i]).value;
    }
  }
  const auto& first = shares.at("leaf0-spine0");
  const auto& second = shares.at("spine0-leaf1");
  EXPECT_GT(first.at("Sent again"), 90);
  EXPECT_LE(first.at("Load"), 100 - first.at("Sent again"));
  EXPECT_NEAR(second.at("Load"), first.at("Load"), 0.01 * first.at("Load"));
  for (const auto& hop : {first, second}) {
    EXPECT_GT(hop.at("Sent again"), hop.at("Go-back-N at this load"));
    EXPECT_LT(hop.at("Sent again"), hop.at("On a full line"));
  }
}

// The second trial has no frame on any link: over both the load is half of the first one's.
TEST(Llr, LoadsAreOfAllTrials) {
  SweepPoint point;
  bench::TrialResult sent;
  sent.fabric.emplace().load_end = microseconds(10);
  bench::LinkLoad& link = sent.fabric->links.emplace_back();
  link.name = "leaf0-spine0";
  link.rate = gigabitsPerSecond(400);
  link.retries.emplace();
  link.packets = 60;
  link.bytes = std::uint64_t{60} * 4178;
  bench::TrialResult idle;
  idle.fabric.emplace().load_end = microseconds(10);
  // Frames of 4,178 B take slots of 83.96 ns.
  const auto loadOf = [&](std::vector<bench::TrialResult> trials) {
    return hopsOf({point, std::move(trials)}, Bytes(4178)).hops.at(0).load;
  };
  EXPECT_NEAR(loadOf({sent}), 60 * 0.08396 / 10, 1e-6);
  EXPECT_NEAR(loadOf({sent, idle}), 60 * 0.08396 / 20, 1e-6);
  EXPECT_NEAR(loadOf({idle, sent}), 60 * 0.08396 / 20, 1e-6);
}

// A hop of 1,000 frames of 4,178 B for the first time, in a trial of 1 ms.
bench::LinkLoad hopAt(const std::string& name, std::int64_t gigabits, Picoseconds retry,
                      std::uint64_t failures) {
  bench::LinkLoad link;
  link.name = name;
  link.rate = gigabitsPerSecond(gigabits);
  link.packets = 1'000;
  link.bytes = std::uint64_t{1'000} * 4178;
  bench::HopRetries& hop = link.retries.emplace();
  hop.bit_error_rate = 1e-7;
  hop.retries = hop.nacks = failures;
  hop.computed = {retry, retry};
  return link;
}

// Tables and anomalies of a point with these trials.
results::TestResult tablesOf(const std::vector<bench::TrialResult>& trials) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  const bench::Capabilities bench = runner.bench.capabilities();
  const TestConfig config{scenario, bench};
  SweepPoint point;
  point.label = "1e-07, on";
  ResultBuilder builder(llrProcedure(), "section 6.5", std::vector<results::Deviation>(), config);
  const std::vector<PointHops> points{hopsOf({point, trials}, Bytes(4178))};
  checkRetryCounts(points, builder);
  addHopTables(Design(config), points, 12, builder);
  return builder.take();
}

bench::TrialResult trialOver(std::vector<bench::LinkLoad> links) {
  bench::TrialResult trial;
  trial.fabric.emplace().load_end = milliseconds(1);
  trial.fabric->links = std::move(links);
  return trial;
}

// A frame takes 83.96 ns at 400 Gb/s and 41.98 ns at 800 Gb/s, so loads are 8.396 and 4.198 %. A
// retry repeats what began within its time and half of a frame in hand, and half a frame more:
// (1000 + 41.98) / 83.96 + 1/2 = 12.91 frames, resp. (10000 + 20.99) / 41.98 + 1/2 = 239.21 on a
// full line, and 0.08396 * 12.41 + 1/2 = 1.542, resp. 0.04198 * 238.71 + 1/2 = 10.521 at these
// loads. Ten failures on either hop: 129.1 + 2392.1 and 15.42 + 105.21 of 2,000 frames.
TEST(Llr, RepeatedFramesOfUnequalHopsAddUp) {
  const results::TestResult result = tablesOf({trialOver(
      {hopAt("s-u", 400, nanoseconds(1000), 10), hopAt("t-u", 800, microseconds(10), 10)})});
  const auto& row = table(result, "hop_share").rows.at(0);
  ASSERT_EQ(text(row.at(0)), "all 2 hops");
  EXPECT_NEAR(quantity(row.at(3)).value, 100 * 120.63 / 2120.63, 0.002);
  EXPECT_NEAR(quantity(row.at(4)).value, 100 * 2521.2 / 4521.2, 0.002);
}

// Of 1,000 frames with 1e-7 errors per bit 3.3 are expected to be damaged: 30 are too many. Where
// frames were given up, no number is expected, and that is said instead, of both trials together.
TEST(Llr, RetriesAreNotComparedWhereFramesWereGivenUp) {
  bench::LinkLoad damaged = hopAt("s-u", 400, nanoseconds(1000), 15);
  const std::string kept = anomalies(tablesOf({trialOver({damaged}), trialOver({damaged})}));
  EXPECT_THAT(kept, HasSubstr("30 retries (sum of 2 repetitions), where 1e-07 errors per bit"));
  EXPECT_THAT(kept, Not(HasSubstr("gave up")));
  damaged.retries->given_up = 20;
  bench::LinkLoad other = hopAt("t-u", 800, microseconds(10), 15);
  const bench::TrialResult trial = trialOver({damaged, other});
  const results::TestResult result = tablesOf({trial, trial});
  EXPECT_THAT(anomalies(result), HasSubstr("LLR gave up 40 frames (sum of 2 repetitions) on 1 of 2 "
                                           "hops, the most, 40, on s-u"));
  EXPECT_THAT(anomalies(result), HasSubstr("30 retries (sum of 2 repetitions)"));  // of t-u
  EXPECT_EQ(findKpi(result, "hop_retries_sigma", "1e-07, on, s-u"), nullptr);
  EXPECT_NE(findKpi(result, "hop_retries_sigma", "1e-07, on, t-u"), nullptr);
  const results::Table& hops = table(result, "hops");
  EXPECT_THAT(hops.note, HasSubstr("Counts are sums of 2 repetitions."));
  const auto& row = hops.rows.at(1);
  ASSERT_EQ(text(row.at(0)), "s-u");
  EXPECT_EQ(quantity(row.at(2)).value, 30);
  EXPECT_EQ(text(row.at(3)), "frames given up");
}

// After one replay without progress a frame and all behind it are lost: one in 33 of those that
// are damaged, one in 33 of all.
TEST(Llr, NamesTheFramesThatWereGivenUp) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.duration = microseconds(400);
  scenario.switches.llr.emplace().max_replays = 1;
  const results::TestResult result = runTest(llrProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double lost = kpi(result, "bit_error_losses", "1e-06, on").value;
  EXPECT_GT(lost, 1);
  EXPECT_THAT(anomalies(result), HasSubstr(fmt::format("LLR gave up {:.0f} frames on ", lost)));
  EXPECT_THAT(anomalies(result), Not(HasSubstr("errors per bit make")));
}

// Runs trials on simulated hosts, and keeps the links of each by its label.
class LinksRunner final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult result = runner.run(spec, repetition, label);
    links[label] = result.fabric->links;
    return result;
  }
  // Share of the time that a link was busy [%].
  [[nodiscard]] double busy(const std::string& label, const std::string& name) const {
    for (const bench::LinkLoad& link : links.at(label)) {
      if (link.name == name) return 100 * link.utilisation;
    }
    ADD_FAILURE() << name << " carried nothing";
    return 0;
  }

  SimRunner runner;
  std::map<std::string, std::vector<bench::LinkLoad>> links;
};

// Links between switches at half the hosts' rate: their own frame times are computed with. A line
// is busy with frames that it sends for the first time, its load, and with those that it sends
// again.
TEST(Llr, HopsHaveTheirOwnRateAndTheLoadOfTheirTime) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.duration = microseconds(400);
  scenario.topology.spines = 2;
  scenario.topology.fabric_rate = gigabitsPerSecond(200);
  LinksRunner runner;
  const results::TestResult result =
      llrProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  double max = 0;
  const results::Table& shares = table(result, "hop_share");
  ASSERT_EQ(shares.columns.at(4), "Sent again");
  for (const auto& row : shares.rows) {
    const std::string hop = text(row[2]);
    if (hop.starts_with("all ")) continue;
    const double busy = runner.busy(text(row[0]) + ", on, repetition 0", hop);
    const double load = quantity(row[3]).value;
    EXPECT_NEAR(load, busy * (1 - quantity(row[4]).value / 100), 0.01 * busy) << hop;
    EXPECT_LE(load, 100) << hop;
    max = std::max(max, load);
  }
  EXPECT_GT(max, 85);  // full until its queue is empty, then idle until the last message is done
  // 2 * 250 + 100 ns, a frame of 4178 to 4198 B, and the slot of one of 4198 B.
  const std::string to = " to ";
  const std::size_t at = result.summary.find(to, result.summary.find("computed: "));
  ASSERT_NE(at, std::string::npos) << result.summary;
  const double most = std::stod(result.summary.substr(at + to.size()));
  EXPECT_GE(most, 600 + 4178 * 0.04 + 4218 * 0.04 - 0.6);
  EXPECT_LE(most, 600 + 4198 * 0.04 + 4218 * 0.04 + 0.6);
}

}  // namespace
}  // namespace plumbline::suite
