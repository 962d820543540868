// What a result says by itself of repetitions, and of what its trials set.
#include "suite/result_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "suite/training/training.h"
#include "suite/trial_configuration.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using testing::HasSubstr;

// A result of two points with these values of one figure.
results::TestResult repeatedResult(const std::vector<double>& first,
                                   const std::vector<double>& second) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  ResultBuilder builder(scaleTest(), "section 11.1", std::vector<results::Deviation>(),
                        {scenario, runner.bench.capabilities()});
  builder.kpi("time_us", "first", builder.repeated("first", "time", first, "us"));
  builder.kpi("time_us", "second", builder.repeated("second", "time", second, "us"));
  return builder.take();
}

TEST(ResultBuilder, OneRepetitionIsADeviation) {
  const auto told = [](const results::TestResult& result) {
    std::string all;
    for (const results::Deviation& one : result.deviations) all += one.what + "\n";
    return all;
  };
  EXPECT_THAT(told(repeatedResult({1}, {2})), HasSubstr("one repetition of each point"));
  EXPECT_THAT(told(repeatedResult({1, 1}, {2})), testing::Not(HasSubstr("one repetition")));
}

// Deviation of 9, 10, 11 is 1, CV 10 %; of 98, 100, 102 it is 2 %.
TEST(ResultBuilder, FiguresThatScatterAreAnAnomaly) {
  const results::TestResult result = repeatedResult({9, 10, 11}, {98, 100, 102});
  ASSERT_FALSE(result.anomalies.empty());
  EXPECT_EQ(result.anomalies.back().what,
            "1 of 2 figures have a CV above 5 %, the most 10 %: time_us at first");
  EXPECT_TRUE(repeatedResult({98, 100, 102}, {5, 5, 5}).anomalies.empty());
}

TEST(TrialConfiguration, IsWhatThePointsSet) {
  SweepPoint ecmp;
  ecmp.spec.dut = smallFabric().fabricSpec();
  transport::RoceSpec roce = usualRoce();
  ecmp.spec.transport = roce;
  SweepPoint spray = ecmp;
  spray.spec.dut.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  roce.path_mtu = 1024;
  spray.spec.transport = roce;
  ConfigurationLines lines{{"PFC", "as the test says"}};
  addTrialConfiguration({ecmp, spray}, lines);
  const auto line = [&](const std::string& name) {
    std::string found;
    for (const auto& [key, value] : lines) {
      if (key == name) found += value;
    }
    return found;
  };
  EXPECT_EQ(line("Load balancing"), "ecmp; spray-round-robin");
  EXPECT_THAT(line("Shared buffer"), HasSubstr("32000000 B"));
  EXPECT_EQ(line("PFC"), "as the test says");
  EXPECT_THAT(
      line("NIC, RoCEv2 RC"),
      testing::AllOf(HasSubstr("path MTU 4096 B, go-back-N"), HasSubstr("; path MTU 1024 B"),
                     HasSubstr("timeout 1048576 ns doubling"), HasSubstr("7 retries")));
  EXPECT_THAT(line("NIC, DCQCN"), HasSubstr("CNP at most every 50 us"));
}

}  // namespace
}  // namespace plumbline::suite
