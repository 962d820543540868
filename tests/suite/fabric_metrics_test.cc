// The figures of a trial, against numbers computed by hand.
#include "suite/framework/fabric_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline::suite {
namespace {

bench::TrialResult trialWith(bench::FabricResult fabric) {
  bench::TrialResult trial;
  trial.fabric = std::move(fabric);
  return trial;
}

bench::JobOutcome jobOf(std::vector<Picoseconds> iterations) {
  bench::JobOutcome job;
  job.finished = true;
  job.iterations = std::move(iterations);
  for (const Picoseconds time : job.iterations) job.completion += time;
  return job;
}

TEST(FabricMetrics, PerSecondIsOfTheTimeAtWork) {
  bench::FabricResult fabric;
  fabric.sim_end = microseconds(100);
  fabric.jobs.push_back(jobOf({microseconds(10), microseconds(40)}));
  fabric.total.xoff_received = 5;
  fabric.endpoints.retransmitted = 10;
  fabric.endpoints.data_sent = 400;
  fabric.endpoints.payload_received = 1'000'000;
  const bench::TrialResult trial = trialWith(fabric);
  EXPECT_EQ(busyTime(trial), microseconds(50));
  EXPECT_DOUBLE_EQ(pausesPerSecond(trial).value, 100'000);  // 5 in 50 us
  EXPECT_DOUBLE_EQ(pausesPerSecond(trial).width, 20'000);   // known to one of them
  EXPECT_DOUBLE_EQ(retransmissionsPerSecond(trial).value, 200'000);
  EXPECT_DOUBLE_EQ(retransmissionPercent(trial), 2.5);
  EXPECT_DOUBLE_EQ(goodputGbps(trial), 160);  // 8 Mbit in 50 us
}

TEST(FabricMetrics, AnUnfinishedJobLastsToTheEnd) {
  bench::FabricResult fabric;
  fabric.sim_end = microseconds(100);
  fabric.jobs.push_back(jobOf({microseconds(10)}));
  fabric.jobs.emplace_back();
  EXPECT_EQ(busyTime(trialWith(fabric)), microseconds(100));
}

TEST(FabricMetrics, SharesOfPackets) {
  bench::FabricResult fabric;
  fabric.endpoints.data_received = 8'000;
  fabric.endpoints.ce_received = 200;
  fabric.total.packets = 2'000'000;
  fabric.total.drops[0] = 3;
  fabric.total.drops[4] = 5;
  fabric.total.trimmed = 20;
  fabric.endpoints.data_sent = 10'000;
  fabric.endpoints.retransmitted = 6'000;
  fabric.data_lost = 2;
  const bench::TrialResult trial = trialWith(fabric);
  EXPECT_DOUBLE_EQ(ecnPercent(trial), 2.5);
  EXPECT_DOUBLE_EQ(dropPpm(trial), 500);         // 2 of 4,000 packets never got there
  EXPECT_DOUBLE_EQ(fabricDropsPpm(trial), 800);  // 8 drops, of 10,000 transmissions
  EXPECT_DOUBLE_EQ(trimmedPpm(trial), 2'000);
  fabric.data_lost = 0;
  EXPECT_DOUBLE_EQ(dropPpm(trialWith(fabric)), 0);
  fabric.data_lost.reset();  // a result of an older program
  EXPECT_TRUE(std::isnan(dropPpm(trialWith(fabric))));
}

// Shares, loads, balances and times of nothing are undefined, not zero.
TEST(FabricMetrics, WhatDoesNotExistIsNotMeasured) {
  bench::FabricResult fabric;
  fabric.sim_end = microseconds(100);
  fabric.jobs.emplace_back();
  const bench::TrialResult trial = trialWith(fabric);
  for (const double value :
       {ecnPercent(trial), dropPpm(trial), fabricDropsPpm(trial), trimmedPpm(trial),
        retransmissionPercent(trial), busiestLinkPercent(trial), meanLinkPercent(trial),
        linkJfi(trial), linkMmr(trial), quantileMicroseconds({}, 0.5).value,
        quantileMicroseconds({}, 1).value,
        meanBusBandwidthGbps(trial, 0, workload::CollectiveKind::kAllReduce, 4, Bytes(1)),
        busBandwidthGbps(trial, 0, workload::CollectiveKind::kAllReduce, 4, Bytes(1), 0.99)
            .value}) {
    EXPECT_TRUE(std::isnan(value));
  }
  // These were counted, and none came.
  EXPECT_EQ(pausesPerSecond(trial).value, 0);
  EXPECT_EQ(goodputGbps(trial), 0);
}

TEST(FabricMetrics, OnlyLinksBetweenSwitchesCountAsLoad) {
  bench::FabricResult fabric;
  fabric.links.resize(3);
  fabric.links[0].utilisation = 0.9;
  fabric.links[1].between_switches = true;
  fabric.links[1].utilisation = 0.5;
  fabric.links[2].between_switches = true;
  fabric.links[2].utilisation = 0.1;
  const bench::TrialResult trial = trialWith(fabric);
  EXPECT_DOUBLE_EQ(busiestLinkPercent(trial), 50);
  EXPECT_TRUE(std::isnan(meanLinkPercent(trial)));  // of a result of an older program
  // Two of four links have no traffic, and are not listed.
  fabric.fabric_links = 4;
  EXPECT_DOUBLE_EQ(meanLinkPercent(trialWith(fabric)), 15);
}

// AllReduce of 1 MB among 4: algo_factor 1.5. Iterations of 10, 20 and 40 us.
TEST(FabricMetrics, BusBandwidthOfMeanAndSlowIterations) {
  bench::FabricResult fabric;
  fabric.jobs.push_back(jobOf({microseconds(20), microseconds(10), microseconds(40)}));
  const bench::TrialResult trial = trialWith(fabric);
  constexpr auto kKind = workload::CollectiveKind::kAllReduce;
  const Bytes size(1'000'000);
  EXPECT_EQ(meanIteration(trial.fabric->jobs[0]).count(), 70'000'000 / 3);
  EXPECT_NEAR(meanBusBandwidthGbps(trial, 0, kKind, 4, size), 8e6 * 1.5 / (70e-6 / 3) / 1e9, 1e-3);
  EXPECT_DOUBLE_EQ(busBandwidthGbps(trial, 0, kKind, 4, size, 0.5).value, 600);  // 12 Mbit in 20 us
  EXPECT_DOUBLE_EQ(busBandwidthGbps(trial, 0, kKind, 4, size, 0.99).value, 300);  // in 40 us
  EXPECT_EQ(iterationQuantile(trial.fabric->jobs[0], 0.33), microseconds(10));
}

}  // namespace
}  // namespace plumbline::suite
