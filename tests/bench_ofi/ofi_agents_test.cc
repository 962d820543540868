// The libfabric bench under `plumbline run --agents`: one agent per host, each with endpoints of
// its own, in network namespaces that represent the hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/json.h"
#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/integration/agent_network.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

// Enough time for completions on a busy machine.
constexpr const char* kScenario = R"(plumbline: 1
name: two-hosts
test: T5.2
bench: libfabric
endpoint: {provider: "tcp;ofi_rxm", address: 127.0.0.1}
dut: {topology: {kind: link, link: 100G}}
traffic: {message_sizes: 64KiB, qps: 1, pairs: [[0, 1]], direction: uni}
parameters: {duration: 20ms, drain: 5s, resolution: 5%, loads: 1%, repetitions: REPETITIONS}
)";

// Hosts a and b, each joined to the controller's.
class OfiAgentsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why_not = network_.make(scratch_.path());
    if (!why_not.empty()) GTEST_SKIP() << why_not;
    serve("a");
    serve("b");
  }

  ~OfiAgentsTest() override { agents_.clear(); }

  [[nodiscard]] fs::path path(const std::string& name) const { return scratch_.path() / name; }
  fs::path folder(const std::string& name) {
    fs::create_directories(path(name));
    return path(name);
  }

  void serve(const std::string& name) {
    const InNamespace there(network_.space(name));
    agents_[name] = std::make_unique<Process>(
        folder(name),
        std::vector<std::string>{"serve", "--port", "8470", "--listen", network_.address(name),
                                 "--token-file", path("token").string(), "--cert",
                                 path("cert.pem").string(), "--key", path("key.pem").string(),
                                 "--results", path(name + "-results").string()});
    while (!contentOf(path(name) / "stdout.txt").starts_with("serving at ")) {
      if (agents_[name]->ended()) throw std::runtime_error(agents_[name]->wait().err);
      std::this_thread::sleep_for(5ms);
    }
  }

  [[nodiscard]] std::vector<std::string> run(int repetitions, const std::string& patience) const {
    std::string text = kScenario;
    text.replace(text.find("REPETITIONS"), 11, std::to_string(repetitions));
    std::ofstream(path("scenario.yaml")) << text;
    return {"run",
            path("scenario.yaml").string(),
            "--agents",
            network_.address("a") + "," + network_.address("b"),
            "--start-tolerance",
            "60s",
            "--agent-timeout",
            patience,
            "--results",
            path("results").string(),
            "--report",
            path("report").string(),
            "--json",
            path("run.json").string(),
            "--jsonl",
            path("run.jsonl").string(),
            "--token-file",
            path("token").string(),
            "--ca",
            path("cert.pem").string()};
  }

  TempDirectory scratch_;
  AgentNetwork network_{"10.97"};
  std::map<std::string, std::unique_ptr<Process>> agents_;
};

TEST_F(OfiAgentsTest, TwoHostsMeasureFromOneStart) {
  Outcome ran;
  {
    const InNamespace there(network_.space("c"));
    ran = plumblineCommand(folder("controller"), run(2, "60s"));
  }
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto json = nlohmann::json::parse(contentOf(path("run.json")));
  ASSERT_EQ(json.at("agents").size(), 2U);
  for (const auto& agent : json.at("agents")) {
    EXPECT_EQ(agent.at("outcome"), "done");
    EXPECT_GT(agent.at("trials"), 0);
    // Both are on one machine and share its clock.
    EXPECT_LE(std::abs(agent.at("clock_offset_ns").get<std::int64_t>()),
              agent.at("clock_uncertainty_ns").get<std::int64_t>() + 100'000);
  }
  const std::string report = contentOf(path("report") / "report.html");
  for (const char* part : {"<h2>Agents</h2>", "Start of each trial",
                           "10.97.1.2: Completion latency", "10.97.2.2: Completion latency"}) {
    EXPECT_THAT(report, HasSubstr(part));
  }
}

TEST_F(OfiAgentsTest, AHostThatIsLostEndsTheRunAndWhatWasMeasuredIsKept) {
  std::unique_ptr<Process> controller;
  {
    const InNamespace there(network_.space("c"));
    controller = std::make_unique<Process>(folder("controller"), run(200, "4s"));
  }
  while (contentOf(path("run.jsonl")).find("10.97.2.2") == std::string::npos) {
    ASSERT_FALSE(controller->ended()) << controller->wait().err;
    std::this_thread::sleep_for(10ms);
  }
  agents_["b"]->signal(SIGKILL);
  agents_["b"]->wait();
  const Outcome lost = controller->wait();
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.err, HasSubstr("agent 10.97.2.2 was lost: "));
  auto store = results::ResultStore::openExisting(path("results"));
  const results::StoredRun saved = store.loadRun(1);
  EXPECT_EQ(saved.info.status, results::RunStatus::kFailed);
  EXPECT_GT(saved.agents.at(1).trials, 0U);
}

}  // namespace
}  // namespace plumbline
