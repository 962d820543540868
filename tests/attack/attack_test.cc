// The server and the target program, started as by users, with misbehaving clients and peers. Each
// attack is bounded in time, with the same criteria: the program survives, answers others
// meanwhile, and ends on request.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "tests/attack/hostile_peer.h"
#include "tests/cli/process.h"
#include "tests/control/raw_socket.h"
#include "tests/control/small_scenario.h"
#include "tests/paths/paths.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using control::RawSocket;
using nlohmann::json;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::chrono::milliseconds kPatience{20'000};
constexpr const char* kGreeting = R"({"plumbline_target":1})";

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

// Whether the command was built with this bench.
bool commandHas(const fs::path& scratch, const std::string& bench) {
  return plumblineCommand(scratch, {"list", "benches"}).out.find(bench) != std::string::npos;
}

class Attack : public testing::Test {
 protected:
  Attack() {
    for (const char* name : {"server", "target", "files"})
      fs::create_directories(scratch_.path() / name);
  }

  // Starts a program and waits until its first line ends with a port.
  std::uint16_t start(std::unique_ptr<Process>& process, const std::string& folder,
                      const std::vector<std::string>& arguments, const std::string& program) {
    const fs::path directory = scratch_.path() / folder;
    process = std::make_unique<Process>(directory, arguments, program);
    for (;;) {
      const std::string out = contentOf(directory / "stdout.txt");
      const std::size_t end = out.find('\n');
      if (end != std::string::npos) {
        const std::size_t at = out.find(program == commandPath() ? "127.0.0.1:" : "port ");
        return static_cast<std::uint16_t>(
            std::stoi(out.substr(at + (program == commandPath() ? 10 : 5))));
      }
      if (process->ended()) throw std::runtime_error(process->wait().err);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void serve(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"serve", "--port", "0", "--results",
                                       (scratch_.path() / "results").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    port_ = start(server_, "server", arguments, commandPath());
  }

  static std::string request(const std::string& method, const std::string& resource,
                             const std::string& body = {}, const std::string& more = {}) {
    std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}",
                                   method, resource, more);
    if (method == "POST") {
      text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
    }
    return text + "\r\n" + body;
  }
  // The whole answer.
  std::string ask(const std::string& method, const std::string& resource,
                  const std::string& body = {}, const std::string& more = {}) {
    const RawSocket socket(port_);
    socket.send(request(method, resource, body, more));
    return socket.receive(kPatience);
  }
  std::string plan(const std::string& scenario) {
    return ask("POST", "/api/v1/scenarios/plan", json{{"scenario", scenario}}.dump());
  }
  void expectAlive() {
    const auto before = steady_clock::now();
    EXPECT_THAT(ask("GET", "/api/v1/clock"), StartsWith("HTTP/1.1 200"));
    EXPECT_LT(steady_clock::now() - before, seconds(5));
  }
  void expectEndsWhenTold() {
    const auto before = steady_clock::now();
    server_->signal(SIGTERM);
    const Outcome outcome = server_->wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_LT(steady_clock::now() - before, seconds(15));
  }
  bool built(const std::string& bench) {
    return ask("GET", "/api/v1/capabilities").find("\"" + bench + "\"") != std::string::npos;
  }
  static std::string overPeer(std::uint16_t port) {
    return fmt::format(R"(plumbline: 1
name: peer
test: T5.1
bench: libfabric
endpoint: {{provider: tcp, peer: 127.0.0.1, peer_port: {}}}
dut: {{topology: {{kind: link, link: 100G}}}}
traffic: {{message_sizes: 64KiB, qps: 1, pairs: [[0, 1]], direction: uni}}
)",
                       port);
  }

  TempDirectory scratch_;
  std::unique_ptr<Process> server_;
  std::uint16_t port_ = 0;
};

TEST_F(Attack, APeerThatAnswersInDeepNesting) {
  const HostilePeer peer({kGreeting, R"({"end":{"a":)" + nested(100'000) + "}}"});
  serve({"--peer", fmt::format("127.0.0.1:{}", peer.port())});
  EXPECT_THAT(plan(overPeer(peer.port())), StartsWith("HTTP/1.1 422"));
  expectAlive();
  expectEndsWhenTold();
}

TEST_F(Attack, APeerThatIsNotOnTheListIsNotConnectedTo) {
  const HostilePeer peer({kGreeting});
  serve();
  EXPECT_THAT(plan(overPeer(peer.port())), HasSubstr("this server does not connect to"));
  EXPECT_EQ(peer.connections(), 0);
}

// Twice as many of them as there are threads for answers.
TEST_F(Attack, PeersThatOnlyGreetBlockNobody) {
  const HostilePeer peer({kGreeting});
  serve({"--peer", fmt::format("127.0.0.1:{}", peer.port())});
  if (!built("libfabric")) GTEST_SKIP() << "built without libfabric";
  const std::string body = json{{"scenario", overPeer(peer.port())}}.dump();
  std::vector<RawSocket> waiting;
  waiting.reserve(4);
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back(port_).send(request("POST", "/api/v1/scenarios/plan", body));
  }
  const auto until = steady_clock::now() + kPatience;
  while (peer.connections() == 0 && steady_clock::now() < until) std::this_thread::yield();
  expectAlive();
  expectEndsWhenTold();
}

// It reports its configuration, and is silent once a trial wants to connect: there is no trial to
// finish.
TEST_F(Attack, APeerThatStallsDoesNotHoldUpTheCommand) {
  if (!commandHas(scratch_.path() / "target", "libfabric")) {
    GTEST_SKIP() << "built without libfabric";
  }
  const HostilePeer peer({kGreeting, R"({"configuration":[]})"}, {kGreeting});
  std::string scenario = overPeer(peer.port());
  scenario.replace(scenario.find("provider: tcp"), 13, "provider: tcp;ofi_rxm");
  std::ofstream(scratch_.path() / "peer.yaml") << scenario;
  Process command(scratch_.path() / "target",
                  {"run", (scratch_.path() / "peer.yaml").string(), "--quiet", "--results",
                   (scratch_.path() / "results").string()});
  const auto until = steady_clock::now() + 3 * kPatience;
  while (peer.connections() < 2 && !command.ended() && steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_FALSE(command.ended()) << command.wait().err;
  const auto before = steady_clock::now();
  command.signal(SIGTERM);
  const Outcome outcome = command.wait();
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_LT(steady_clock::now() - before, seconds(10));
}

// libfabric's default provider installs signal handlers of its own.
TEST_F(Attack, SignalsAreTheServersWithAnyLibrary) {
  serve();
  for (const std::string bench : {"libfabric", "verbs", "fpga", "sim", "rtl"}) {
    if (!built(bench)) continue;
    const std::string endpoint = bench == "libfabric" || bench == "verbs" ? "endpoint: {}\n" : "";
    plan("plumbline: 1\nname: n\ntest: T5.1\nbench: " + bench + "\n" + endpoint +
         "dut: {topology: {kind: link, link: 100G}}\n");
  }
  ask("POST", "/api/v1/runs",
      json{{"scenario", {{"scenario", control::smallScenario(5'000)}}}}.dump());
  while (ask("GET", "/api/v1/runs/1").find("\"trials\":0,") != std::string::npos) {
  }
  expectEndsWhenTold();
  const Outcome outcome =
      plumblineCommand(scratch_.path() / "target",
                       {"results", "ls", "--results", (scratch_.path() / "results").string()});
  EXPECT_THAT(outcome.out, HasSubstr("aborted"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("running")));
}

TEST_F(Attack, ALongTrialIsStopped) {
  serve();
  const std::string scenario = R"(plumbline: 1
name: long
test: free
dut: {topology: {kind: clos2, leaves: 8, spines: 8, hosts_per_leaf: 8}}
transport: {kind: roce}
workload: {kind: permutation, size: 16GiB, messages: 1, flows: 256}
)";
  ask("POST", "/api/v1/runs", json{{"scenario", {{"scenario", scenario}}}}.dump());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_THAT(ask("POST", "/api/v1/runs/1/stop"), StartsWith("HTTP/1.1 202"));
  const auto before = steady_clock::now();
  while (ask("GET", "/api/v1/runs/1").find("\"aborted\"") == std::string::npos) {
    ASSERT_LT(steady_clock::now() - before, seconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  expectEndsWhenTold();
}

TEST_F(Attack, ScenariosThatNeedMoreMemoryThanThereMayBe) {
  serve({"--max-memory", "1GB"});
  for (const char* scenario :
       {"plumbline: 1\nname: n\ntest: T5.1\nbench: sim\n"
        "dut: {topology: {kind: clos2, leaves: 1024, spines: 1024, hosts_per_leaf: 8}}\n",
        "plumbline: 1\nname: n\ntest: free\ntransport: {kind: roce}\n"
        "dut: {topology: {kind: clos2, leaves: 32, spines: 32, hosts_per_leaf: 32}}\n"
        "workload: {kind: alltoall, flows: 256}\n",
        "plumbline: 1\nname: n\ntest: free\ntransport: {kind: roce}\n"
        "dut: {topology: {kind: clos2, leaves: 8, spines: 8, hosts_per_leaf: 8}}\n"
        "workload: {kind: permutation, interval: 1ps, until: 1ms}\n"}) {
    const auto before = steady_clock::now();
    const std::string answer =
        ask("POST", "/api/v1/scenarios/validate", json{{"scenario", scenario}}.dump());
    EXPECT_THAT(answer, HasSubstr("and the program may take 1 GB")) << scenario;
    EXPECT_LT(steady_clock::now() - before, seconds(10)) << scenario;
  }
  expectAlive();
}

TEST_F(Attack, WhatLeadsOutOfTheFiles) {
  std::ofstream(scratch_.path() / "secret") << "secret\n";
  fs::create_symlink("../secret", scratch_.path() / "files" / "link");
  serve({"--files", (scratch_.path() / "files").string()});
  for (const char* file : {"link", "../secret", "/etc/passwd", "./../secret"}) {
    for (const std::string& section : {fmt::format("dut_metrics: {{file: {}}}", file),
                                       fmt::format("endpoint: {{token_file: {}}}", file),
                                       fmt::format("fpga: {{xclbin: {}}}", file)}) {
      const std::string scenario =
          "plumbline: 1\nname: n\ntest: T12.1\ndut: {topology: {kind: clos2}}\n" + section + "\n";
      const std::string body = json{{"scenario", scenario}}.dump();
      EXPECT_THAT(ask("POST", "/api/v1/scenarios/validate", body), HasSubstr("cannot be used"))
          << section;
      EXPECT_THAT(ask("POST", "/api/v1/runs", json{{"scenario", {{"scenario", scenario}}}}.dump()),
                  StartsWith("HTTP/1.1 422"))
          << section;
    }
  }
}

TEST_F(Attack, NamesThatBeginLikeLoopback) {
  serve();
  for (const char* host :
       {"127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example"}) {
    const RawSocket socket(port_);
    socket.send(
        fmt::format("GET /api/v1/clock HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", host));
    EXPECT_THAT(socket.receive(kPatience), StartsWith("HTTP/1.1 403")) << host;
  }
}

// HTTP/1.0 does not require a Host, and browsers, whose names may be of other sites, do not speak
// it. What they send is checked in any version.
TEST_F(Attack, RequestsWithoutAHost) {
  serve();
  const auto answer = [&](const std::string& line, const std::string& fields) {
    const RawSocket socket(port_);
    socket.send("GET /api/v1/clock " + line + "\r\n" + fields + "Connection: close\r\n\r\n");
    return socket.receive(kPatience);
  };
  EXPECT_THAT(answer("HTTP/1.0", ""), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer("HTTP/1.0", "Host: evil.example\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer("HTTP/1.0", "Origin: http://evil.example\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer("HTTP/1.1", ""), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer("HTTP/1.1", "Host:\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer("HTTP/1.2", ""), StartsWith("HTTP/1.1 400"));
}

TEST_F(Attack, BodiesBeforeTheToken) {
  const fs::path token = scratch_.path() / "token";
  std::ofstream(token) << "0123456789abcdef0123456789abcdef\n";
  serve({"--token-file", token.string()});
  const RawSocket socket(port_);
  socket.send(
      "POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 2000000\r\n\r\n{");
  EXPECT_THAT(socket.receiveSome(12, kPatience), StartsWith("HTTP/1.1 401"));
}

TEST_F(Attack, FormsOfRequests) {
  serve();
  const std::string body =
      json{{"ports", {"sim"}}, {"owner", "\x1b]0;title\x07"}, {"ttl_s", 60}}.dump();
  EXPECT_THAT(ask("POST", "/api/v1/reservations", body), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("POST", "/api/v1/runs", R"({"scenario":)" + nested(500'000) + "}"),
              StartsWith("HTTP/1.1 400"));
  const RawSocket socket(port_);
  socket.send(
      "POST /api/v1/reservations HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Content-Type: application/jsonfoo\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_THAT(socket.receive(kPatience), StartsWith("HTTP/1.1 415"));
  expectAlive();
  expectEndsWhenTold();
}

#ifdef HAS_TARGET_PROGRAM
#ifdef __has_feature
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

class TargetAttack : public Attack {
 protected:
  void serveTarget(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"--library", "libfabric",  "--address",
                                       "127.0.0.1", "--tcp-port", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    try {
      port_ = start(target_, "target", arguments, programPath("plumbline-target"));
    } catch (const std::exception& error) {
      GTEST_SKIP() << "no target here: " << error.what();
    }
  }
  // Whether it greets a new connection.
  bool greets() {
    const RawSocket bench(port_);
    return bench.receiveSome(20, kPatience).find("plumbline_target") != std::string::npos;
  }

  std::unique_ptr<Process> target_;
};

TEST_F(TargetAttack, LinesInDeepNesting) {
  serveTarget();
  if (IsSkipped()) return;
  for (const std::string& line : {R"({"library":"libfabric","end":)" + nested(100'000) + "}\n",
                                  nested(120'000) + "\n", std::string(300'000, '[')}) {
    const RawSocket bench(port_);
    bench.send(line);
    EXPECT_TRUE(bench.closedWithin(kPatience));
    EXPECT_TRUE(greets());
  }
  target_->signal(SIGTERM);
  EXPECT_EQ(target_->wait().exit_code, 0);
}

// Logging of clients never blocks the program: neither when the log is full, nor when its reader is
// gone.
TEST_F(TargetAttack, ALogThatNobodyReads) {
  const fs::path out = scratch_.path() / "target" / "stdout.txt";
  ASSERT_EQ(::mkfifo(out.c_str(), 0600), 0);
  const int log = ::open(out.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(log, 0);
  ::fcntl(log, F_SETPIPE_SZ, 4096);
  Process target(scratch_.path() / "target",
                 {"--library", "libfabric", "--address", "127.0.0.1", "--tcp-port", "0"},
                 programPath("plumbline-target"));
  std::string first;
  pollfd waiting{log, POLLIN, 0};
  while (first.find('\n') == std::string::npos && ::poll(&waiting, 1, 60'000) == 1) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(log, bytes.data(), bytes.size());
    if (count <= 0) break;
    first.append(bytes.data(), static_cast<std::size_t>(count));
  }
  const std::size_t at = first.find("port ");
  if (at == std::string::npos) {
    ::close(log);
    fs::remove(out);
    ASSERT_FALSE(commandHas(scratch_.path() / "target", "libfabric")) << first;
    GTEST_SKIP() << "built without libfabric";
  }
  port_ = static_cast<std::uint16_t>(std::stoi(first.substr(at + 5)));
  const auto talkRubbish = [&] {
    const RawSocket bench(port_);
    bench.send("rubbish " + std::string(300, 'x') + "\n");
    EXPECT_TRUE(bench.closedWithin(kPatience));
  };
  for (int i = 0; i < 20; ++i) talkRubbish();  // twice the capacity of the pipe
  EXPECT_TRUE(greets());
  ::close(log);
  fs::remove(out);  // Process reads it at the end, which would wait for a writer
  for (int i = 0; i < 3; ++i) talkRubbish();
  EXPECT_TRUE(greets());
  const auto before = steady_clock::now();
  target.signal(SIGTERM);
  EXPECT_EQ(target.wait().exit_code, 0);
  EXPECT_LT(steady_clock::now() - before, seconds(15));
}

// Memory above the limit is refused, without effect on others.
TEST_F(TargetAttack, MessagesOfMoreMemoryThanItMayTake) {
  serveTarget({"--max-memory", "200MB"});
  if (IsSkipped()) return;
  const RawSocket bench(port_);
  bench.send(
      R"({"library":"libfabric","operation":"write","message":300000000,"queue_pairs":1,"window":1,)"
      R"("end":{"provider":"tcp;ofi_rxm","names":["00"]}})"
      "\n");
  EXPECT_THAT(bench.receive(kPatience), HasSubstr("the program may take 200 MB"));
  EXPECT_TRUE(greets());
  target_->signal(SIGTERM);
  EXPECT_EQ(target_->wait().exit_code, 0);
}

// Exit code 1 would mean that a limit was missed.
TEST_F(TargetAttack, ACrashIsNoExitCode) {
  if (kSanitized) GTEST_SKIP() << "sanitizers handle this signal themselves";
  serveTarget();
  if (IsSkipped()) return;
  EXPECT_TRUE(greets());
  target_->signal(SIGSEGV);
  EXPECT_EQ(target_->wait().signal, SIGSEGV);
}

TEST_F(TargetAttack, SilentConnections) {
  serveTarget();
  if (IsSkipped()) return;
  std::vector<RawSocket> silent;
  silent.reserve(200);
  for (int i = 0; i < 200; ++i) silent.emplace_back(port_);
  EXPECT_TRUE(greets());
  target_->signal(SIGTERM);
  EXPECT_EQ(target_->wait().exit_code, 0);
}
#endif

}  // namespace
}  // namespace plumbline
