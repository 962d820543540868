// Several servers in this process, driven as one tester: clocks with known errors, links that are
// slow in one direction, agents of another version, agents that vanish.
#include "control/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "control/server.h"
#include "session/reporting.h"
#include "tests/control/parts.h"
#include "tests/control/relay.h"

namespace plumbline::control {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Readings of two clocks of one machine are not taken at the same time.
constexpr std::int64_t kReadingNs = 5'000;

// A server with its clock put wrong.
class TestAgent {
 public:
  explicit TestAgent(std::chrono::nanoseconds shift = {}, const std::string& token = {})
      : runs(directory.path() / "results", live, ports, HostClock(shift)),
        api({runs, ports, live, metrics}, {token, false}),
        server(anyPort(), api, live, metrics) {}

  static ServerOptions anyPort() {
    ServerOptions options;
    options.port = 0;
    return options;
  }

  // State of its simulated hosts: "free", "reserved", "running".
  std::string hosts() {
    for (const PortState& port : ports.list()) {
      if (port.name == "sim") return port.state;
    }
    return "none";
  }

  TempDirectory directory;
  LiveHub live{"instance"};
  Metrics metrics;
  PortTable ports{allPorts()};
  RunManager runs;
  Api api;
  Server server;
};

class Watcher final : public ControllerWatcher {
 public:
  bool stopRequested() override { return stop && stop(); }
  void interval(std::size_t agent, const LiveInterval& live) override {
    const std::scoped_lock lock(mutex);
    agents_seen.insert(agent);
    most_trials = std::max(most_trials, live.trial.number);
  }
  void log(const std::string& agent, const std::string& text) override { lines[agent] += text; }

  std::function<bool()> stop;
  std::mutex mutex;
  std::set<std::size_t> agents_seen;
  std::uint64_t most_trials = 0;
  std::map<std::string, std::string> lines;
};

class ControllerTest : public testing::Test {
 protected:
  static AgentAddress at(std::uint16_t port, const std::string& token = {}) {
    AgentAddress agent{"127.0.0.1:" + std::to_string(port), {}};
    agent.address.port = port;
    agent.address.token = token;
    return agent;
  }
  static AgentAddress at(const TestAgent& agent) { return at(agent.server.port()); }

  // `trials` of about a millisecond each.
  static ControllerOptions options(std::vector<AgentAddress> agents, int trials = 3) {
    ControllerOptions options;
    options.agents = std::move(agents);
    options.request.scenario.scenario = smallScenario(trials);
    options.request.owner = "ann";
    options.start_tolerance = 60s;  // a busy machine is no fault here
    options.timeout = 60s;
    return options;
  }

  results::RunIdentity identity(const Controller& controller) {
    const auto parsed = scenario::parseScenario(smallScenario(), "x", session::vocabulary());
    results::RunIdentity identity = session::identityOf(parsed.scenario);
    identity.bench = controller.benchText("sim");
    return identity;
  }

  ControlledRun run(const ControllerOptions& asked) {
    Controller controller(asked, watcher_);
    controller.prepare();
    const std::int64_t id = store_.createRun(identity(controller), "test", "here");
    ControlledRun ended = controller.run(store_, id);
    stored_ = store_.loadRun(id);
    return ended;
  }

  // The Error of prepare().
  static std::string refusalOf(const ControllerOptions& asked, ErrorKind kind) {
    Watcher watcher;
    Controller controller(asked, watcher);
    try {
      controller.prepare();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    return "not refused";
  }

  [[nodiscard]] std::vector<std::string> anomalies() const {
    std::vector<std::string> all;
    for (const auto& test : stored_.tests) {
      for (const auto& one : test.anomalies) all.push_back(one.where + ": " + one.what);
    }
    return all;
  }

  TempDirectory directory_;
  results::ResultStore store_ = results::ResultStore::open(directory_.path());
  results::StoredRun stored_;
  Watcher watcher_;
};

TEST_F(ControllerTest, TwoAgentsMeasureAsOne) {
  TestAgent first;
  TestAgent second(3'250'000'123ns);
  const ControlledRun ended = run(options({at(first), at(second)}));
  EXPECT_EQ(ended.status, results::RunStatus::kDone) << ended.failure;
  EXPECT_EQ(stored_.info.status, results::RunStatus::kDone);

  // The same scenario and seed on both: the same figures, once for each agent.
  const results::StoredRun alone = first.runs.archive().load(1);
  const std::string name = at(first).name;
  const std::string other = at(second).name;
  ASSERT_EQ(stored_.tests.size(), 1u);
  const results::TestResult& merged = stored_.tests[0];
  EXPECT_EQ(merged.kpis.size(), 2 * alone.tests[0].kpis.size());
  for (const auto& kpi : merged.kpis) {
    const bool from_first = kpi.point.starts_with(name + ": ");
    const std::string point = kpi.point.substr((from_first ? name : other).size() + 2);
    const auto& own = alone.tests[0].kpis;
    const auto same = std::find_if(own.begin(), own.end(), [&](const auto& one) {
      return one.name == kpi.name && one.point == point;
    });
    ASSERT_NE(same, own.end()) << kpi.point;
    EXPECT_EQ(same->quantity.value, kpi.quantity.value);
  }
  EXPECT_TRUE(merged.valid);
  EXPECT_THAT(merged.configuration.back(), testing::Pair("Agents", name + ", " + other));
  EXPECT_EQ(merged.distributions.size(), 2 * alone.tests[0].distributions.size());
  EXPECT_EQ(stored_.info.trials,
            first.runs.archive().load(1).info.trials + second.runs.archive().load(1).info.trials);
  EXPECT_EQ(stored_.info.identity.bench, "sim at " + name + ", sim at " + other);
  EXPECT_THAT(watcher_.agents_seen, ElementsAre(0, 1));
  for (const std::string& agent : {name, other}) {
    const std::string& lines = watcher_.lines[agent];
    EXPECT_EQ(static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n')),
              first.runs.archive().load(1).info.trials);
  }
  // No port stays reserved.
  EXPECT_EQ(first.hosts(), "free");
  EXPECT_EQ(second.hosts(), "free");
}

TEST_F(ControllerTest, AClockThatIsWrongIsFoundAndTheStartIsCommon) {
  TestAgent first(-2h);
  TestAgent second(3'250'000'123ns);
  ASSERT_EQ(run(options({at(first), at(second)})).status, results::RunStatus::kDone);
  ASSERT_EQ(stored_.agents.size(), 2u);
  const std::int64_t hours = -7'200'000'000'000;
  for (const auto& [agent, shift] :
       {std::pair(stored_.agents[0], hours), std::pair(stored_.agents[1], 3'250'000'123L)}) {
    EXPECT_LE(std::abs(agent.clock_offset_ns - shift), agent.clock_uncertainty_ns + kReadingNs);
    EXPECT_LT(agent.clock_uncertainty_ns, 1'000'000'000);
    EXPECT_GT(agent.clock_uncertainty_ns, 0);
    ASSERT_TRUE(agent.late_ns && agent.start_error_ns && agent.clock_drift_ppm);
    EXPECT_GE(*agent.late_ns, 0);
    EXPECT_LE(std::abs(*agent.start_error_ns - *agent.late_ns), 2 * agent.clock_uncertainty_ns);
    // One machine's oscillator does not drift against itself.
    EXPECT_LE(std::abs(*agent.clock_drift_ppm), *agent.clock_drift_uncertainty_ppm);
    EXPECT_EQ(agent.outcome, "done");
    EXPECT_FALSE(agent.late);
  }
  // Both got the same start time, each by its own clock.
  const std::int64_t told_first = *first.runs.state(1).start_at_ns - hours;
  const std::int64_t told_second = *second.runs.state(1).start_at_ns - 3'250'000'123;
  EXPECT_LE(std::abs(told_first - told_second), stored_.agents[0].clock_uncertainty_ns +
                                                    stored_.agents[1].clock_uncertainty_ns +
                                                    100'000'000);
  const ApiAnswer metrics = second.api.handle({"GET", "/metrics", "", "localhost", "", "", "", ""});
  const auto value = [&metrics](const std::string& name) {
    const std::size_t at = metrics.body.find("\n" + name + " ");
    EXPECT_NE(at, std::string::npos) << name;
    return at == std::string::npos ? 0.0 : std::stod(metrics.body.substr(at + name.size() + 2));
  };
  EXPECT_NEAR(
      value("plumbline_clock_offset_seconds"), 3.250000123,
      value("plumbline_clock_offset_uncertainty_seconds") + static_cast<double>(kReadingNs) / 1e9);
}

// The agents' own start times of each trial, observed independently of the controller.
class StartObserver {
 public:
  struct Start {
    std::int64_t at_ns = 0;
    std::int64_t started_ns = 0;
  };

  explicit StartObserver(std::vector<TestAgent*> agents) : agents_(std::move(agents)) {
    starts_.resize(agents_.size());
    thread_ = std::thread([this] {
      while (!done_) {
        for (std::size_t i = 0; i < agents_.size(); ++i) look(i);
        std::this_thread::sleep_for(2ms);
      }
    });
  }
  ~StartObserver() { finish(); }
  StartObserver(const StartObserver&) = delete;
  StartObserver& operator=(const StartObserver&) = delete;

  // By trial, of the agent `i`; ends the looking.
  const std::map<std::uint64_t, Start>& startsOf(std::size_t i) {
    finish();
    return starts_[i];
  }

 private:
  void look(std::size_t i) {
    if (agents_[i]->runs.list().empty()) return;
    const RunState state = agents_[i]->runs.state(1);
    if (state.start_trial && state.started_ns) {
      starts_[i][*state.start_trial] = {*state.start_at_ns, *state.started_ns};
    }
  }
  void finish() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::vector<TestAgent*> agents_;
  std::vector<std::map<std::uint64_t, Start>> starts_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

TEST_F(ControllerTest, EveryTrialBeginsAtOneInstantOnAllAgents) {
  constexpr int kTrials = 6;
  const std::int64_t shift = -7'200'000'000'000;
  TestAgent first;
  TestAgent second{std::chrono::nanoseconds(shift)};
  StartObserver observer({&first, &second});
  const ControlledRun ended = run(options({at(first), at(second)}, kTrials));
  ASSERT_EQ(ended.status, results::RunStatus::kDone) << ended.failure;
  const auto& one = observer.startsOf(0);
  const auto& other = observer.startsOf(1);
  ASSERT_EQ(one.size(), static_cast<std::size_t>(kTrials));
  ASSERT_EQ(other.size(), one.size());
  const std::int64_t known =
      stored_.agents[0].clock_uncertainty_ns + stored_.agents[1].clock_uncertainty_ns;
  std::int64_t before = 0;
  for (const auto& [trial, start] : one) {
    // The same instant, and no start before it: the difference of the clocks is known here.
    const std::int64_t there = other.at(trial).at_ns - shift;
    EXPECT_LE(std::abs(start.at_ns - there), known + 10'000'000) << trial;
    EXPECT_GE(start.started_ns, start.at_ns) << trial;
    EXPECT_GE(other.at(trial).started_ns, other.at(trial).at_ns) << trial;
    EXPECT_GT(start.at_ns, before) << trial;
    before = start.started_ns;
  }
  // All of it is in the result.
  const auto& tables = stored_.tests.at(0).tables;
  const auto starts = std::find_if(tables.begin(), tables.end(),
                                   [](const auto& table) { return table.id == "starts"; });
  ASSERT_NE(starts, tables.end());
  EXPECT_EQ(starts->columns.size(), 5u);
  ASSERT_EQ(starts->rows.size(), one.size());
  for (const auto& row : starts->rows) {
    const std::uint64_t trial = std::stoull(std::get<std::string>(row[0]));
    const auto late = [&](const StartObserver::Start& start) {
      return static_cast<double>(start.started_ns - start.at_ns) / 1e3;
    };
    EXPECT_EQ(std::get<results::Quantity>(row[3]).value, late(one.at(trial)));
    EXPECT_EQ(std::get<results::Quantity>(row[4]).value, late(other.at(trial)));
  }
}

TEST_F(ControllerTest, AWayThatIsSlowInOneDirectionIsWithinTheUncertainty) {
  TestAgent agent(1s);
  const Relay there(agent.server.port(), {40ms, 0ms, {}, {}});
  ASSERT_EQ(run(options({at(there.port())})).status, results::RunStatus::kDone);
  const results::AgentRecord& record = stored_.agents.at(0);
  const std::int64_t error = record.clock_offset_ns - 1'000'000'000;
  EXPECT_GT(error, 10'000'000);  // half of 40 ms: the direction of the delay cannot be detected
  EXPECT_LE(std::abs(error), record.clock_uncertainty_ns + kReadingNs);
}

TEST_F(ControllerTest, ALateStartIsNeverHidden) {
  TestAgent agent;
  ControllerOptions strict = options({at(agent)});
  strict.start_tolerance = -1s;  // anything is late
  ASSERT_EQ(run(strict).status, results::RunStatus::kDone);
  EXPECT_TRUE(stored_.agents.at(0).late);
  EXPECT_FALSE(stored_.tests.at(0).valid);
  EXPECT_THAT(anomalies(), testing::Contains(AllOf(StartsWith("agent " + at(agent).name),
                                                   HasSubstr("us after the common start"))));
}

TEST_F(ControllerTest, AnAgentOfAnotherVersionIsInTheResult) {
  TestAgent same;
  TestAgent other;
  const std::string version = session::softwareName();
  std::string older = version;
  older.back() = older.back() == '9' ? '8' : '9';
  const Relay relay(other.server.port(), {0ms, 0ms, version, older});
  ASSERT_EQ(run(options({at(same), at(relay.port())})).status, results::RunStatus::kDone);
  EXPECT_EQ(stored_.agents.at(0).software, version);
  EXPECT_EQ(stored_.agents.at(1).software, older);
  EXPECT_THAT(anomalies(),
              testing::Contains("agents: agents run different software: " +
                                std::min(version, older) + ", " + std::max(version, older)));
}

TEST_F(ControllerTest, AnAgentOfAnotherApiIsRefused) {
  TestAgent agent;
  const Relay relay(agent.server.port(), {0ms, 0ms, "\"api\":1", "\"api\":2"});
  const std::string name = at(relay.port()).name;
  EXPECT_THAT(refusalOf(options({at(agent), at(relay.port())}), ErrorKind::kUsage),
              AllOf(HasSubstr("agent " + name), HasSubstr("version 2 of the API")));
  // An agent without clock exchanges.
  const Relay old(agent.server.port(), {0ms, 0ms, "received_ns", "receivec_ns"});
  EXPECT_THAT(refusalOf(options({at(old.port())}), ErrorKind::kTester),
              HasSubstr("agent " + at(old.port()).name + " does not tell its time"));
}

TEST_F(ControllerTest, WhoIsNotLetInIsToldByWhom) {
  TestAgent open;
  TestAgent closed({}, "secret");
  const std::string name = at(closed).name;
  EXPECT_THAT(refusalOf(options({at(open), at(closed)}), ErrorKind::kUsage),
              AllOf(HasSubstr("agent " + name), HasSubstr("a token is needed")));
  EXPECT_THAT(refusalOf(options({at(closed.server.port(), "secreT")}), ErrorKind::kUsage),
              HasSubstr("agent " + name + ": the token is wrong"));
  EXPECT_THAT(refusalOf(options({at(1)}), ErrorKind::kTester), HasSubstr("agent 127.0.0.1:1"));
  EXPECT_EQ(run(options({at(closed.server.port(), "secret")})).status, results::RunStatus::kDone);
}

TEST_F(ControllerTest, ASecondControllerIsRefusedAndKeepsNothing) {
  TestAgent shared;
  TestAgent other;
  Watcher watcher;
  Controller first(options({at(shared)}), watcher);
  first.prepare();
  EXPECT_THAT(refusalOf(options({at(other), at(shared)}), ErrorKind::kUsage),
              AllOf(HasSubstr("agent " + at(shared).name), HasSubstr("\"ann\" has reserved")));
  EXPECT_EQ(shared.hosts(), "reserved");
  EXPECT_EQ(other.hosts(), "free");
  EXPECT_TRUE(other.runs.list().empty());
}

TEST_F(ControllerTest, AnAgentThatIsLostStopsTheOthersAndWhatWasMeasuredIsKept) {
  TestAgent staying;
  TestAgent vanishing;
  Relay relay(vanishing.server.port(), {});
  ControllerOptions asked = options({at(staying), at(relay.port())}, 10'000);
  asked.timeout = 1s;
  const std::string name = at(relay.port()).name;
  // Between two trials: it waits for the next start time.
  watcher_.stop = [&] {
    const std::scoped_lock lock(watcher_.mutex);
    const bool both = watcher_.agents_seen.size() == 2 && watcher_.most_trials > 5;
    if (both && vanishing.runs.state(1).waiting) relay.cut();
    return false;
  };
  const ControlledRun ended = run(asked);
  EXPECT_EQ(ended.status, results::RunStatus::kFailed);
  EXPECT_THAT(ended.failure, StartsWith("agent " + name + " was lost: "));
  EXPECT_EQ(stored_.agents.at(1).outcome, "lost");
  EXPECT_EQ(stored_.agents.at(0).outcome, "aborted");
  EXPECT_EQ(staying.runs.state(1).status, "aborted");
  EXPECT_GT(stored_.agents.at(0).trials, 5u);
  EXPECT_EQ(stored_.agents.at(0).trials, staying.runs.archive().load(1).info.trials);
  EXPECT_EQ(stored_.info.trials, stored_.agents.at(0).trials + stored_.agents.at(1).trials);
  EXPECT_EQ(stored_.info.status, results::RunStatus::kFailed);
  // It waits for a message that never comes, gives up, and can be resumed.
  while (vanishing.runs.state(1).active) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(vanishing.runs.state(1).status, "aborted");
}

TEST_F(ControllerTest, AnAgentThatCannotStartStopsTheOthers) {
  TestAgent willing;
  TestAgent taken;
  ControllerOptions asked = options({at(willing), at(taken)}, 10'000);
  Controller controller(asked, watcher_);
  controller.prepare();
  taken.runs.shutDown();  // it starts nothing any more
  const std::int64_t id = store_.createRun(identity(controller), "test", "here");
  const ControlledRun ended = controller.run(store_, id);
  EXPECT_EQ(ended.status, results::RunStatus::kFailed);
  EXPECT_EQ(ended.failure,
            "agent " + at(taken).name + ": it did not start: the server is shutting down");
  EXPECT_EQ(willing.runs.state(1).status, "aborted");
  stored_ = store_.loadRun(id);
  EXPECT_EQ(stored_.agents.at(1).run, 0);
  EXPECT_EQ(stored_.agents.at(1).outcome, "failed");
}

TEST_F(ControllerTest, AStoppedRunGoesOnWhereEveryAgentStopped) {
  TestAgent first;
  TestAgent second;
  ControllerOptions asked = options({at(first), at(second)}, 40);
  watcher_.stop = [&] {
    const std::scoped_lock lock(watcher_.mutex);
    return watcher_.agents_seen.size() == 2 && watcher_.most_trials > 5;
  };
  Controller controller(asked, watcher_);
  controller.prepare();
  const std::int64_t id = store_.createRun(identity(controller), "test", "here");
  ASSERT_EQ(controller.run(store_, id).status, results::RunStatus::kAborted);
  const std::uint64_t before = store_.loadRun(id).info.trials;
  EXPECT_GT(before, 5u);

  watcher_.stop = {};
  asked.request.resume = true;
  Controller again(asked, watcher_);
  again.prepare();
  ASSERT_EQ(again.run(store_, id).status, results::RunStatus::kDone);
  const results::StoredRun resumed = store_.loadRun(id);
  EXPECT_EQ(first.runs.list().size(), 1u);
  EXPECT_EQ(resumed.info.trials, 2 * first.runs.archive().load(1).info.trials);
  ASSERT_EQ(resumed.tests.size(), 1u);
  EXPECT_TRUE(resumed.tests[0].valid);
  // Of each attempt both agents.
  ASSERT_EQ(resumed.agents.size(), 4u);
  EXPECT_EQ(resumed.agents[0].outcome, "aborted");
  EXPECT_EQ(resumed.agents[1].attempt, 1u);
  EXPECT_EQ(resumed.agents[2].attempt, 2u);
  EXPECT_EQ(resumed.agents[3].outcome, "done");
}

TEST(ParseAgents, TakesAddressesAndNothingElse) {
  const auto agents = parseAgents("10.0.0.2,[::1]:9,https://lab:8471");
  ASSERT_EQ(agents.size(), 3u);
  EXPECT_EQ(agents[0].address.port, kDefaultPort);
  EXPECT_TRUE(agents[0].address.tls);
  EXPECT_EQ(agents[1].name, "[::1]:9");
  EXPECT_EQ(agents[1].address.port, 9);
  EXPECT_EQ(agents[2].address.host, "lab");
  for (const char* wrong : {"", ",", "a,", ",a", "a,,b", "a:0", "a b", "a,a", "a:8470,a"}) {
    EXPECT_THROW(parseAgents(wrong), Error) << wrong;
  }
}

}  // namespace
}  // namespace plumbline::control
