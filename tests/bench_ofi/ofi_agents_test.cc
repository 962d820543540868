// The libfabric bench under `plumbline run --agents`: one agent per host, each with endpoints of
// its own, in network namespaces that stand for the hosts.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

// What is due has time to complete on a busy machine.
constexpr const char* kScenario = R"(plumbline: 1
name: two-hosts
test: T5.2
bench: libfabric
endpoint: {provider: "tcp;ofi_rxm", address: 127.0.0.1}
dut: {topology: {kind: link, link: 100G}}
traffic: {message_sizes: 64KiB, qps: 1, pairs: [[0, 1]], direction: uni}
parameters: {duration: 20ms, drain: 5s, resolution: 5%, loads: 1%, repetitions: REPETITIONS}
)";

bool succeeds(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

// What is started while it lives is in the network namespace.
class InNamespace {
 public:
  explicit InNamespace(const std::string& name)
      : before_(::open("/proc/thread-self/ns/net", kOpen)) {
    const int there = ::open(("/run/netns/" + name).c_str(), kOpen);
    if (before_ < 0 || there < 0 || ::setns(there, CLONE_NEWNET) != 0) {
      throw std::runtime_error("cannot enter the namespace " + name);
    }
    ::close(there);
  }
  ~InNamespace() {
    if (::setns(before_, CLONE_NEWNET) != 0) std::abort();  // the other tests would be elsewhere
    ::close(before_);
  }
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;

 private:
  static constexpr int kOpen = O_RDONLY | O_CLOEXEC;
  int before_;
};

// Hosts a and b, each joined to the controller's.
class OfiAgentsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* step :
         {"ip netns add {c}", "ip netns add {a}", "ip netns add {b}",
          "ip -n {c} link add to-a type veth peer name nic netns {a}",
          "ip -n {c} link add to-b type veth peer name nic netns {b}",
          "ip -n {c} address add 10.97.1.1/24 dev to-a", "ip -n {c} link set to-a up",
          "ip -n {c} address add 10.97.2.1/24 dev to-b", "ip -n {c} link set to-b up",
          "ip -n {a} address add 10.97.1.2/24 dev nic", "ip -n {a} link set nic up",
          "ip -n {b} address add 10.97.2.2/24 dev nic", "ip -n {b} link set nic up",
          "ip -n {a} link set lo up", "ip -n {b} link set lo up"}) {
      if (!succeeds(named(step))) {
        GTEST_SKIP() << "network namespaces cannot be made here: " << named(step);
      }
    }
    std::ofstream(path("token")) << "secret\n";
    const std::string certificate =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "
        "/CN=agent -addext subjectAltName=IP:10.97.1.2,IP:10.97.2.2 -keyout " +
        path("key.pem").string() + " -out " + path("cert.pem").string();
    if (!succeeds(certificate)) GTEST_SKIP() << "there is no openssl to make a certificate";
    serve("a", "10.97.1.2");
    serve("b", "10.97.2.2");
  }

  ~OfiAgentsTest() override {
    agents_.clear();
    for (const char* name : {"a", "b", "c"}) succeeds("ip netns delete " + space(name));
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return scratch_.path() / name; }
  fs::path folder(const std::string& name) {
    fs::create_directories(path(name));
    return path(name);
  }

  static std::string space(const std::string& name) {
    return "plumbline-ofi-" + std::to_string(::getpid()) + "-" + name;
  }
  // The command with the namespaces' names for {a}, {b} and {c}.
  static std::string named(std::string command) {
    for (auto at = command.find('{'); at != std::string::npos; at = command.find('{', at)) {
      command.replace(at, 3, space(command.substr(at + 1, 1)));
    }
    return command;
  }

  void serve(const std::string& name, const std::string& address) {
    const InNamespace there(space(name));
    agents_[name] = std::make_unique<Process>(
        folder(name), std::vector<std::string>{
                          "serve", "--port", "8470", "--listen", address, "--token-file",
                          path("token").string(), "--cert", path("cert.pem").string(), "--key",
                          path("key.pem").string(), "--results", path(name + "-results").string()});
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
            "10.97.1.2,10.97.2.2",
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
  std::map<std::string, std::unique_ptr<Process>> agents_;
};

TEST_F(OfiAgentsTest, TwoHostsMeasureFromOneStart) {
  Outcome ran;
  {
    const InNamespace there(space("c"));
    ran = plumblineCommand(folder("controller"), run(2, "60s"));
  }
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto json = nlohmann::json::parse(contentOf(path("run.json")));
  ASSERT_EQ(json.at("agents").size(), 2U);
  for (const auto& agent : json.at("agents")) {
    EXPECT_EQ(agent.at("outcome"), "done");
    EXPECT_GT(agent.at("trials"), 0);
    // Both are of one machine, whose clock is one.
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
    const InNamespace there(space("c"));
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
