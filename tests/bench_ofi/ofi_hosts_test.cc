// The libfabric bench from one host to another, with `plumbline-target` on each of them; hosts are
// network namespaces with a cable between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/json.h"
#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/integration/agent_network.h"
#include "tests/paths/paths.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

// On a link of 100 Mb/s, which any machine can sustain.
constexpr const char* kKvTransfer = R"(plumbline: 1
name: kv-two-hosts
test: kv-transfer
bench: libfabric
endpoint: {peers: {A: B, B: A}, token_file: token, operation: OPERATION}
dut: {topology: {kind: link, link: 100M}}
traffic: {qps: 2, pairs: [[0, 1]]}
parameters: {sizes: 16KiB, iterations: ITERATIONS, repetitions: 1, drain: 5s}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class OfiHostsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why_not = network_.make(scratch_.path());
    if (!why_not.empty()) GTEST_SKIP() << why_not;
    fs::current_path(scratch_.path());  // where agents look for the token
  }

  ~OfiHostsTest() override {
    running_.clear();
    fs::current_path("/");
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return scratch_.path() / name; }

  // Starts a program on the host, and waits for its first line.
  void start(const std::string& host, const std::string& name, const std::string& program,
             const std::vector<std::string>& arguments, const std::string& word) {
    const InNamespace there(network_.space(host));
    fs::create_directories(path(name));
    running_[name] = std::make_unique<Process>(path(name), arguments, program);
    while (!contentOf(path(name) / "stdout.txt").starts_with(word)) {
      if (running_[name]->ended()) throw std::runtime_error(running_[name]->wait().err);
      std::this_thread::sleep_for(5ms);
    }
  }
  void startTarget(const std::string& host, const std::string& token = "token") {
    start(host, "target-" + host, programPath("plumbline-target"),
          {"--library", "libfabric", "--address", network_.fabricAddress(host), "--token-file",
           path(token).string()},
          "waiting at ");
  }
  void startAgent(const std::string& host) {
    start(host, "agent-" + host, commandPath(),
          {"serve", "--port", "8470", "--listen", network_.address(host), "--token-file",
           path("token").string(), "--cert", path("cert.pem").string(), "--key",
           path("key.pem").string(), "--results", path(host + "-results").string(), "--files",
           scratch_.path().string(), "--peer", network_.fabricAddress("a"), "--peer",
           network_.fabricAddress("b")},
          "serving at ");
  }

  void write(const std::string& scenario) const {
    std::ofstream(path("scenario.yaml")) << scenario;
  }
  void writeTransfer(const std::string& operation, int iterations) const {
    std::string text =
        replaced(kKvTransfer, "A: B, B: A",
                 network_.fabricAddress("a") + ": " + network_.fabricAddress("b") + ", " +
                     network_.fabricAddress("b") + ": " + network_.fabricAddress("a"));
    text = replaced(text, "OPERATION", operation);
    write(replaced(text, "ITERATIONS", std::to_string(iterations)));
  }

  [[nodiscard]] std::vector<std::string> runArguments() const {
    return {"run",
            path("scenario.yaml").string(),
            "--quiet",
            "--results",
            path("results").string(),
            "--report",
            path("report").string(),
            "--json",
            path("run.json").string(),
            "--jsonl",
            path("run.jsonl").string()};
  }
  // The command on host a, to its end.
  Outcome runOnA() {
    const InNamespace there(network_.space("a"));
    fs::create_directories(path("command"));
    return plumblineCommand(path("command"), runArguments());
  }
  [[nodiscard]] std::vector<std::string> agentArguments(const std::string& patience) const {
    std::vector<std::string> arguments = runArguments();
    for (const std::string& more :
         {std::string("--agents"), network_.address("a") + "," + network_.address("b"),
          std::string("--start-tolerance"), std::string("60s"), std::string("--agent-timeout"),
          patience, std::string("--token-file"), path("token").string(), std::string("--ca"),
          path("cert.pem").string()}) {
      arguments.push_back(more);
    }
    return arguments;
  }

  TempDirectory scratch_;
  AgentNetwork network_{"10.96"};
  std::map<std::string, std::unique_ptr<Process>> running_;
};

// Each operation's payload crosses the cable in its own direction.
TEST_F(OfiHostsTest, TransfersCrossTheCable) {
  startTarget("b");
  for (const std::string operation : {"write", "write-immediate", "send", "read"}) {
    SCOPED_TRACE(operation);
    writeTransfer(operation, 20);
    const std::uint64_t a = network_.fabricBytes("a");
    const std::uint64_t b = network_.fabricBytes("b");
    const Outcome ran = runOnA();
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const std::uint64_t sent =
        operation == "read" ? network_.fabricBytes("b") - b : network_.fabricBytes("a") - a;
    EXPECT_GT(sent, 20U * 16'384);
  }
  // Logged when the bench has gone, possibly after the bench's end.
  const std::string said = "the bench at 10.96.3.1: read of 16384 B over 2 queue pairs: ended";
  while (contentOf(path("target-b") / "stdout.txt").find(said) == std::string::npos) {
    std::this_thread::sleep_for(5ms);
  }
}

// The scenario that is shipped, with the addresses of these hosts, shorter and on a slow link.
TEST_F(OfiHostsTest, AgentsSendToEachOther) {
  for (const char* host : {"a", "b"}) {
    startTarget(host);
    startAgent(host);
  }
  std::string scenario = contentOf(checkoutPath("scenarios/endpoint/ofi-two-hosts.yaml"));
  scenario = replaced(scenario, "198.18.0.1", network_.fabricAddress("a"));
  scenario = replaced(scenario, "198.18.0.2", network_.fabricAddress("b"));
  scenario = replaced(scenario, "[64B, 4KiB, 64KiB, 4MiB]", "[16KiB]");
  scenario = replaced(scenario, "link: 100G", "link: 10M");
  scenario = replaced(scenario, "drain: 20ms", "drain: 5s");
  scenario = replaced(scenario, "loads: [0.1%]", "loads: [50%]");
  scenario = replaced(scenario, "resolution: 0.1%", "resolution: 10%");
  write(replaced(scenario, "repetitions: 3", "repetitions: 1"));
  Outcome ran;
  {
    const InNamespace there(network_.space("c"));
    fs::create_directories(path("controller"));
    ran = plumblineCommand(path("controller"), agentArguments("60s"));
  }
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  // 100 ms at 10 Mb/s and at 5 Mb/s, with one and with four queue pairs, from each of them: seven
  // messages of 16 KiB and three.
  for (const char* host : {"a", "b"}) EXPECT_GT(network_.fabricBytes(host), 20U * 16'384) << host;
  const auto json = nlohmann::json::parse(contentOf(path("run.json")));
  ASSERT_EQ(json.at("agents").size(), 2U);
  for (const auto& agent : json.at("agents")) EXPECT_EQ(agent.at("outcome"), "done");
  const std::string report = contentOf(path("report") / "report.html");
  for (const char* part :
       {"initiators on this host, 10.96.3.1, targets on the one at 10.96.3.2",
        "initiators on this host, 10.96.3.2, targets on the one at 10.96.3.1", "Target: Kernel",
        "Target: libfabric provider", "10.96.1.2: Completion latency"}) {
    EXPECT_THAT(report, HasSubstr(part));
  }
}

TEST_F(OfiHostsTest, AnAgentThatIsLostEndsTheRunAndWhatWasMeasuredIsKept) {
  for (const char* host : {"a", "b"}) {
    startTarget(host);
    startAgent(host);
  }
  writeTransfer("write", 20);
  write(replaced(contentOf(path("scenario.yaml")), "repetitions: 1", "repetitions: 100"));
  std::unique_ptr<Process> controller;
  {
    const InNamespace there(network_.space("c"));
    fs::create_directories(path("controller"));
    controller = std::make_unique<Process>(path("controller"), agentArguments("4s"));
  }
  while (contentOf(path("run.jsonl")).find("10.96.2.2") == std::string::npos) {
    ASSERT_FALSE(controller->ended()) << controller->wait().err;
    std::this_thread::sleep_for(10ms);
  }
  running_["agent-b"]->signal(SIGKILL);
  const Outcome lost = controller->wait();
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.err, HasSubstr("agent 10.96.2.2 was lost: "));
  auto store = results::ResultStore::openExisting(path("results"));
  const results::StoredRun saved = store.loadRun(1);
  EXPECT_EQ(saved.info.status, results::RunStatus::kFailed);
  EXPECT_GT(saved.agents.at(1).trials, 0U);
}

TEST_F(OfiHostsTest, ATargetProgramThatIsKilledEndsTheRunAndWhatWasMeasuredIsKept) {
  startTarget("b");
  writeTransfer("write", 20);
  write(replaced(contentOf(path("scenario.yaml")), "repetitions: 1", "repetitions: 100"));
  std::unique_ptr<Process> command;
  {
    const InNamespace there(network_.space("a"));
    fs::create_directories(path("command"));
    command = std::make_unique<Process>(path("command"), runArguments());
  }
  while (contentOf(path("run.jsonl")).empty()) {
    ASSERT_FALSE(command->ended()) << command->wait().err;
    std::this_thread::sleep_for(10ms);
  }
  running_["target-b"]->signal(SIGKILL);
  const Outcome lost = command->wait();
  EXPECT_EQ(lost.exit_code, 3) << lost.err;
  EXPECT_THAT(lost.err, HasSubstr("--resume"));
  auto store = results::ResultStore::openExisting(path("results"));
  EXPECT_EQ(store.loadRun(1).info.status, results::RunStatus::kFailed);
  EXPECT_GT(store.loadRun(1).info.trials, 0U);
}

TEST_F(OfiHostsTest, WhoHasNotTheTokenIsRefusedBeforeAnythingBegins) {
  std::ofstream(path("other")) << "another\n";
  startTarget("b", "other");
  writeTransfer("write", 1);
  const std::uint64_t before = network_.fabricBytes("a");
  const Outcome wrong = runOnA();
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err,
              AllOf(HasSubstr("the target program at 10.96.3.2"), HasSubstr("the token is wrong")));
  write(replaced(contentOf(path("scenario.yaml")), "token_file: token, ", ""));
  const Outcome none = runOnA();
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("asks for a token"));
  EXPECT_LT(network_.fabricBytes("a") - before, 16'384U);
}

TEST_F(OfiHostsTest, AHostWithoutAnEntryIsNamedOne) {
  startTarget("b");
  writeTransfer("write", 1);
  write(replaced(contentOf(path("scenario.yaml")), network_.fabricAddress("a") + ":", "10.9.9.9:"));
  const Outcome refused = runOnA();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("endpoint.peers: there is no entry for this host"),
                                 HasSubstr("10.96.3.1")));
}

TEST_F(OfiHostsTest, ATargetProgramIsForThisMachineUnlessThereIsAToken) {
  const InNamespace there(network_.space("b"));
  const auto refused = [&](const std::vector<std::string>& arguments) {
    return Process(scratch_.path(), arguments, programPath("plumbline-target")).wait();
  };
  const Outcome open = refused({"--library", "libfabric", "--address", "10.96.3.2"});
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_THAT(open.err, AllOf(HasSubstr("are served with a token only"), HasSubstr("--no-token")));
  const Outcome nowhere = refused({"--library", "libfabric", "--address", "here"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("is no IP address"));
  start("b", "open", programPath("plumbline-target"),
        {"--library", "libfabric", "--address", "10.96.3.2", "--no-token"}, "waiting at ");
  start("b", "local", programPath("plumbline-target"), {"--library", "libfabric"},
        "waiting at 127.0.0.1 port 18590, libfabric with ");
}

}  // namespace
}  // namespace plumbline
