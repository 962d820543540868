// The benches on ordinary hosts, by the command: exit codes, and what a result does and does not
// have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

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
    std::vector<std::string> arguments{"run", file.string(), "--quiet", "--results",
                                       (scratch_.path() / "results").string()};
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
