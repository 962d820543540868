#include "serving/metrics.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace plumbline::serving {
namespace {

std::vector<double> numbersTo(int count) {
  std::vector<double> values;
  for (int i = count; i >= 1; --i) values.push_back(i);
  return values;
}

// Of 1 to 1,000 the P99 is 990. Its interval by order statistics: 990 +- 1.96 sqrt(9.9).
TEST(Distribution, PercentilesAndTheirIntervals) {
  const Distribution all = distribution(numbersTo(1000), 0);
  EXPECT_EQ(*all.p50.value, 500);
  EXPECT_EQ(*all.p99.value, 990);
  EXPECT_NEAR(*all.p99.low, 984, 1);
  EXPECT_NEAR(*all.p99.high, 996, 1);
  EXPECT_DOUBLE_EQ(*all.mean, 500.5);
  // The largest of 1,000 gives no upper bound for the P99.9.
  EXPECT_EQ(*all.p999.value, 999);
  EXPECT_FALSE(all.p999.high);
  EXPECT_EQ(*distribution({7}, 0).p99.value, 7);
  EXPECT_FALSE(distribution({}, 0).p50.value);
}

// Unfinished requests count as the largest: 980 of 1,000 reach no P99.
TEST(Distribution, WhatIsNotReachedIsNoNumber) {
  const Distribution cut = distribution(numbersTo(980), 20);
  EXPECT_EQ(cut.count, 1000U);
  EXPECT_EQ(*cut.p95.value, 950);
  EXPECT_FALSE(cut.p99.value);
  EXPECT_FALSE(cut.p99.low);
  EXPECT_FALSE(cut.mean);
  EXPECT_DOUBLE_EQ(*cut.reached_mean, 490.5);
}

TEST(GapDistribution, OpenGapsAreTheLargest) {
  stats::Histogram gaps;
  gaps.record(static_cast<std::uint64_t>(milliseconds(20).count()), 90);
  const Distribution all = gapDistribution(gaps, 0);
  EXPECT_NEAR(*all.p99.value, 0.02, 1e-4);
  const Distribution open = gapDistribution(gaps, 10);
  EXPECT_EQ(open.count, 100U);
  EXPECT_NEAR(*open.p50.value, 0.02, 1e-4);
  EXPECT_FALSE(open.p95.value);
  EXPECT_FALSE(open.mean);
}

RequestRecord finished(std::int64_t arrival_ms, std::int64_t first_ms, std::int64_t last_ms,
                       std::uint32_t tokens) {
  RequestRecord record;
  record.measured = true;
  record.outcome = Outcome::kDone;
  record.generated = tokens;
  record.arrival = milliseconds(arrival_ms);
  record.first_token = record.first_decode_token = milliseconds(first_ms);
  record.last_token = record.done = milliseconds(last_ms);
  return record;
}

TEST(Slo, PerRequest) {
  const SloSpec slo;  // TTFT 500 ms, TPOT 50 ms
  EXPECT_TRUE(keeps(slo, finished(100, 600, 1100, 11)));
  EXPECT_FALSE(keeps(slo, finished(100, 601, 1101, 11)));
  EXPECT_FALSE(keeps(slo, finished(100, 600, 1101, 11)));
  EXPECT_TRUE(keeps(slo, finished(100, 600, 600, 1)));
  EXPECT_FALSE(keeps(slo, RequestRecord()));
  SloSpec strict;
  strict.longest_gap = milliseconds(60);
  RequestRecord record = finished(100, 600, 1100, 11);
  record.longest_gap = milliseconds(61);
  EXPECT_TRUE(keeps(slo, record));
  EXPECT_FALSE(keeps(strict, record));
}

TEST(Metrics, OfThreeRequests) {
  ServingResult result;
  result.window_end = result.end = seconds(10);
  result.window_tokens = 40;
  result.requests = {finished(0, 100, 300, 11), finished(1000, 2000, 2400, 11), RequestRecord()};
  result.requests[2].measured = true;
  result.requests[2].arrival = seconds(5);
  const ServingMetrics metrics = metricsOf(result, {});
  EXPECT_EQ(metrics.measured, 3U);
  EXPECT_EQ(metrics.done, 2U);
  EXPECT_EQ(metrics.unfinished, 1U);
  EXPECT_EQ(metrics.within_slo, 1U);
  EXPECT_DOUBLE_EQ(metrics.offered, 0.3);
  EXPECT_DOUBLE_EQ(metrics.tokens_per_second, 4);
  EXPECT_DOUBLE_EQ(metrics.goodput, 1.1);
  EXPECT_DOUBLE_EQ(metrics.goodput_requests, 0.1);
  EXPECT_DOUBLE_EQ(*metrics.goodput_share, 0.5);
  EXPECT_DOUBLE_EQ(*metrics.ttft.p50.value, 1.0);
  EXPECT_FALSE(metrics.ttft.p95.value);
  EXPECT_DOUBLE_EQ(*metrics.tpot.reached_mean, 0.03);
  EXPECT_EQ(metrics.tpot.not_reached, 1U);
}

// An answer of one token has no gap, whether it is finished or not; one of two that is not has an
// open one.
TEST(Metrics, SingleTokensHaveNoGaps) {
  ServingResult result;
  result.window_end = result.end = seconds(10);
  result.requests = {finished(0, 100, 100, 1), RequestRecord()};
  result.requests[0].output = 1;
  result.requests[1].measured = true;
  result.requests[1].first_token = milliseconds(200);
  result.requests[1].output = 1;
  ServingMetrics metrics = metricsOf(result, {});
  EXPECT_EQ(metrics.itl.count, 0U);
  EXPECT_EQ(metrics.tpot.count, 0U);
  EXPECT_EQ(metrics.within_slo, 1U);
  EXPECT_TRUE(onlySingleTokens(result));
  result.requests[1].output = 2;
  metrics = metricsOf(result, {});
  EXPECT_EQ(metrics.itl.not_reached, 1U);
  EXPECT_EQ(metrics.tpot.not_reached, 1U);
  EXPECT_FALSE(onlySingleTokens(result));
  EXPECT_FALSE(onlySingleTokens(ServingResult()));
}

// Published figures of NIM with Llama-3.3-70B at 1 and 250 concurrent requests of 500 tokens: 51.7
// and 920 tokens/s, TTFT 0.4068 and 88.605 s, ITL 18.6 and 93.2 ms. Little's law within 0.6 %.
TEST(Little, HoldsForPublishedFigures) {
  EXPECT_NEAR(requestsInSystem(51.7, 500, 0.4068, 0.0186), 1, 0.006);
  EXPECT_NEAR(requestsInSystem(920, 500, 88.605, 0.0932), 250, 0.006 * 250);
}

}  // namespace
}  // namespace plumbline::serving
