#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Plan burstPlan(const scenario::Scenario& scenario) {
  const bench::Capabilities bench = someBench();
  return burstProcedure().plan({scenario, bench});
}

// A queue of 1,000,000 B that N senders fill and one link drains.
FakeDut queueDut() {
  FakeDut dut;
  dut.burst = [](Bytes frame, std::size_t senders, std::uint32_t) {
    return senders == 1 ? ~std::uint64_t{0}
                        : static_cast<std::uint64_t>(1'000'000 / frame.count()) / (senders - 1);
  };
  return dut;
}

TEST(Burst, FindsTheLongestExactly) {
  FakeDut dut = queueDut();
  scenario::Scenario scenario = someScenario();
  scenario.traffic.message_sizes = {{Bytes(64), Bytes(4096)}};
  const results::TestResult result = runTest(burstProcedure(), scenario, dut);
  EXPECT_TRUE(result.valid);
  // Quick profile on four hosts: 2:1 and 3:1.
  EXPECT_EQ(kpi(result, "burst_frames", "64 B, 2:1").value, 1'000'000 / 142);
  EXPECT_EQ(kpi(result, "burst_frames", "64 B, 3:1").value, 1'000'000 / 142 / 2);
  EXPECT_EQ(kpi(result, "burst_frames", "4096 B, 2:1").value, 1'000'000 / 4174);
  EXPECT_EQ(kpi(result, "burst_frames", "4096 B, 3:1").value, 1'000'000 / 4174 / 2);
  EXPECT_EQ(kpi(result, "burst_frames", "4096 B, 3:1").repetitions, 3U);
}

TEST(Burst, ConvertsTheLengthToBytesAndTimes) {
  FakeDut dut = queueDut();
  const results::TestResult result = runTest(burstProcedure(), someScenario(), dut);
  const auto& row = table(result, "burst").rows.at(1);
  EXPECT_EQ(text(row[1]), "3:1");
  const double frames = 453;  // floor(floor(1'000'000 / 1102) / 2)
  EXPECT_EQ(quantity(row[2]).value, frames);
  EXPECT_EQ(quantity(row[3]).value, 3 * frames);
  EXPECT_EQ(quantity(row[4]).value, 3 * frames * 1102);
  EXPECT_DOUBLE_EQ(quantity(row[5]).value, 3 * frames * 1122 * 0.08);
  EXPECT_DOUBLE_EQ(quantity(row[6]).value, 2 * frames * 1122 * 0.08);
  ASSERT_EQ(result.charts.size(), 2U);
  EXPECT_THAT(result.charts[1].series.at(0).x, ::testing::ElementsAre(2, 3));
  EXPECT_EQ(result.charts[1].series[0].y[1], 3 * frames * 1102);
}

TEST(Burst, SendsFromDifferentHostsToOneAtLineRate) {
  FakeDut dut = queueDut();
  runTest(burstProcedure(), someScenario(), dut);
  for (const auto& [spec, repetition] : dut.asked) {
    std::set<std::uint32_t> senders;
    for (const auto& stream : spec.streams) {
      EXPECT_EQ(stream.to, 0U);
      EXPECT_TRUE(senders.insert(stream.from).second);
      const auto& burst = std::get<bench::BurstLoad>(stream.load);
      EXPECT_EQ(burst.extra_gap, Bytes(0));
      EXPECT_EQ(burst.bursts, 1U);
      EXPECT_LT(stream.start, frameSlot(stream.frame, gigabitsPerSecond(100)));
    }
    EXPECT_EQ(senders.count(0), 0U);
  }
}

// RFC 9004: the length is raised until frames are lost; never a burst much longer than needed.
TEST(Burst, RaisesTheLengthFromBelow) {
  FakeDut dut = queueDut();
  runTest(burstProcedure(), someScenario(), dut);
  std::uint32_t previous = 0;
  for (const auto& [spec, repetition] : dut.asked) {
    const std::uint32_t frames = std::get<bench::BurstLoad>(spec.streams[0].load).frames;
    if (spec.streams.size() != 2 || repetition != 0) continue;
    if (previous < 907) {
      EXPECT_GT(frames, previous);
    }
    EXPECT_LE(frames, 2U * 907 + 2);
    previous = frames;
  }
  EXPECT_GT(previous, 0U);
}

TEST(Burst, TriesTheDecidingLengthsInEveryRepetition) {
  FakeDut dut = queueDut();
  runTest(burstProcedure(), someScenario(), dut);
  std::map<std::uint32_t, std::set<std::uint32_t>> lengths;
  for (const auto& [spec, repetition] : dut.asked) {
    if (spec.streams.size() != 2) continue;
    lengths[repetition].insert(std::get<bench::BurstLoad>(spec.streams[0].load).frames);
  }
  ASSERT_EQ(lengths.size(), 3U);
  for (const auto& [repetition, tried] : lengths) {
    EXPECT_TRUE(tried.count(907) == 1 && tried.count(908) == 1) << repetition;
  }
}

TEST(Burst, AveragesRepetitionsThatDiffer) {
  FakeDut dut;
  dut.burst = [](Bytes, std::size_t, std::uint32_t repetition) {
    return std::uint64_t{100} + repetition;
  };
  const results::TestResult result = runTest(burstProcedure(), someScenario(), dut);
  const results::Quantity& burst = kpi(result, "burst_frames", "1024 B, 2:1");
  EXPECT_DOUBLE_EQ(burst.value, 101);
  EXPECT_NEAR(burst.cv.value(), 1.0 / 101, 1e-12);
  EXPECT_NEAR(burst.confidence_high.value(), 101 + 4.302653 / std::sqrt(3.0), 1e-5);
}

// One repetition loses frames from 101 on: the others do not make the DUT unbounded.
TEST(Burst, IsUnboundedInAllRepetitionsOnly) {
  FakeDut dut;
  dut.burst = [](Bytes, std::size_t, std::uint32_t repetition) {
    return repetition == 0 ? std::uint64_t{100} : ~std::uint64_t{0};
  };
  scenario::Scenario scenario = someScenario();
  scenario.parameters.incast_ratios = {{2}};
  scenario.parameters.max_burst = 5000;
  const results::TestResult result = runTest(burstProcedure(), scenario, dut);
  EXPECT_NEAR(quantity(table(result, "burst").rows.at(0)[2]).value, (100 + 5000 + 5000) / 3.0,
              1e-6);
  EXPECT_THAT(anomalies(result),
              HasSubstr("burst_frames is a lower bound: in 2 of 3 repetitions no loss up to 5000"));
}

TEST(Burst, ReportsWhatNeverFillsAsUnbounded) {
  FakeDut dut = queueDut();
  scenario::Scenario scenario = someScenario();
  scenario.parameters.incast_ratios = {{1, 2}};
  scenario.parameters.max_burst = 5000;
  const results::TestResult result = runTest(burstProcedure(), scenario, dut);
  const auto& rows = table(result, "burst").rows;
  EXPECT_EQ(text(rows.at(0)[2]), "unbounded (no loss up to 5000 frames)");
  EXPECT_EQ(quantity(rows.at(1)[2]).value, 907);
  const results::Quantity& bound = kpi(result, "burst_frames", "1024 B, 1:1");
  EXPECT_EQ(bound.value, 5000);
  // The number alone does not show that it is a bound.
  EXPECT_THAT(anomalies(result), HasSubstr("burst_frames is a lower bound: no loss up to 5000 "));
  EXPECT_FALSE(results::expandedUncertainty(bound));
  EXPECT_DOUBLE_EQ(
      results::systematicUncertainty(kpi(result, "burst_frames", "1024 B, 2:1")).value(),
      1 / std::sqrt(12));
  // An equal-speed port needs one trial per repetition only.
  EXPECT_EQ(std::count_if(dut.asked.begin(), dut.asked.end(),
                          [](const auto& asked) { return asked.first.streams.size() == 1; }),
            3);
  // Only points with a limit are drawn.
  EXPECT_THAT(result.charts[0].series.at(0).x, ::testing::ElementsAre(2));
}

TEST(Burst, ReportsZeroWhenASingleFrameIsLost) {
  FakeDut dut;
  dut.burst = [](Bytes, std::size_t, std::uint32_t) { return std::uint64_t{0}; };
  const results::TestResult result = runTest(burstProcedure(), someScenario(), dut);
  EXPECT_EQ(kpi(result, "burst_frames", "1024 B, 2:1").value, 0);
  EXPECT_TRUE(result.valid);
}

TEST(Burst, ATrialThatIsNotValidMakesThePointInvalid) {
  FakeDut dut = queueDut();
  dut.faults = [](const bench::TrialSpec& spec, std::uint32_t) {
    return spec.streams.size() == 3 ? std::vector<std::string>{"late start"}
                                    : std::vector<std::string>{};
  };
  const results::TestResult result = runTest(burstProcedure(), someScenario(), dut);
  EXPECT_FALSE(result.valid);
  EXPECT_THAT(anomalies(result), HasSubstr("no result: a trial was not valid @ 1024 B, 3:1"));
  EXPECT_EQ(text(table(result, "burst").rows.at(1)[2]), "not valid");
  EXPECT_EQ(kpi(result, "burst_frames", "1024 B, 2:1").value, 907);
  EXPECT_EQ(result.kpis.size(), 1U);
}

TEST(Burst, RefusesRatiosWithoutHosts) {
  FakeDut dut = queueDut();
  scenario::Scenario scenario = someScenario();
  scenario.parameters.incast_ratios = {{2, 4}};
  EXPECT_THAT(burstPlan(scenario).refusals,
              ::testing::ElementsAre(HasSubstr("4:1 needs 5 hosts, the DUT has 4")));
  EXPECT_THROW(runTest(burstProcedure(), scenario, dut), Error);
  EXPECT_TRUE(dut.asked.empty());
}

TEST(Burst, PlansAboutAsManyTrialsAsItNeeds) {
  for (const std::int64_t buffer : {10'000, 1'000'000}) {
    scenario::Scenario scenario = someScenario();
    scenario.switches.buffer_per_port = Bytes(buffer);
    FakeDut dut;
    dut.burst = [&](Bytes frame, std::size_t senders, std::uint32_t) {
      return static_cast<std::uint64_t>(buffer / frame.count()) / (senders - 1);
    };
    runTest(burstProcedure(), scenario, dut);
    EXPECT_LE(dut.asked.size(), burstPlan(scenario).trials_expected);
    EXPECT_GE(2 * dut.asked.size(), burstPlan(scenario).trials_expected);
  }
}

// Simulated hosts: N senders fill a buffer of B bytes with frames of L, one link drains it. Of N C
// frames C - 1 have left when the last ones come, so (N - 1) C + 1 <= floor(B / L); with senders at
// phases of their own, one more may have left. At most one frame for each port.
TEST(Burst, OnSimulatedHostsIsTheFluidBound) {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 65;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.switches.buffer_per_port = Bytes(200'000);
  scenario.traffic.frame_sizes = {{Bytes(1024)}};
  scenario.parameters.incast_ratios = {{2, 8, 32, 64}};
  scenario.parameters.repetitions = 2;
  scenario.parameters.max_burst = 1000;
  SimRunner runner;
  const results::TestResult result =
      burstProcedure().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  for (const int senders : {2, 8, 32, 64}) {
    const int room = 200'000 / 1024;
    const double frames = kpi(result, "burst_frames", fmt::format("1024 B, {}:1", senders)).value;
    EXPECT_GE(frames, (room - 1) / (senders - 1)) << senders;
    EXPECT_LE(frames, room / (senders - 1)) << senders;
  }
  EXPECT_THAT(table(result, "burst").note, testing::HasSubstr("With PFC and enough headroom"));
  // The receiver's link is busy throughout: without a frame in every slot, N - 1 of N stay.
  for (const auto& row : table(result, "burst").rows) {
    const double ratio = quantity(row[3]).value / quantity(row[2]).value;
    EXPECT_NEAR(quantity(row[6]).value, quantity(row[5]).value * (1 - 1 / ratio), 1e-6);
  }
}

// Two leaves below one spine, on the bench of simulated hosts.
scenario::Scenario twoLeaves(std::uint32_t hosts_per_leaf, BitRate link, BitRate uplink,
                             Bytes buffer) {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.topology.hosts_per_leaf = hosts_per_leaf;
  scenario.topology.link_rate = link;
  scenario.topology.fabric_rate = uplink;
  scenario.switches.buffer_per_port = buffer;
  scenario.parameters.repetitions = 2;
  return scenario;
}

// 64,000 B hold 250 frames. Behind an uplink of a quarter of the rate three of four frames of a
// burst stay in the DUT: 333 of them fill it (RFC 9004: implied * (1 - 25 %)). Of two senders the
// rate at which frames leave is not known while the burst lasts.
TEST(Burst, CorrectsForASlowerLinkBeforeTheReceivers) {
  scenario::Scenario scenario =
      twoLeaves(3, gigabitsPerSecond(100), gigabitsPerSecond(25), Bytes(64'000));
  scenario.traffic.frame_sizes = {{Bytes(256)}};
  scenario.parameters.incast_ratios = {{1, 2}};
  scenario.parameters.max_burst = 1000;
  SimRunner runner(gigabitsPerSecond(100));
  const results::TestResult result =
      burstProcedure().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  constexpr double kSlotNs = (256 + 20) * 0.08;
  const auto& rows = table(result, "burst").rows;
  EXPECT_EQ(text(rows.at(0)[1]), "1:1");
  EXPECT_NEAR(quantity(rows[0][2]).value, 250 / 0.75, 2);
  EXPECT_NEAR(quantity(rows[0][6]).value, 250 * kSlotNs, 2 * kSlotNs);
  EXPECT_EQ(text(rows.at(1)[6]), "not observed");
  EXPECT_THAT(anomalies(result), HasSubstr("corrected buffer time not observed"));
}

// A burst of two or five frames of each of two senders behind uplinks of 60 and 75 %: arrivals that
// the uplink spaces cannot be told from senders out of phase. (2 - r) of C slots is within the
// uncertainty, whichever r is.
TEST(Burst, AShortBurstBehindASlowerLinkIsUncertain) {
  struct Link {
    std::int64_t gigabits, uplink, buffer;
    double burst;
  };
  for (const Link& one : {Link{100, 60, 17'000, 2}, Link{40, 30, 31'000, 5}}) {
    scenario::Scenario scenario = twoLeaves(2, gigabitsPerSecond(one.gigabits),
                                            gigabitsPerSecond(one.uplink), Bytes(one.buffer));
    scenario.traffic.message_sizes = {{Bytes(4'096)}};
    scenario.parameters.incast_ratios = {{2}};
    SimRunner runner(gigabitsPerSecond(one.gigabits));
    const results::TestResult result =
        burstProcedure().run({scenario, runner.bench.capabilities()}, runner);
    ASSERT_TRUE(result.valid);
    const auto& row = table(result, "burst").rows.at(0);
    EXPECT_EQ(quantity(row.at(2)).value, one.burst);
    const double implied = quantity(row.at(5)).value;
    const results::Quantity& corrected = quantity(row.at(6));
    const double uplink = static_cast<double>(one.uplink) / static_cast<double>(one.gigabits);
    const double right = implied / 2 * (2 - uplink);
    ASSERT_TRUE(results::reachOf(corrected));
    EXPECT_LE(right - corrected.value, results::reachOf(corrected)->above) << one.gigabits;
  }
}

TEST(Burst, BitErrorsAreAnAnomaly) {
  scenario::Scenario scenario = someScenario();
  scenario.bit_errors = {{"hosts", 1e-7}};
  FakeDut dut = queueDut();
  EXPECT_THAT(anomalies(runTest(burstProcedure(), scenario, dut)), HasSubstr("have bit errors"));
  scenario.bit_errors = {{"hosts", 0}};
  EXPECT_THAT(anomalies(runTest(burstProcedure(), scenario, dut)),
              Not(HasSubstr("have bit errors")));
}

// 4 MB hold 3,629 frames of 1,102 B. At 3:1 one of the senders is on the receiver's leaf: its
// frames leave for 200 us before those of the others arrive, and are no part of what the buffer
// holds.
TEST(Burst, FramesThatLeaveBeforeOthersArriveWereNotHeld) {
  scenario::Scenario scenario =
      twoLeaves(2, gigabitsPerSecond(100), gigabitsPerSecond(400), Bytes(4'000'000));
  scenario.traffic.frame_sizes = {{Bytes(1102)}};
  scenario.parameters.incast_ratios = {{2, 3}};
  constexpr double kSlotNs = (1102 + 20) * 0.08;
  for (const std::int64_t cable_us : {0, 50, 100}) {
    scenario.topology.fabric_link_delay = nanoseconds(250) + microseconds(cable_us);
    SimRunner runner(gigabitsPerSecond(100));
    const results::TestResult result =
        burstProcedure().run({scenario, runner.bench.capabilities()}, runner);
    ASSERT_TRUE(result.valid);
    for (const auto& row : table(result, "burst").rows) {
      EXPECT_NEAR(quantity(row.at(6)).value, 3629 * kSlotNs, 4 * kSlotNs) << cable_us;
    }
  }
}

}  // namespace
}  // namespace plumbline::suite
