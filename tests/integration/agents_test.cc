// `plumbline run --agents` from the users' point of view: servers and controller are separate
// processes, on this machine and in network namespaces that represent other machines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/json.h"
#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/control/small_scenario.h"
#include "tests/integration/agent_network.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

class AgentsTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return scratch_.path() / name; }

  // A folder for a process's output.
  fs::path folder(const std::string& name) {
    fs::create_directories(path(name));
    return path(name);
  }

  // An agent on this machine; its address is in addresses_.
  void serve(const std::string& name, const std::string& port = "0",
             const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"serve", "--port", port, "--results",
                                       path(name + "-results").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    fs::remove(path(name) / "stdout.txt");  // of an earlier agent
    agents_[name] = std::make_unique<Process>(folder(name), arguments);
    for (;;) {
      const std::string out = contentOf(path(name) / "stdout.txt");
      if (out.starts_with("serving at ") && out.ends_with("\n")) {
        addresses_[name] = out.substr(out.find("://") + 3);
        addresses_[name].pop_back();
        return;
      }
      if (agents_[name]->ended()) throw std::runtime_error(agents_[name]->wait().err);
      std::this_thread::sleep_for(5ms);
    }
  }

  std::string scenario(int trials) {
    const fs::path file = path("scenario.yaml");
    std::ofstream(file) << control::smallScenario(trials);
    return file.string();
  }

  [[nodiscard]] std::vector<std::string> run(const std::string& file, const std::string& agents,
                                             const std::string& name,
                                             const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run",
                                       file,
                                       "--agents",
                                       agents,
                                       "--start-tolerance",
                                       "60s",
                                       "--results",
                                       path(name + "-results").string(),
                                       "--report",
                                       path(name + "-report").string(),
                                       "--json",
                                       path(name + ".json").string(),
                                       "--jsonl",
                                       path(name + ".jsonl").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  // Agents of which lines have come.
  [[nodiscard]] std::set<std::string> sendersSeenBy(const std::string& name) const {
    std::set<std::string> agents;
    std::ifstream lines(path(name + ".jsonl"));
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      agents.insert(nlohmann::json::parse(line).at("agent").get<std::string>());
    }
    return agents;
  }

  TempDirectory scratch_;
  std::map<std::string, std::string> addresses_;
  std::map<std::string, std::unique_ptr<Process>> agents_;
};

TEST_F(AgentsTest, OneReportOfTwoAgents) {
  serve("a");
  serve("b");
  const std::string both = addresses_["a"] + "," + addresses_["b"];
  const Outcome ran = plumblineCommand(folder("controller"), run(scenario(3), both, "controller"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto json = nlohmann::json::parse(contentOf(path("controller.json")));
  ASSERT_EQ(json.at("agents").size(), 2u);
  const std::string report = contentOf(path("controller-report") / "report.html");
  EXPECT_THAT(report, HasSubstr("<h2>Agents</h2>"));
  EXPECT_THAT(report, HasSubstr("simulated fabric"));
  for (const auto& agent : json.at("agents")) {
    const auto name = agent.at("name").get<std::string>();
    EXPECT_THAT(report, HasSubstr("<td>" + name + "</td>"));
    EXPECT_THAT(ran.err, HasSubstr(name + ": clock "));
    EXPECT_EQ(agent.at("outcome"), "done");
    // Processes of one machine have one clock.
    EXPECT_LE(std::abs(agent.at("clock_offset_ns").get<std::int64_t>()),
              agent.at("clock_uncertainty_ns").get<std::int64_t>() + 100'000);
  }
  EXPECT_EQ(sendersSeenBy("controller"), (std::set<std::string>{addresses_["a"], addresses_["b"]}));
}

TEST_F(AgentsTest, AnAgentThatIsKilledEndsTheRunAndTheRunGoesOnLater) {
  serve("a");
  serve("b");
  const std::string both = addresses_["a"] + "," + addresses_["b"];
  const std::string file = scenario(60);
  Process controller(folder("controller"),
                     run(file, both, "controller", {"--agent-timeout", "2s"}));
  while (sendersSeenBy("controller").size() < 2) {
    ASSERT_FALSE(controller.ended()) << controller.wait().err;
    std::this_thread::sleep_for(10ms);
  }
  // A second controller has to wait.
  const Outcome second = plumblineCommand(folder("second"), run(file, both, "second"));
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("agent " + addresses_["a"] + ": run 1 has port sim"));

  agents_["b"]->signal(SIGKILL);
  agents_["b"]->wait();
  const Outcome lost = controller.wait();
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.err, HasSubstr("agent " + addresses_["b"] + " was lost: "));
  EXPECT_THAT(lost.err, HasSubstr("are saved as run 1"));
  {
    auto store = results::ResultStore::openExisting(path("controller-results"));
    const results::StoredRun saved = store.loadRun(1);
    EXPECT_EQ(saved.info.status, results::RunStatus::kFailed);
    EXPECT_GT(saved.agents.at(1).trials, 0u);
    EXPECT_EQ(saved.info.trials, saved.agents.at(0).trials + saved.agents.at(1).trials);
  }
  // It returns, and the run continues on both.
  serve("b", addresses_["b"].substr(addresses_["b"].find(':') + 1));
  const Outcome resumed =
      plumblineCommand(folder("resumed"), run(file, both, "controller", {"--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("going on with run 1: "));
  const auto json = nlohmann::json::parse(contentOf(path("controller.json")));
  EXPECT_EQ(json.at("run"), 1);
  EXPECT_EQ(json.at("agents").size(), 4u);
}

// A process that is stopped cannot begin in time, which is reported.
TEST_F(AgentsTest, ATrialThatBeginsLateIsToldAndMakesTheResultInvalid) {
  serve("a");
  serve("b");
  std::vector<std::string> arguments =
      run(scenario(40), addresses_["a"] + "," + addresses_["b"], "controller");
  *(std::find(arguments.begin(), arguments.end(), "--start-tolerance") + 1) = "500ms";
  Process controller(folder("controller"), arguments);
  while (sendersSeenBy("controller").size() < 2) {
    ASSERT_FALSE(controller.ended()) << controller.wait().err;
    std::this_thread::sleep_for(10ms);
  }
  // Most of the time it waits for a start time. One of these stops is enough, and they are not in
  // step with the trials, however long those take.
  for (int i = 0; i < 8; ++i) {
    agents_["b"]->signal(SIGSTOP);
    std::this_thread::sleep_for(800ms);
    agents_["b"]->signal(SIGCONT);
    std::this_thread::sleep_for(120ms + i * 37ms);
  }
  const Outcome ran = controller.wait();
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("TOO LATE"));
  const auto json = nlohmann::json::parse(contentOf(path("controller.json")));
  EXPECT_TRUE(json.at("agents").at(1).at("late"));
  EXPECT_GT(json.at("agents").at(1).at("late_ns"), 500'000'000);
  EXPECT_FALSE(json.at("tests").at(0).at("valid"));
  const std::string report = contentOf(path("controller-report") / "report.html");
  EXPECT_THAT(report, HasSubstr("us after the common start"));
  EXPECT_THAT(report, HasSubstr("Start of each trial"));
}

TEST_F(AgentsTest, WithoutItsControllerAnAgentStopsAndTheRunGoesOnLater) {
  serve("a");
  serve("b");
  const std::string both = addresses_["a"] + "," + addresses_["b"];
  const std::string file = scenario(40);
  Process controller(folder("controller"),
                     run(file, both, "controller", {"--agent-timeout", "1s"}));
  while (sendersSeenBy("controller").size() < 2) {
    ASSERT_FALSE(controller.ended()) << controller.wait().err;
    std::this_thread::sleep_for(10ms);
  }
  controller.signal(SIGKILL);
  controller.wait();
  for (const char* agent : {"a", "b"}) {
    auto store = results::ResultStore::openExisting(path(std::string(agent) + "-results"));
    while (store.loadRun(1).info.status == results::RunStatus::kRunning) {
      std::this_thread::sleep_for(50ms);
    }
    EXPECT_EQ(store.loadRun(1).info.status, results::RunStatus::kAborted);
    EXPECT_GT(store.loadRun(1).info.trials, 0u);
  }
  const Outcome resumed =
      plumblineCommand(folder("resumed"), run(file, both, "controller", {"--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("going on with run 1: "));
}

TEST_F(AgentsTest, CtrlCStopsAllAgents) {
  serve("a");
  serve("b");
  Process controller(folder("controller"),
                     run(scenario(200), addresses_["a"] + "," + addresses_["b"], "controller"));
  while (sendersSeenBy("controller").size() < 2) {
    ASSERT_FALSE(controller.ended()) << controller.wait().err;
    std::this_thread::sleep_for(10ms);
  }
  controller.signal(SIGINT);
  const Outcome stopped = controller.wait();
  EXPECT_EQ(stopped.exit_code, 5) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("--resume --agents " + addresses_["a"]));
  for (const char* agent : {"a", "b"}) {
    auto store = results::ResultStore::openExisting(path(std::string(agent) + "-results"));
    EXPECT_EQ(store.loadRun(1).info.status, results::RunStatus::kAborted);
  }
}

TEST_F(AgentsTest, MistakesOfTheCommandLine) {
  const std::string file = scenario(2);
  const auto exitCode = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", file, "--quiet", "--results", path("x").string()});
    return plumblineCommand(folder("controller"), more).exit_code;
  };
  EXPECT_EQ(exitCode({"--agents", "127.0.0.1:1"}), 3);
  EXPECT_EQ(exitCode({"--agents", "127.0.0.1:1,127.0.0.1:1"}), 2);
  EXPECT_EQ(exitCode({"--agents", "127.0.0.1:1", "--server", "127.0.0.1"}), 2);
  EXPECT_EQ(exitCode({"--agents", "127.0.0.1:1", "--trace", "x.fst"}), 2);
  EXPECT_EQ(exitCode({"--agents", "127.0.0.1:1", "--capture", "x.pcapng"}), 2);
  EXPECT_EQ(exitCode({"--agents", "127.0.0.1:1", "--start-tolerance", "soon"}), 2);
  EXPECT_EQ(exitCode({"--agents", "127.0.0.1:1", "--agent-timeout", "1ms"}), 2);
  EXPECT_EQ(exitCode({"--token-file", file}), 2);
  EXPECT_EQ(exitCode({"--agent-timeout", "5s"}), 2);
  EXPECT_FALSE(fs::exists(path("x")));
}

// Two agents and a controller, each with a network of its own; over TLS and with a token.
class NamespacesTest : public AgentsTest {
 protected:
  void SetUp() override {
    const std::string why_not = network_.make(scratch_.path());
    if (!why_not.empty()) GTEST_SKIP() << why_not;
  }

  ~NamespacesTest() override { agents_.clear(); }

  void serveIn(const std::string& name) {
    const InNamespace there(network_.space(name));
    serve(name, "8470",
          {"--listen", network_.address(name), "--token-file", path("token").string(), "--cert",
           path("cert.pem").string(), "--key", path("key.pem").string()});
  }

  Outcome control(const std::vector<std::string>& more) {
    const InNamespace there(network_.space("c"));
    const std::string both = network_.address("a") + "," + network_.address("b");
    return plumblineCommand(folder("controller"), run(scenario(20), both, "controller", more));
  }

  [[nodiscard]] std::vector<std::string> access() const {
    return {"--token-file", path("token").string(), "--ca", path("cert.pem").string()};
  }

  // Offset and its uncertainty of each agent. The truth is 0: they are of one machine.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> offsets() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    const auto json = nlohmann::json::parse(contentOf(path("controller.json")));
    for (const auto& agent : json.at("agents")) {
      all.emplace_back(agent.at("clock_offset_ns"), agent.at("clock_uncertainty_ns"));
    }
    return all;
  }

  AgentNetwork network_{"10.98"};
};

TEST_F(NamespacesTest, AgentsOfOtherNetworks) {
  serveIn("a");
  serveIn("b");
  EXPECT_EQ(control({"--ca", path("cert.pem").string()}).exit_code, 2);  // no token
  const Outcome ran = control(access());
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  ASSERT_EQ(offsets().size(), 2u);
  for (const auto& [offset, uncertainty] : offsets()) {
    EXPECT_LE(std::abs(offset), uncertainty + 100'000) << uncertainty;
  }
}

TEST_F(NamespacesTest, DelayOnOneWayIsWithinTheUncertainty) {
  const std::string slow =
      "tc -n " + network_.space("c") + " qdisc add dev to-b root netem delay 40ms";
  if (!succeeds(slow)) GTEST_SKIP() << "this kernel has no netem: " << slow;
  serveIn("a");
  serveIn("b");
  const Outcome ran = control(access());
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto [offset, uncertainty] = offsets().at(1);
  EXPECT_GT(offset, 10'000'000);  // half of the delay: its direction cannot be detected
  EXPECT_LE(offset, uncertainty + 100'000);
}

}  // namespace
}  // namespace plumbline
