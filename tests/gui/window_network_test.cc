// Failing servers: the window's thread continues whatever they do, and every button works. The
// duration is compared with a thread that only counts, so that a busy machine slows both down.
#include <gtest/gtest.h>

#include <QTimer>
#include <atomic>
#include <chrono>
#include <thread>

#include "control/live_message.h"
#include "tests/gui/scripted_server.h"
#include "tests/gui/window_fixture.h"

namespace plumbline::gui {
namespace {

constexpr int kBeatMs = 10;

// The longest time between two events that the window's thread has handled, in beats of another
// thread.
class Heartbeat {
 public:
  Heartbeat() : metronome_([this] { tick(); }) {
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] {
      const int now = ticks_;
      longest_ = std::max(longest_, now - last_);
      last_ = now;
      ++beats_;
    });
    last_ = ticks_;
    timer_.start(kBeatMs);
  }
  ~Heartbeat() {
    ending_ = true;
    metronome_.join();
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Waits for this many further beats; false if they do not come.
  bool goesOn(int beats) {
    const int enough = beats_ + beats;
    return waitFor([&] { return beats_ >= enough; });
  }
  [[nodiscard]] int longest() const { return longest_; }

 private:
  void tick() {
    while (!ending_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kBeatMs));
      ++ticks_;
    }
  }

  QTimer timer_;
  int beats_ = 0;
  int last_ = 0;
  int longest_ = 0;
  std::atomic<int> ticks_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread metronome_;  // last: it uses the members above
};

class NetworkTest : public WindowTest {
 protected:
  // A second; waiting for the network would take forever here, or at least seconds.
  static constexpr int kMostMissed = 100;
  static constexpr int kWatched = 150;

  // All user actions with a server that does not answer, ending at another one.
  void useAndLeave(Heartbeat& heart) {
    window_.scenarioPage().setScenario("quickstart", scenarioFile("quickstart.yaml"));
    pressRun();
    window_.scenarioPage().validate();
    window_.scenarioPage().plan();
    for (int tab = 0; tab < window_.tabs().count(); ++tab) window_.tabs().setCurrentIndex(tab);
    EXPECT_TRUE(heart.goesOn(kWatched));
    triggerAction("&Disconnect");
    EXPECT_EQ(session().state(), Session::State::kDisconnected);
    EXPECT_TRUE(heart.goesOn(20));
    connectToLocalServer();
    EXPECT_TRUE(connected()) << log();
    triggerAction("&Disconnect");
    connectToLocalServer();  // it is still there
    EXPECT_LT(heart.longest(), kMostMissed);
  }
};

TEST_F(NetworkTest, AServerThatNeverAnswersHoldsNothingUp) {
  const ScriptedServer server(Manner::kSilent);
  Heartbeat heart;
  window_.connectTo(server.address());
  ASSERT_TRUE(waitFor([&] { return server.connections() > 0; }));
  EXPECT_EQ(session().state(), Session::State::kConnecting);
  useAndLeave(heart);
}

TEST_F(NetworkTest, AServerThatAnswersAByteASecondHoldsNothingUp) {
  const ScriptedServer server(Manner::kTrickle);
  Heartbeat heart;
  window_.connectTo(server.address());
  ASSERT_TRUE(waitFor([&] { return server.connections() > 0; }));
  useAndLeave(heart);
}

// It has a run, which the user stops: the request is sent, and the answer is not waited for.
TEST_F(NetworkTest, AServerThatStopsWithinAFrameHoldsNothingUp) {
  control::RunState run;
  run.id = 7;
  run.name = "endless";
  run.status = "running";
  run.active = true;
  Script script;
  script.answers["GET /api/v1/runs"] = control::toJson(std::vector<control::RunState>{run});
  script.messages = {control::toMessage(control::LiveHello{"an instance", 0, 0})};
  const ScriptedServer server(Manner::kHalfFrame, script);
  Heartbeat heart;
  window_.connectTo(server.address());
  ASSERT_TRUE(waitFor([this] { return connected() && running(); })) << log();
  EXPECT_TRUE(window_.strip().stopButton()->isEnabled());
  pressStop();
  EXPECT_TRUE(waitFor([&] { return server.requests("POST /api/v1/runs/7/stop") == 1; }));
  useAndLeave(heart);
}

}  // namespace
}  // namespace plumbline::gui
