// `dut_metrics:` allowed values, and messages about mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;

ParseResult parseDutMetrics(const std::string& metrics, const std::string& test = "T12.2") {
  return parseScenario("{plumbline: 1, name: n, test: " + test +
                           ", dut: {topology: {kind: clos2}},\n" + metrics + "}\n",
                       "s", {{"T5.1", "T12.1", "T12.2"}, {"rtl", "sim"}, {"T12.1", "T12.2"}, {}});
}

TEST(DutMetricsSection, IsACommandOrAFile) {
  const ParseResult command =
      parseDutMetrics("dut_metrics: {command: [./ask.sh, 192.0.2.1, \"a b\"]}");
  EXPECT_THAT(messages(command), ElementsAre());
  EXPECT_THAT(command.scenario.dut_metrics.value().command,
              ElementsAre("./ask.sh", "192.0.2.1", "a b"));
  const ParseResult file = parseDutMetrics("dut_metrics: {file: below/dut.csv}", "T12.1");
  EXPECT_THAT(messages(file), ElementsAre());
  EXPECT_EQ(file.scenario.dut_metrics.value().file, "below/dut.csv");
  EXPECT_FALSE(parseDutMetrics("seed: 1").scenario.dut_metrics);
}

TEST(DutMetricsSection, MistakesHaveTheirPlace) {
  const std::string one = "a soak asks a command or reads a file (one of \"command\" and \"file\")";
  EXPECT_THAT(messages(parseDutMetrics("dut_metrics: {}")), ElementsAre("s:2:14: " + one));
  EXPECT_THAT(messages(parseDutMetrics("dut_metrics: {command: [a], file: b}")),
              ElementsAre("s:2:14: " + one));
  EXPECT_THAT(messages(parseDutMetrics("dut_metrics: {file: /etc/passwd}")),
              ElementsAre("s:2:21: \"/etc/passwd\" is not in the scenario's folder (there or below "
                          "it)"));
  EXPECT_THAT(messages(parseDutMetrics("dut_metrics: {file: a/../../b}")),
              ElementsAre("s:2:21: \"a/../../b\" is not in the scenario's folder (there or below "
                          "it)"));
  EXPECT_THAT(messages(parseDutMetrics("dut_metrics: {file: f}", "T5.1")),
              ElementsAre("s:2:14: no test of this scenario samples the DUT over time (T12.1, "
                          "T12.2)"));
}

}  // namespace
}  // namespace plumbline::scenario
