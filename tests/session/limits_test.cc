#include "session/limits.h"

#include <gtest/gtest.h>

#include "session/run.h"

namespace plumbline::session {
namespace {

using scenario::Limit;
using scenario::LimitSense;

results::Kpi kpi(const std::string& name, const std::string& point, double value) {
  results::Kpi kpi;
  kpi.name = name;
  kpi.point = point;
  kpi.quantity.value = value;
  kpi.quantity.unit = name.ends_with("_ns") ? "ns" : "%";
  return kpi;
}

std::vector<results::TestResult> tests() {
  results::TestResult latency;
  latency.id = "T5.2";
  latency.kpis = {kpi("latency_p99_ns", "64 B", 900), kpi("latency_p99_ns", "4 KiB", 1500),
                  kpi("latency_p99_ns", "1 KiB", 1200)};
  results::TestResult throughput;
  throughput.id = "T5.1";
  throughput.kpis = {kpi("throughput_percent", "64 B", 99), kpi("throughput_percent", "", 48.5)};
  return {latency, throughput};
}

TEST(Limits, TheWorstPointDecides) {
  const auto at_most = judge({{"latency_p99_ns", LimitSense::kAtMost, 1499}}, tests());
  ASSERT_EQ(at_most.size(), 1u);
  EXPECT_TRUE(at_most[0].measured);
  EXPECT_FALSE(at_most[0].met);
  EXPECT_EQ(at_most[0].worst, 1500);
  EXPECT_EQ(at_most[0].unit, "ns");
  EXPECT_EQ(at_most[0].where, "T5.2, 4 KiB");
  EXPECT_EQ(verdictText(at_most[0]),
            "latency_p99_ns at most 1499: MISSED, worst 1500 (T5.2, 4 KiB)");

  const auto at_least = judge({{"throughput_percent", LimitSense::kAtLeast, 48}}, tests());
  EXPECT_TRUE(at_least[0].met);
  EXPECT_EQ(at_least[0].worst, 48.5);
  EXPECT_EQ(verdictText(at_least[0]), "throughput_percent at least 48: met, worst 48.5 (T5.1)");
}

TEST(Limits, DigitsTellTheWorstValueFromTheBound) {
  results::TestResult time;
  time.id = "free";
  time.kpis = {kpi("job_time_us", "a", 236.04112)};
  EXPECT_EQ(verdictText(judge({{"job_time_us", LimitSense::kAtMost, 236.041}}, {time})[0]),
            "job_time_us at most 236.041: MISSED, worst 236.04112 (free, a)");
  EXPECT_EQ(verdictText(judge({{"job_time_us", LimitSense::kAtMost, 300}}, {time})[0]),
            "job_time_us at most 300: met, worst 236.041 (free, a)");
}

TEST(Limits, TheBoundItselfIsMet) {
  EXPECT_TRUE(judge({{"latency_p99_ns", LimitSense::kAtMost, 1500}}, tests())[0].met);
  EXPECT_TRUE(judge({{"throughput_percent", LimitSense::kAtLeast, 48.5}}, tests())[0].met);
  EXPECT_FALSE(judge({{"throughput_percent", LimitSense::kAtLeast, 48.6}}, tests())[0].met);
}

// A job that was cut off may have missed the limit that the others meet.
TEST(Limits, APointThatWasNotMeasuredKeepsALimitFromBeingMet) {
  std::vector<results::TestResult> results = tests();
  results[0].unmeasured.push_back({"latency_p99_ns", "64 KiB"});
  const auto met_elsewhere = judge({{"latency_p99_ns", LimitSense::kAtMost, 1500}}, results);
  EXPECT_FALSE(met_elsewhere[0].met);
  EXPECT_FALSE(met_elsewhere[0].measured);
  EXPECT_EQ(verdictText(met_elsewhere[0]),
            "latency_p99_ns at most 1500: NOT MEASURED (T5.2, 64 KiB)");
  // A missed limit stays missed.
  const auto missed = judge({{"latency_p99_ns", LimitSense::kAtMost, 1000}}, results);
  EXPECT_TRUE(missed[0].measured);
  EXPECT_FALSE(missed[0].met);
  EXPECT_TRUE(judge({{"throughput_percent", LimitSense::kAtLeast, 48}}, results)[0].met);
}

TEST(Limits, AResultThatIsNotValidMeetsNone) {
  std::vector<results::TestResult> results = tests();
  results[0].valid = false;
  const auto met = judge({{"latency_p99_ns", LimitSense::kAtMost, 1500}}, results);
  EXPECT_FALSE(met[0].met);
  EXPECT_EQ(verdictText(met[0]), "latency_p99_ns at most 1500: NOT MEASURED (T5.2 is not valid)");
  // Missed all the same; and the other test's limit is met.
  EXPECT_TRUE(judge({{"latency_p99_ns", LimitSense::kAtMost, 1000}}, results)[0].measured);
  EXPECT_TRUE(judge({{"throughput_percent", LimitSense::kAtLeast, 48}}, results)[0].met);
}

TEST(Limits, WhatWasNotMeasuredIsNeitherMetNorMissed) {
  const auto verdicts = judge({{"loss_ppm", LimitSense::kAtMost, 0}}, tests());
  EXPECT_FALSE(verdicts[0].measured);
  EXPECT_FALSE(verdicts[0].met);
  EXPECT_EQ(verdictText(verdicts[0]), "loss_ppm at most 0: NOT MEASURED");
}

// The command's exit code: a measurement that is not valid outweighs a missed limit, and that one a
// limit that was not measured.
TEST(Verdict, HasTheExitCodeOfTheWorstThatIsKnown) {
  const auto code = [](bool valid, bool met, bool measured) {
    Verdict verdict;
    verdict.valid = valid;
    verdict.met = met;
    verdict.measured = measured;
    return static_cast<int>(verdict.exitCode());
  };
  EXPECT_EQ(code(true, true, true), 0);
  EXPECT_EQ(code(true, true, false), 4);
  EXPECT_EQ(code(true, false, true), 1);
  EXPECT_EQ(code(true, false, false), 1);
  EXPECT_EQ(code(false, false, false), 4);
}

}  // namespace
}  // namespace plumbline::session
