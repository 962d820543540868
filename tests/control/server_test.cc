// The server over real sockets: clients as they should be, and as they should not.
#include "control/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "control/client.h"
#include "tests/control/parts.h"
#include "tests/control/raw_socket.h"

namespace plumbline::control {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Long, for a busy machine; no test waits for it to pass.
constexpr auto kPatience = 60s;

template <typename T, typename Call>
Outcome<T> wait(Call call) {
  auto promise = std::make_shared<std::promise<Outcome<T>>>();
  auto answer = promise->get_future();
  call([promise](const Outcome<T>& outcome) { promise->set_value(outcome); });
  if (answer.wait_for(kPatience) != std::future_status::ready) {
    return Refusal{0, "the test has waited long enough", "", "", {}};
  }
  return answer.get();
}

// Records a live stream.
class Listener {
 public:
  LiveCallbacks callbacks() {
    LiveCallbacks callbacks;
    callbacks.connected = [this](const LiveHello& hello) {
      note([&] { hellos.push_back(hello.latest); });
    };
    callbacks.interval = [this](const LiveInterval& live) {
      note([&] { intervals.push_back(live.sequence); });
    };
    callbacks.run = [this](const RunState& run) {
      note([&] { runs.push_back(run.status + (run.active ? "" : "!")); });
    };
    callbacks.lost = [this](std::uint64_t count) { note([&] { lost += count; }); };
    callbacks.disconnected = [this](const Refusal& refusal) {
      note([&] { breaks.push_back(refusal.status); });
    };
    return callbacks;
  }

  // Waits until `reached` is true; false if it never becomes so.
  template <typename Condition>
  bool waitUntil(Condition reached) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return reached(*this); });
  }

  std::vector<std::uint64_t> hellos;
  std::vector<std::uint64_t> intervals;
  std::vector<std::string> runs;  // status, "!" when it has ended
  std::vector<int> breaks;
  std::uint64_t lost = 0;

 private:
  template <typename Change>
  void note(Change change) {
    const std::scoped_lock lock(mutex_);
    change();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
};

bool inOrder(const std::vector<std::uint64_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != i + 1) return false;
  }
  return true;
}

ServerOptions anyPort() {
  ServerOptions options;
  options.port = 0;
  return options;
}

class ServerTest : public testing::Test {
 protected:
  explicit ServerTest(LiveHub::Limits kept = {}) : parts_({}, kept) { open(anyPort()); }

  void open(const ServerOptions& options) {
    server_.reset();
    server_ = std::make_unique<Server>(options, parts_.api, parts_.live, parts_.metrics);
  }

  [[nodiscard]] ServerAddress address(const std::string& token = {}) const {
    ServerAddress address;
    address.port = server_->port();
    address.token = token;
    return address;
  }

  static RunRequest request(int trials) {
    RunRequest request;
    request.scenario.scenario = smallScenario(trials);
    return request;
  }

  // Runs, so that there are intervals to lose; true when it ended normally.
  bool runsToItsEnd() {
    Client client(address());
    const auto begun = wait<RunState>([&](auto done) { client.start(request(2), done); });
    if (!begun.ok()) return false;
    for (;;) {
      const auto state = wait<RunState>([&](auto done) { client.run(begun.value().id, done); });
      if (!state.ok()) return false;
      if (!state.value().active) return state.value().status == "done";
      std::this_thread::sleep_for(5ms);
    }
  }

  void publish(int intervals, std::size_t size = 0) {
    LiveInterval live;
    live.run = 1;
    live.kpi.assign(size, 'x');
    for (int i = 0; i < intervals; ++i) parts_.live.publish(live);
  }

  std::string ask(const std::string& bytes) {
    const RawSocket socket(server_->port());
    socket.send(bytes);
    return socket.receive(std::chrono::milliseconds(kPatience));
  }

  ServerParts parts_;
  std::unique_ptr<Server> server_;
};

// A slow client cannot hold a connection: the timeout of a second for the request covers its
// header.
TEST_F(ServerTest, AHeaderThatTricklesIsNotWaitedFor) {
  ServerOptions impatient = anyPort();
  impatient.idle = 30s;
  impatient.request = 1s;
  open(impatient);
  const RawSocket socket(server_->port());
  const auto began = std::chrono::steady_clock::now();
  socket.send("GET /api/v1/clock HTTP/1.1\r\nX: ");
  while (!socket.closedWithin(50ms) && std::chrono::steady_clock::now() - began < 20s) {
    socket.send("x");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
}

// A plan of it would take minutes.
std::string longScenario() {
  std::string values = "8";
  for (int i = 9; i < 800; ++i) values += ", " + std::to_string(i);
  return "plumbline: 1\nname: long\ntest: free\ntransport: {kind: uet}\n"
         "dut: {topology: {kind: clos3, pods: 16, leaves: 16, spines: 16, superspines: 256, "
         "hosts_per_leaf: 16}}\nworkload: {kind: pairs, size: 4KiB, messages: 1}\n"
         "sweep: {workload.messages: [" +
         values + "]}\n";
}

std::string longPlan() {
  const std::string body = nlohmann::json{{"scenario", longScenario()}}.dump();
  return fmt::format(
      "POST /api/v1/scenarios/plan HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      body.size(), body);
}

// It ends at its timeout, with a message.
TEST_F(ServerTest, APlanHasItsTime) {
  ServerOptions impatient = anyPort();
  impatient.work = 1s;
  open(impatient);
  RunRequest run;
  run.scenario.scenario = longScenario();
  Client client(address());
  const auto began = std::chrono::steady_clock::now();
  const auto planned = wait<PlanAnswer>([&](auto done) { client.plan(run.scenario, done); });
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(planned.refusal().status, 422);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s);
  EXPECT_TRUE(runsToItsEnd());
}

// The plan takes its whole second, in which the server sees that the input has ended.
TEST_F(ServerTest, AClientThatEndsItsSendingSideIsAnswered) {
  ServerOptions impatient = anyPort();
  impatient.work = 1s;
  open(impatient);
  const RawSocket socket(server_->port());
  socket.send(longPlan() + "GET /api/v1/ports HTTP/1.1\r\nHost: localhost\r\n\r\n");
  socket.endSending();
  const std::string answers = socket.receive(std::chrono::milliseconds(kPatience));
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 422"));
  EXPECT_THAT(answers, HasSubstr("this takes longer than the 1 s"));
  EXPECT_THAT(answers, HasSubstr("HTTP/1.1 200"));
}

// Its time would end after the test.
TEST_F(ServerTest, APlanEndsWithItsConnection) {
  ServerOptions patient = anyPort();
  patient.work = 600s;
  open(patient);
  RawSocket socket(server_->port());
  socket.send(longPlan());
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(server_->connections(), 1U);
  socket.reset();
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (server_->connections() > 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, ARunFromBeginningToEnd) {
  Listener listener;
  Client client(address());
  client.watch(0, listener.callbacks());
  const auto can = wait<ServerCapabilities>([&](auto done) { client.capabilities(done); });
  ASSERT_TRUE(can.ok()) << can.refusal().what;
  EXPECT_EQ(can.value().instance, "instance");
  const auto begun = wait<RunState>([&](auto done) { client.start(request(3), done); });
  ASSERT_TRUE(begun.ok()) << begun.refusal().what;
  EXPECT_TRUE(listener.waitUntil(
      [](const Listener& seen) { return !seen.runs.empty() && seen.runs.back() == "done!"; }));
  EXPECT_EQ(listener.runs.front(), "running");
  EXPECT_GE(listener.intervals.size(), 3u);
  EXPECT_TRUE(inOrder(listener.intervals));
  const std::int64_t id = begun.value().id;
  const auto results = wait<std::string>([&](auto done) { client.results(id, done); });
  EXPECT_EQ(nlohmann::json::parse(results.value()).at("status"), "done");
  const auto report = wait<std::string>([&](auto done) { client.report(id, done); });
  EXPECT_THAT(report.value(), HasSubstr("</html>"));
  const auto missing = wait<RunState>([&](auto done) { client.run(99, done); });
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.refusal().status, 404);
  EXPECT_THAT(missing.refusal().what, HasSubstr("99"));
}

TEST_F(ServerTest, AMistakeComesBackWithItsPosition) {
  Client client(address());
  ScenarioRequest wrong;
  wrong.scenario = "plumbline: 1\nname: x\ntest: T9.9\ndut: {topology: {kind: link}}\n";
  const auto answer = wait<ValidationAnswer>([&](auto done) { client.validate(wrong, done); });
  ASSERT_TRUE(answer.ok()) << answer.refusal().what;
  EXPECT_FALSE(answer.value().valid);
  EXPECT_EQ(answer.value().problems.at(0).line, 3u);
  RunRequest run;
  run.scenario = wrong;
  const auto refused = wait<RunState>([&](auto done) { client.start(run, done); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.refusal().status, 422);
  EXPECT_EQ(refused.refusal().problems.size(), answer.value().problems.size());
}

TEST_F(ServerTest, AnAnswerHasTheWarningsWithTheirPositions) {
  Client client(address());
  ScenarioRequest request;
  request.scenario =
      "plumbline: 1\nname: x\ntest: free\ndut:\n  topology: {kind: clos2}\n"
      "  switch: {pfc: {headroom: 1KB}}\ntransport: {kind: roce}\nworkload: {kind: pairs, "
      "messages: 1}\n";
  const auto answer = wait<ValidationAnswer>([&](auto done) { client.validate(request, done); });
  ASSERT_TRUE(answer.ok()) << answer.refusal().what;
  EXPECT_TRUE(answer.value().valid);
  ASSERT_EQ(answer.value().warnings.size(), 1U);
  EXPECT_EQ(answer.value().warnings[0].line, 6U);
  EXPECT_EQ(answer.value().warnings[0].column, 28U);
  EXPECT_THAT(answer.value().warnings[0].what, HasSubstr("headroom 1 KB is below"));
}

// The client sends as many requests as necessary.
TEST_F(ServerTest, AllRunsAreListed) {
  ASSERT_TRUE(runsToItsEnd());
  parts_.copyRun(2'099);
  Client client(address());
  const auto runs = wait<std::vector<RunState>>([&](auto done) { client.runs(done); });
  ASSERT_TRUE(runs.ok()) << runs.refusal().what;
  ASSERT_EQ(runs.value().size(), 2'100U);
  for (std::size_t i = 0; i < runs.value().size(); ++i) {
    ASSERT_EQ(runs.value()[i].id, static_cast<std::int64_t>(i) + 1);
  }
}

TEST_F(ServerTest, AVanishedClientChangesNothingAndCatchesUp) {
  std::vector<std::uint64_t> first;
  {
    Listener listener;
    Client client(address());
    client.watch(0, listener.callbacks());
    ASSERT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.hellos.size() == 1; }));
    publish(5);
    ASSERT_TRUE(
        listener.waitUntil([](const Listener& seen) { return seen.intervals.size() == 5; }));
    client.unwatch();
  }
  publish(7);
  EXPECT_TRUE(runsToItsEnd());
  Listener again;
  Client client(address());
  client.watch(5, again.callbacks());
  EXPECT_TRUE(again.waitUntil([](const Listener& seen) { return seen.intervals.size() >= 7; }));
  EXPECT_EQ(again.intervals.at(0), 6u);
  EXPECT_EQ(again.lost, 0u);
}

TEST_F(ServerTest, AClientComesBackByItselfWhenTheServerDoes) {
  Listener listener;
  const ServerAddress there = address();
  Client client(there);
  client.watch(0, listener.callbacks());
  ASSERT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.hellos.size() == 1; }));
  publish(3);
  ASSERT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.intervals.size() == 3; }));
  server_.reset();
  publish(4);
  ServerOptions same;
  same.port = there.port;
  open(same);
  EXPECT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.intervals.size() == 7; }));
  EXPECT_TRUE(inOrder(listener.intervals));
  EXPECT_FALSE(listener.breaks.empty());
}

TEST_F(ServerTest, ClosingTellsWhatIsThere) {
  Listener listener;
  Client client(address());
  client.watch(0, listener.callbacks());
  ASSERT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.hellos.size() == 1; }));
  publish(200);
  server_.reset();
  EXPECT_TRUE(listener.waitUntil([](const Listener& seen) { return !seen.breaks.empty(); }));
  EXPECT_EQ(listener.intervals.size(), 200u);
}

// A server that keeps a quarter of the usual number of messages, so that less must be sent to
// exceed it.
class SlowReaderTest : public ServerTest {
 protected:
  SlowReaderTest() : ServerTest(kKept) {}
  static constexpr LiveHub::Limits kKept{.bytes = 16U << 20U};
};

TEST_F(SlowReaderTest, CostsNoMemoryAndLosesOnlyItsOwn) {
  const RawSocket slow(server_->port());
  slow.send(
      "GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: "
      "Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_THAT(slow.receiveSome(20, 60s), StartsWith("HTTP/1.1 101"));
  Listener listener;
  Client client(address());
  client.watch(0, listener.callbacks());
  ASSERT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.hellos.size() == 1; }));
  // 50 MB in all, more than is kept and more than sockets buffer.
  for (std::uint64_t sent = 0; sent < 500; sent += 10) {
    publish(10, 100'000);
    ASSERT_TRUE(listener.waitUntil(
        [&](const Listener& seen) { return seen.intervals.size() == sent + 10; }));
    EXPECT_LE(parts_.live.keptBytes(), kKept.bytes);
  }
  EXPECT_TRUE(inOrder(listener.intervals));
  EXPECT_EQ(listener.lost, 0u);
  // The slow client reads at last: it gets the number of lost intervals, and the rest.
  std::string stream;
  std::uint64_t lost = 0;
  while (stream.find("\"sequence\":500,") == std::string::npos) {
    const std::string more = slow.receiveSome(1, 60s);
    ASSERT_FALSE(more.empty());
    stream += more;
    constexpr std::string_view kLost = R"({"type":"lost","count":)";
    if (const auto at = stream.find(kLost); at != std::string::npos && lost == 0) {
      lost = std::strtoull(stream.c_str() + at + kLost.size(), nullptr, 10);
    }
    if (stream.size() > 300'000) stream.erase(0, stream.size() - 200'000);
  }
  EXPECT_GT(lost, 100u);
  EXPECT_EQ(parts_.live.lost(), lost);
}

TEST_F(ServerTest, AHundredClientsAtTenIntervalsASecondLoseNothing) {
  constexpr std::size_t kClients = 100;
  constexpr std::size_t kIntervals = 30;
  std::vector<Listener> listeners(kClients);
  std::vector<std::unique_ptr<Client>> clients;
  for (Listener& listener : listeners) {
    clients.push_back(std::make_unique<Client>(address()));
    clients.back()->watch(0, listener.callbacks());
  }
  for (Listener& listener : listeners) {
    ASSERT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.hellos.size() == 1; }));
  }
  auto next = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kIntervals; ++i) {
    publish(1, 20'000);
    std::this_thread::sleep_until(next += 100ms);
  }
  for (Listener& listener : listeners) {
    EXPECT_TRUE(listener.waitUntil(
        [](const Listener& seen) { return seen.intervals.size() == kIntervals; }));
    EXPECT_TRUE(inOrder(listener.intervals));
    EXPECT_EQ(listener.lost, 0u);
    EXPECT_TRUE(listener.breaks.empty());
  }
  EXPECT_EQ(parts_.live.lost(), 0u);
}

TEST_F(ServerTest, AThousandIdleConnections) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4'096);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2'200) GTEST_SKIP() << "only " << limit.rlim_cur << " files may be open";
  std::vector<RawSocket> idle;
  idle.reserve(1'000);
  for (int i = 0; i < 1'000; ++i) idle.emplace_back(server_->port());
  for (std::size_t i = 0; i < 500; ++i) idle[i].send("GET /api/v1/por");  // half of them half-way
  EXPECT_TRUE(runsToItsEnd());
  EXPECT_GE(server_->connections(), 1'000u);
}

TEST_F(ServerTest, NoMoreConnectionsThanAllowed) {
  ServerOptions few = anyPort();
  few.max_connections = 3;
  open(few);
  std::vector<RawSocket> held;
  held.reserve(3);
  for (int i = 0; i < 3; ++i) held.emplace_back(server_->port());
  while (server_->connections() < 3) std::this_thread::sleep_for(1ms);
  const RawSocket refused(server_->port());
  EXPECT_TRUE(refused.closedWithin(60s));
  held.clear();
  while (server_->connections() > 0) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(runsToItsEnd());
}

TEST_F(ServerTest, WhoIsSilentIsLeft) {
  ServerOptions impatient = anyPort();
  impatient.idle = 1s;
  impatient.request = 1s;
  open(impatient);
  const RawSocket silent(server_->port());
  const RawSocket trickling(server_->port());
  trickling.send("POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_TRUE(silent.closedWithin(60s));
  EXPECT_TRUE(trickling.closedWithin(60s));
}

TEST_F(ServerTest, OversizedAndBrokenRequestsAreAnsweredAndForgotten) {
  const std::string host = "Host: localhost\r\n";
  EXPECT_THAT(ask("POST /api/v1/runs HTTP/1.1\r\n" + host + "Content-Length: 99999999\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  constexpr std::size_t kTooMany = kMaxBodyBytes + 1;
  EXPECT_THAT(ask(fmt::format("POST /api/v1/runs HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n"
                              "{:x}\r\n{}",
                              host, kTooMany, std::string(kTooMany, 'x'))),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask("GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n" + host + "\r\n"),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(std::string("\x16\x03\x01\x02\x00\x01", 6) + std::string(100, '\0') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET /api/v1/nothing HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 404"));
  // Several requests at once are answered one after the other.
  const std::string one = "GET /api/v1/ports HTTP/1.1\r\n" + host + "\r\n";
  const std::string last = "GET /api/v1/ports HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n";
  const std::string answers = ask(one + one + last);
  std::size_t count = 0;
  for (auto at = answers.find("HTTP/1.1 200"); at != std::string::npos;
       at = answers.find("HTTP/1.1 200", at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 3u);
  EXPECT_TRUE(runsToItsEnd());
}

// Requests that RFC 9110 and 9112 allow to clients of all kinds.
TEST_F(ServerTest, RequestsOfAllKindsOfClientsAreAnswered) {
  const std::string end = "Host: localhost\r\nConnection: close\r\n\r\n";
  const auto get = [&](const std::string& line) { return ask(line + "\r\n" + end); };
  const std::string plain = get("GET /api/v1/ports HTTP/1.1");
  ASSERT_THAT(plain, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(plain, HasSubstr("\r\nDate: "));
  // HEAD is GET without the body, whose length it has.
  const std::string head = get("HEAD /api/v1/ports HTTP/1.1");
  const std::string field = "Content-Length: ";
  const auto length = [&](const std::string& answer) {
    const std::size_t at = answer.find(field);
    return at == std::string::npos ? "none" : answer.substr(at, answer.find('\r', at) - at);
  };
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(head.find("\r\n\r\n") + 4, head.size());
  EXPECT_EQ(length(head), length(plain));
  EXPECT_NE(length(head), field + "0");
  // The connection can be used afterwards.
  const std::string both =
      ask("HEAD /api/v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api/v1/ports HTTP/1.1\r\n" +
          end);
  EXPECT_THAT(both, StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(both, HasSubstr("\r\n\r\nHTTP/1.1 200"));

  EXPECT_THAT(get("GET http://localhost/api/v1/ports HTTP/1.1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("GET HTTP://LOCALHOST:1/api/v1/ports HTTP/1.1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("GET /api/v1/%70orts HTTP/1.1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("GET /api/v1/runs?since=%30 HTTP/1.1"), StartsWith("HTTP/1.1 200"));
  // A later version of HTTP/1, also of the second request of a connection: RFC 9110, 2.5.
  EXPECT_THAT(get("GET /api/v1/ports HTTP/1.2"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("GET /api/v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  "GET /api/v1/ports HTTP/1.9\r\n" +
                  end),
              HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(get("\r\n\r\nGET /api/v1/ports HTTP/1.1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("OPTIONS * HTTP/1.1"), StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(get("OPTIONS http://localhost:1 HTTP/1.1"), StartsWith("HTTP/1.1 204"));
  EXPECT_EQ(length(get("OPTIONS /metrics HTTP/1.1")), "none");
  EXPECT_THAT(get("PUT /metrics HTTP/1.1"), HasSubstr("\r\nAllow: GET, HEAD, OPTIONS\r\n"));
  EXPECT_THAT(get("GET /api/v1/live HTTP/1.1"), HasSubstr("\r\nUpgrade: websocket\r\n"));
  EXPECT_THAT(ask("GET /api/v1/ports HTTP/1.0\r\nHost: localhost\r\n\r\n"),
              StartsWith("HTTP/1.1 200"));
  const std::string kept =
      ask("GET /api/v1/ports HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n"
          "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(kept, HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_THAT(kept, HasSubstr("plumbline_runs_active"));
  EXPECT_TRUE(runsToItsEnd());
}

TEST_F(ServerTest, BodiesComeInEveryWay) {
  const std::string body = R"({"scenario": "plumbline: 1"})";
  const std::string post =
      "POST /api/v1/scenarios/validate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Content-Type: Application/JSON; charset=utf-8\r\n";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  EXPECT_THAT(ask(post + length + "\r\n" + body), StartsWith("HTTP/1.1 200"));
  for (const char* coding : {"chunked", "Chunked"}) {
    EXPECT_THAT(
        ask(post + "Transfer-Encoding: " + coding + "\r\n\r\n5;x=y\r\n" + body.substr(0, 5) +
            "\r\n" + "17\r\n" + body.substr(5) + "\r\n0\r\nTrailer: t\r\n\r\n"),
        StartsWith("HTTP/1.1 200"));
  }
  // A client that waits for the word to go on.
  const RawSocket socket(server_->port());
  socket.send(post + length + "Expect: 100-Continue\r\n\r\n");
  const std::string word = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(socket.receiveSome(word.size(), std::chrono::milliseconds(kPatience)), word);
  socket.send(body);
  EXPECT_THAT(socket.receive(std::chrono::milliseconds(kPatience)), StartsWith("HTTP/1.1 200"));
  // One that does not.
  EXPECT_THAT(ask(post + length + "Expect: 100-continue\r\n\r\n" + body),
              HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(ask(post + length + "Content-Encoding: Identity\r\n\r\n" + body),
              StartsWith("HTTP/1.1 200"));
  // RFC 9110, 12.5.3: the codings of a body are named where its coding is the reason, only there.
  const std::string coded = ask(post + length + "Content-Encoding: gzip\r\n\r\n" + body);
  EXPECT_THAT(coded, StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(coded, HasSubstr("\r\nAccept-Encoding: identity\r\n"));
  const std::string no_json =
      ask("POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + length +
          "\r\n" + body);
  EXPECT_THAT(no_json, StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(no_json, Not(HasSubstr("Accept-Encoding")));
}

TEST_F(ServerTest, WhatTheRulesForbidIsRefused) {
  const std::string get = "GET /api/v1/ports HTTP/1.1\r\n";
  const std::string host = "Host: localhost\r\n";
  const std::string post =
      "POST /api/v1/scenarios/validate HTTP/1.1\r\n" + host + "Content-Type: application/json\r\n";
  struct Wrong {
    std::string request;
    const char* status;
  };
  for (const Wrong& one :
       {Wrong{get + "\r\n", "400"}, Wrong{get + host + host + "\r\n", "400"},
        Wrong{get + "Host: a b\r\n\r\n", "400"}, Wrong{get + "Host : localhost\r\n\r\n", "400"},
        Wrong{"GET metrics HTTP/1.1\r\n" + host + "\r\n", "400"},
        Wrong{"GET ftp://localhost/ HTTP/1.1\r\n" + host + "\r\n", "400"},
        Wrong{"GET /metrics HTTP/3.7\r\n" + host + "\r\n", "505"},
        Wrong{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"},
        Wrong{"GET /metrics HTTP/x.1\r\n" + host + "\r\n", "400"},
        // Lines that end by LF alone: RFC 9112, 2.2, permits to read or to refuse them.
        Wrong{"GET /metrics HTTP/1.1\nHost: localhost\n\n", "400"},
        Wrong{"GET /metrics HTTP/1.2\nHost: localhost\n\n", "400"},
        Wrong{get + "Host: localhost\n\n", "400"},
        Wrong{"BREW /metrics HTTP/1.1\r\nConnection: close\r\n" + host + "\r\n", "501"},
        Wrong{post + "Content-Length: x\r\n\r\n", "400"},
        Wrong{post + "Content-Length: -1\r\n\r\n", "400"},
        Wrong{post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", "400"},
        Wrong{post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
              "400"},
        Wrong{post + "Transfer-Encoding: gzip\r\n\r\n{}", "501"},
        Wrong{post + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "501"},
        Wrong{post + "Transfer-Encoding: chunked\r\n\r\nxx\r\n", "400"},
        Wrong{post + "Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}", "417"}}) {
    const std::string answer = ask(one.request);
    EXPECT_THAT(answer, StartsWith(std::string("HTTP/1.1 ") + one.status)) << one.request;
  }
  EXPECT_TRUE(runsToItsEnd());
}

TEST_F(ServerTest, ABrokenWebSocketIsClosed) {
  const std::string upgrade =
      "GET /api/v1/live?since=0 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  for (const std::string& bytes :
       {std::string(16, '\xff'),
        std::string("\x81\x05hello"),  // not masked
        std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14),
        std::string("\x88\x80\0\0\0\0", 6)}) {  // an orderly close
    const RawSocket socket(server_->port());
    socket.send(upgrade);
    EXPECT_THAT(socket.receiveSome(20, 60s), StartsWith("HTTP/1.1 101"));
    socket.send(bytes);
    EXPECT_TRUE(socket.closedWithin(60s));
  }
  for (const char* target : {"/api/v1/live?since=x", "/api/v1/runs"}) {
    std::string other = upgrade;
    other.replace(4, std::string("/api/v1/live?since=0").size(), target);
    EXPECT_THAT(ask(other), StartsWith("HTTP/1.1 4"));
  }
  // RFC 6455, 4.4: the answer says the version.
  std::string other = upgrade;
  other.replace(other.find("Version: 13"), 11, "Version: 8");
  const std::string refused = ask(other);
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 426"));
  EXPECT_THAT(refused, HasSubstr("\r\nUpgrade: websocket\r\n"));
  EXPECT_THAT(refused, HasSubstr("\r\nSec-WebSocket-Version: 13\r\n"));
  {
    const RawSocket vanishing(server_->port());
    vanishing.send(upgrade);
  }
  EXPECT_TRUE(runsToItsEnd());
  while (parts_.live.subscribers() > 0) std::this_thread::sleep_for(1ms);
}

TEST_F(ServerTest, AnAddressThatCannotBeIsRefused) {
  ServerOptions options;
  options.port = server_->port();
  EXPECT_THROW(Server(options, parts_.api, parts_.live, parts_.metrics), Error);
  options.address = "nowhere";
  EXPECT_THROW(Server(options, parts_.api, parts_.live, parts_.metrics), Error);
  EXPECT_TRUE(isLoopbackAddress("127.0.0.1"));
  EXPECT_TRUE(isLoopbackAddress("::1"));
  EXPECT_FALSE(isLoopbackAddress("0.0.0.0"));
}

TEST(Client, SaysThatThereIsNoServer) {
  ServerAddress nowhere;
  nowhere.port = 1;
  Client client(nowhere);
  const auto answer = wait<ServerCapabilities>([&](auto done) { client.capabilities(done); });
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.refusal().status, 0);
  EXPECT_THAT(answer.refusal().what, HasSubstr("cannot connect to 127.0.0.1:1"));
}

// With a token and TLS, as for other machines. The certificate is made here, by openssl.
class TlsServerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto in = [this](const char* name) { return (parts_.directory.path() / name).string(); };
    const std::string make =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
        "-subj /CN=tester -addext subjectAltName=IP:127.0.0.1 -keyout " +
        in("key.pem") + " -out " + in("cert.pem") + " 2>/dev/null";
    if (std::system(make.c_str()) != 0) GTEST_SKIP() << "there is no openssl to make a certificate";
    ServerOptions options = anyPort();
    options.certificate = in("cert.pem");
    options.key = in("key.pem");
    server_ = std::make_unique<Server>(options, parts_.api, parts_.live, parts_.metrics);
    address_.port = server_->port();
    address_.tls = true;
    address_.token = "secret";
    address_.ca_file = in("cert.pem");
  }

  [[nodiscard]] Outcome<std::vector<PortState>> ports(const ServerAddress& address) {
    Client client(address);
    return wait<std::vector<PortState>>([&](auto done) { client.ports(done); });
  }

  ServerParts parts_{{"secret", false}};
  std::unique_ptr<Server> server_;
  ServerAddress address_;
};

TEST_F(TlsServerTest, TokenAndCertificateLetIn) {
  EXPECT_TRUE(ports(address_).ok());
  Listener listener;
  Client client(address_);
  client.watch(0, listener.callbacks());
  ASSERT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.hellos.size() == 1; }));
  LiveInterval live;
  parts_.live.publish(live);
  EXPECT_TRUE(listener.waitUntil([](const Listener& seen) { return seen.intervals.size() == 1; }));
}

TEST_F(TlsServerTest, NothingElseDoes) {
  ServerAddress wrong = address_;
  wrong.token = "secreT";
  EXPECT_EQ(ports(wrong).refusal().status, 401);
  wrong.token.clear();
  EXPECT_EQ(ports(wrong).refusal().status, 401);
  Listener listener;
  {
    Client client(wrong);
    client.watch(0, listener.callbacks());
    EXPECT_TRUE(listener.waitUntil([](const Listener& seen) { return !seen.breaks.empty(); }));
  }
  EXPECT_EQ(listener.breaks.front(), 401);
  EXPECT_TRUE(listener.hellos.empty());

  ServerAddress untrusting = address_;
  untrusting.ca_file.clear();  // the system does not trust its signer
  EXPECT_THAT(ports(untrusting).refusal().what, HasSubstr("TLS failed"));
  ServerAddress other_name = address_;
  other_name.host = "localhost";  // not the name in the certificate
  EXPECT_THAT(ports(other_name).refusal().what, HasSubstr("TLS failed"));
  ServerAddress plain = address_;
  plain.tls = false;
  EXPECT_FALSE(ports(plain).ok());
  EXPECT_TRUE(ports(address_).ok());
}

TEST_F(TlsServerTest, FilesThatAreNoCertificateAreRefused) {
  ServerOptions options = anyPort();
  options.certificate = "/nonexistent";
  options.key = "/nonexistent";
  EXPECT_THROW(Server(options, parts_.api, parts_.live, parts_.metrics), Error);
}

}  // namespace
}  // namespace plumbline::control
