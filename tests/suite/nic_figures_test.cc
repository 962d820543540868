// Counters of NICs during a test become its figures; figures without counters are absent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "suite/inference/inference.h"
#include "tests/suite/scripted_card.h"

namespace plumbline::suite {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// A transfer, four trials, in each of which the NICs count this.
results::TestResult transferCounting(const std::vector<bench::HostCounter>& counters) {
  scenario::Scenario scenario = onALink();
  scenario.tests = {"kv-transfer"};
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.traffic.qps = {1};
  scenario.parameters.sizes = std::vector<Bytes>{Bytes(4096)};
  scenario.parameters.repetitions = 2;
  Scripted runner([&](const bench::TrialSpec& spec) {
    bench::TrialResult result = nothingWrong(spec);
    bench::GroupLatency latency;
    latency.histogram.record(1'000'000);
    result.latency.push_back(std::move(latency));
    result.host_counters = counters;
    return result;
  });
  bench::Capabilities bench = aCard();
  bench.line_rate = gigabitsPerSecond(100);
  return kvTransferProcedure().run({scenario, bench}, runner);
}

std::map<std::string, double> nicKpis(const results::TestResult& result) {
  std::map<std::string, double> values;
  for (const results::Kpi& kpi : result.kpis) {
    if (kpi.name.starts_with("nic_")) values[kpi.name + " of " + kpi.point] = kpi.quantity.value;
  }
  return values;
}

TEST(NicFigures, AreSumsOfTheCountersThatTheyName) {
  const auto result = transferCounting({{"mlx5_0 port 1 local_ack_timeout_err", 2},
                                        {"mlx5_0 port 1 out_of_sequence", 0},
                                        {"mlx5_0 port 1 packet_seq_err", 5},
                                        {"mlx5_0 port 1 port_xmit_data", 999},
                                        {"mlx5_1 port 1 packet_seq_err", 1}});
  EXPECT_THAT(
      nicKpis(result),
      UnorderedElementsAre(
          Pair("nic_retransmissions of mlx5_0 port 1: local_ack_timeout_err + packet_seq_err",
               4 * 7),
          Pair("nic_retransmissions of mlx5_1 port 1: packet_seq_err", 4),
          // Counted, and there were none.
          Pair("nic_out_of_sequence of mlx5_0 port 1: out_of_sequence", 0)));
  const results::Table* table = findTable(result, "nic_figures");
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->rows.size(), 3U);
  EXPECT_EQ(std::get<std::string>(table->rows[2][0]), "packets out of sequence");
  EXPECT_EQ(std::get<results::Quantity>(table->rows[0][2]).observed,
            ObservationPoint::kEndpointSoftware);
  ASSERT_NE(findTable(result, "host_counters"), nullptr);
  EXPECT_EQ(findTable(result, "host_counters")->rows.size(), 5U);
}

TEST(NicFigures, AreAbsentWithoutTheirCounters) {
  const auto others = transferCounting({{"rxe0 port 1 sent_pkts", 8}});
  EXPECT_TRUE(nicKpis(others).empty());
  EXPECT_EQ(findTable(others, "nic_figures"), nullptr);
  EXPECT_NE(findTable(others, "host_counters"), nullptr);
  EXPECT_TRUE(nicKpis(transferCounting({})).empty());
}

}  // namespace
}  // namespace plumbline::suite
