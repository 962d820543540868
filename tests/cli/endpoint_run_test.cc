// The benches on ordinary hosts, by the command: exit codes, and the contents of results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kEndpointScenario = R"(plumbline: 1
name: small
tests: [T5.1, T5.2]
bench: libfabric
endpoint: {provider: PROVIDER}
dut: {topology: {kind: link, link: 100G}}
traffic: {message_sizes: 64KiB, qps: 1, pairs: [[0, 1]], direction: uni}
parameters: {duration: 20ms, drain: 20ms, resolution: 1%, loads: 1%, repetitions: 1}
)";

class EndpointRunTest : public testing::Test {
 protected:
  Outcome run(const std::string& provider, std::vector<std::string> more = {}) {
    std::string text = kEndpointScenario;
    text.replace(text.find("PROVIDER"), 8, provider);
    const auto file = scratch_.path() / "small.yaml";
    std::ofstream(file) << text;
    std::vector<std::string> arguments{"run",       file.string(),
                                       "--quiet",   "--tables",
                                       "--results", (scratch_.path() / "results").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return plumblineCommand(scratch_.path(), arguments);
  }

  [[nodiscard]] bool built(const std::string& bench) const {
    const std::string version = plumblineCommand(scratch_.path(), {"version"}).out;
    return version.find("built without the bench " + bench) == std::string::npos;
  }

  TempDirectory scratch_;
};

TEST_F(EndpointRunTest, RunsThroughputAndLatencyOverSharedMemory) {
  if (!built("libfabric")) GTEST_SKIP() << "built without libfabric";
  const Outcome outcome = run("shm");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Completion latency"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("One-way latency\n")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("Port utilisation")));
  EXPECT_THAT(outcome.out, HasSubstr("utilisation of ports: not observed, "));
  const auto exported = plumblineCommand(
      scratch_.path(), {"results", "export", "--results", (scratch_.path() / "results").string(),
                        "--format", "json"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr("endpoint-software"));
  EXPECT_THAT(exported.out, HasSubstr("Non-fabric overhead"));
  EXPECT_THAT(exported.out, Not(HasSubstr("\"observed\":\"tester\"")));
}

// The same scenario on simulated hosts and between endpoints, with the missing observations of
// each.
TEST_F(EndpointRunTest, TransfersOfKvCachesRunOnEveryBench) {
  if (!built("libfabric")) GTEST_SKIP() << "built without libfabric";
  const auto file = scratch_.path() / "kv.yaml";
  std::ofstream(file) << R"(plumbline: 1
name: kv
test: kv-transfer
bench: libfabric
endpoint: {provider: shm}
dut: {topology: {kind: link, link: 100G}}
traffic: {qps: 1, pairs: [[0, 1]]}
parameters: {sizes: [4KiB, 64KiB], iterations: 20, duration: 20ms, repetitions: 1}
)";
  for (const std::string bench : {"libfabric", "sim"}) {
    SCOPED_TRACE(bench);
    const std::string json = (scratch_.path() / (bench + ".json")).string();
    const Outcome outcome = plumblineCommand(
        scratch_.path(), {"run", file.string(), "--quiet", "--bench", bench, "--json", json,
                          "--results", (scratch_.path() / "kv-results").string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto test = nlohmann::json::parse(contentOf(json)).at("tests").at(0);
    std::set<std::string> kpis;
    for (const auto& kpi : test.at("kpis")) {
      kpis.insert(kpi.at("name"));
      EXPECT_GE(kpi.at("quantity").at("value").get<double>(), 0);
    }
    EXPECT_TRUE(kpis.contains("transfer_p99_us"));
    EXPECT_TRUE(kpis.contains("kv_gigabytes_per_s"));
    EXPECT_EQ(kpis.contains("arrived_percent"), bench == "libfabric");
    EXPECT_THAT(test.at("deviations").dump(), HasSubstr("not observed"));
  }
  std::ofstream(file, std::ios::app)
      << "limits: {kv_gigabytes_per_s: 100, transfer_p99_us: 1000000}\n";
  const Outcome missed =
      plumblineCommand(scratch_.path(), {"run", file.string(), "--quiet", "--bench", "sim",
                                         "--results", (scratch_.path() / "kv-results").string()});
  EXPECT_EQ(missed.exit_code, 1) << missed.err;
  EXPECT_THAT(missed.out + missed.err, HasSubstr("kv_gigabytes_per_s"));
}

#ifdef PLUMBLINE_CARD_SIM
TEST_F(EndpointRunTest, ComparesTheCardWithEndpoints) {
  if (!built("libfabric")) GTEST_SKIP() << "built without libfabric";
  const auto file = scratch_.path() / "both.yaml";
  std::ofstream(file) << R"(plumbline: 1
name: both
test: kv-transfer
bench: compare-libfabric
endpoint: {provider: shm}
dut: {topology: {kind: link, link: 100G, host_delay: 500ns}}
traffic: {qps: 1, pairs: [[0, 1]]}
parameters: {sizes: [4KiB, 64KiB], iterations: 20, duration: 200us, repetitions: 1}
)";
  const std::string json = (scratch_.path() / "both.json").string();
  const Outcome outcome = plumblineCommand(
      scratch_.path(), {"run", file.string(), "--quiet", "--tables", "--json", json, "--results",
                        (scratch_.path() / "both-results").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("libfabric, endpoint  "));
  // Lines are wrapped anywhere between two words.
  EXPECT_THAT(std::regex_replace(outcome.out, std::regex("\\s+"), " "),
              HasSubstr("endpoint software against the wire: libfabric counts from"));
  // Percentiles of messages of several frames exist for endpoints only: the card has none, not
  // zero.
  const auto test = nlohmann::json::parse(contentOf(json)).at("tests").at(0);
  std::set<std::string> points;
  for (const auto& kpi : test.at("kpis")) {
    if (kpi.at("name") == "transfer_p99_us") points.insert(kpi.at("point"));
  }
  EXPECT_EQ(points, (std::set<std::string>{"rtl: 4 KiB, 1 QP, one at a time",
                                           "libfabric: 4 KiB, 1 QP, one at a time",
                                           "libfabric: 64 KiB, 1 QP, one at a time"}));
  EXPECT_THAT(test.at("deviations").dump(), HasSubstr("rtl: transfer"));
}
#endif

TEST_F(EndpointRunTest, AProviderThatIsNotThereIsExitCode2) {
  if (!built("libfabric")) GTEST_SKIP() << "built without libfabric";
  const Outcome outcome = run("psm9");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("libfabric has no such endpoint"));
  EXPECT_THAT(outcome.err, HasSubstr("shm"));
}

TEST_F(EndpointRunTest, AMachineWithoutADeviceIsExitCode2) {
  if (!built("verbs")) GTEST_SKIP() << "built without rdma-core";
  if (std::filesystem::exists("/sys/class/infiniband")) GTEST_SKIP() << "there may be a device";
  const Outcome outcome = run("shm", {"--bench", "verbs"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("this machine has no RDMA device"));
}

}  // namespace
}  // namespace plumbline
