// The session without a window, against servers that follow a script.
#include "gui/models/session.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "control/live_message.h"
#include "tests/gui/scripted_server.h"

namespace plumbline::gui {
namespace {

constexpr int kWaitMs = 30'000;

control::RunState runState(std::int64_t id, const char* status) {
  control::RunState run;
  run.id = id;
  run.name = "latency";
  run.status = status;
  run.active = run.status == "running";
  return run;
}

control::LiveInterval interval(std::uint64_t sequence) {
  control::LiveInterval one;
  one.sequence = sequence;
  one.run = 2;
  one.trial.number = sequence;
  one.trial.label = "1024 B";
  return one;
}

Script script() {
  Script script;
  control::PortState port;
  port.name = "sim";
  port.bench = "sim";
  control::ScenarioListing scenario;
  scenario.name = "quickstart";
  script.answers["GET /api/v1/ports"] = control::toJson(std::vector<control::PortState>{port});
  script.answers["GET /api/v1/scenarios"] =
      control::toJson(std::vector<control::ScenarioListing>{scenario});
  script.answers["GET /api/v1/runs"] =
      control::toJson(std::vector<control::RunState>{runState(1, "done"), runState(2, "running")});
  script.messages = {control::toMessage(control::LiveHello{"first", 0, 0})};
  return script;
}

class SessionTest : public testing::Test {
 protected:
  bool reaches(Session::State state) {
    return QTest::qWaitFor([&] { return session_.state() == state; }, kWaitMs);
  }

  Session session_;
};

TEST_F(SessionTest, KnowsTheServersListsAndTheRunThatIsActive) {
  const ScriptedServer server(Manner::kScripted, script());
  QSignalSpy messages(&session_, &Session::message);
  session_.open(server.address());
  EXPECT_EQ(session_.state(), Session::State::kConnecting);
  ASSERT_TRUE(reaches(Session::State::kConnected));
  EXPECT_EQ(session_.addressText(), QStringLiteral("127.0.0.1:%1").arg(server.address().port));
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        return !session_.ports().empty() && !session_.scenarios().empty() &&
               !session_.runs().empty();
      },
      kWaitMs));
  EXPECT_EQ(session_.ports().front().name, "sim");
  EXPECT_EQ(session_.scenarios().front().name, "quickstart");
  EXPECT_EQ(session_.runs().front().id, 2) << "newest first";
  ASSERT_NE(session_.activeRun(), nullptr);
  EXPECT_EQ(session_.activeRun()->id, 2);
  ASSERT_EQ(messages.count(), 1);
  EXPECT_TRUE(messages[0][0].toString().startsWith("Connected to 127.0.0.1"));
}

TEST_F(SessionTest, TellsOfIntervalsAndOfThoseThatAreMissing) {
  Script with_intervals = script();
  for (std::uint64_t i = 1; i <= 500; ++i) {
    with_intervals.messages.push_back(control::toMessage(interval(i)));
  }
  with_intervals.messages.push_back(control::toMessage(control::LiveLost{12}));
  const ScriptedServer server(Manner::kScripted, with_intervals);
  QSignalSpy updates(&session_, &Session::updated);
  QSignalSpy messages(&session_, &Session::message);
  session_.open(server.address());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        return session_.live().latest() && session_.live().latest()->sequence == 500 &&
               messages.count() == 2 && updates.count() > 0;
      },
      kWaitMs));
  EXPECT_TRUE(messages[1][0].toString().startsWith("12 live intervals did not arrive"));
  // However many arrive, the view is updated at its own rate.
  EXPECT_LT(updates.count(), 50);
  session_.clearLive();
  EXPECT_FALSE(session_.live().latest());
}

TEST_F(SessionTest, SaysOnceThatARunHasEnded) {
  Script with_end = script();
  with_end.messages.push_back(control::toMessage(interval(1)));
  with_end.messages.push_back(control::toMessage(runState(2, "done")));
  with_end.messages.push_back(control::toMessage(runState(2, "done")));
  const ScriptedServer server(Manner::kScripted, with_end);
  QSignalSpy ends(&session_, &Session::runEnded);
  session_.open(server.address());
  ASSERT_TRUE(QTest::qWaitFor([&] { return ends.count() > 0; }, kWaitMs));
  EXPECT_EQ(ends[0][0].value<control::RunState>().id, 2);
  QTest::qWait(100);
  EXPECT_EQ(ends.count(), 1);
  EXPECT_EQ(session_.activeRun(), nullptr);
}

TEST_F(SessionTest, LeavesNothingOfAServerBehind) {
  const ScriptedServer server(Manner::kScripted, script());
  session_.open(server.address());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !session_.runs().empty(); }, kWaitMs));
  session_.close();
  EXPECT_EQ(session_.state(), Session::State::kDisconnected);
  EXPECT_TRUE(session_.addressText().isEmpty());
  EXPECT_TRUE(session_.runs().empty());
  EXPECT_TRUE(session_.ports().empty());
  EXPECT_TRUE(session_.scenarios().empty());
  EXPECT_EQ(session_.client(), nullptr);
}

TEST_F(SessionTest, SaysOnceThatNobodyIsThereAndFindsWhoComesLater) {
  control::ServerAddress nobody;
  {
    const ScriptedServer gone(Manner::kSilent);
    nobody = gone.address();
  }
  QSignalSpy messages(&session_, &Session::message);
  session_.open(nobody);
  ASSERT_TRUE(QTest::qWaitFor([&] { return messages.count() > 0; }, kWaitMs));
  QTest::qWait(500);  // within which it has retried
  EXPECT_EQ(messages.count(), 1);
  EXPECT_TRUE(messages[0][1].toBool());
  EXPECT_EQ(session_.state(), Session::State::kConnecting);
  // The user may leave at any time, also for a server that never answers.
  const ScriptedServer silent(Manner::kSilent);
  session_.open(silent.address());
  ASSERT_TRUE(QTest::qWaitFor([&] { return silent.connections() > 0; }, kWaitMs));
  session_.open(nobody);
  const ScriptedServer server(Manner::kScripted, script());
  session_.open(server.address());
  EXPECT_TRUE(reaches(Session::State::kConnected));
}

TEST(Session, WritesARefusalAsOneLine) {
  EXPECT_EQ(Session::refusalText({409, "ports are taken", "rtl/0", "wait", {}}),
            "rtl/0: ports are taken (wait)");
  EXPECT_EQ(Session::refusalText({500, "it failed", "", "", {}}), "it failed");
}

}  // namespace
}  // namespace plumbline::gui
