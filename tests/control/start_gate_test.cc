#include "control/start_gate.h"

#include <gtest/gtest.h>

#include <thread>

namespace plumbline::control {
namespace {

using namespace std::chrono_literals;

const WaitingTrial kTrial{3, "T5.2", "64 B", 1};

TEST(StartGate, OpensAtItsTimeAndSaysWhen) {
  const HostClock clock(5h);
  const std::int64_t at = clock.nowNs() + 30'000'000;
  StartGate gate;
  gate.openOnce(clock, at);
  EXPECT_EQ(gate.times().at_ns, at);
  EXPECT_FALSE(gate.times().started_ns.has_value());
  const std::atomic<bool> stop = false;
  EXPECT_TRUE(gate.wait(stop, kTrial));
  const std::int64_t after = clock.nowNs();
  ASSERT_TRUE(gate.times().started_ns.has_value());
  EXPECT_GE(*gate.times().started_ns, at);
  EXPECT_LE(*gate.times().started_ns, after);
  const auto first = gate.times().started_ns;
  EXPECT_TRUE(gate.wait(stop, kTrial));  // a run begins once
  EXPECT_EQ(gate.times().started_ns, first);
}

TEST(StartGate, ATimeThatIsOverOpensAtOnceAndIsNotHidden) {
  const HostClock clock;
  StartGate gate;
  gate.openOnce(clock, clock.nowNs() - 2'000'000'000);
  EXPECT_TRUE(gate.wait(false, kTrial));
  EXPECT_GE(*gate.times().started_ns - *gate.times().at_ns, 2'000'000'000);
}

TEST(StartGate, IsOpenWhereNothingWasAgreed) {
  StartGate gate;
  EXPECT_TRUE(gate.wait(true, kTrial));
  EXPECT_FALSE(gate.times().at_ns.has_value());
  EXPECT_FALSE(gate.times().started_ns.has_value());
}

TEST(StartGate, AStopEndsTheWait) {
  const HostClock clock;
  StartGate gate;
  gate.openOnce(clock, clock.nowNs() + 3'600'000'000'000);
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    std::this_thread::sleep_for(20ms);
    stop = true;
  });
  EXPECT_FALSE(gate.wait(stop, kTrial));
  stopper.join();
  EXPECT_FALSE(gate.times().started_ns.has_value());
}

// A gate whose trials wait one by one, with a thread that passes through it.
class EachTrialTest : public testing::Test {
 protected:
  void open(std::chrono::nanoseconds hold) {
    gate_.openForEach(clock_, hold, [this] { ++waited_; });
  }
  void go() {
    thread_ = std::thread([this] { passed_ = gate_.wait(stop_, kTrial); });
    while (!gate_.times().waiting) std::this_thread::sleep_for(1ms);
  }
  bool passed() {
    thread_.join();
    return passed_;
  }

  const HostClock clock_{-3h};
  StartGate gate_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> waited_ = 0;
  bool passed_ = false;
  std::thread thread_;
};

TEST_F(EachTrialTest, BeginsWhenItIsToldAndNotBefore) {
  open(1h);
  EXPECT_FALSE(gate_.sendStartTime({3, clock_.nowNs()}));  // nothing waits yet
  go();
  EXPECT_EQ(waited_, 1);
  EXPECT_EQ(gate_.times().waiting->trial, 3u);
  EXPECT_EQ(gate_.times().waiting->label, "64 B");
  EXPECT_FALSE(gate_.sendStartTime({2, clock_.nowNs()}));
  EXPECT_TRUE(gate_.sendStartTime({3, {}}));  // wait on
  EXPECT_TRUE(gate_.times().waiting.has_value());
  const std::int64_t at = clock_.nowNs() + 30'000'000;
  EXPECT_TRUE(gate_.sendStartTime({3, at}));
  EXPECT_FALSE(gate_.sendStartTime({3, at + 1}));  // set once
  EXPECT_TRUE(passed());
  EXPECT_EQ(gate_.times().trial, 3u);
  EXPECT_EQ(gate_.times().at_ns, at);
  EXPECT_GE(*gate_.times().started_ns, at);

  go();  // the next one waits again
  EXPECT_EQ(waited_, 2);
  const std::int64_t over = clock_.nowNs() - 1'000'000'000;
  EXPECT_TRUE(gate_.sendStartTime({3, over}));
  EXPECT_TRUE(passed());
  EXPECT_GE(*gate_.times().started_ns - over, 1'000'000'000);
}

TEST_F(EachTrialTest, GivesUpWithoutAWord) {
  open(150ms);
  const auto since = std::chrono::steady_clock::now();
  go();
  std::this_thread::sleep_for(100ms);
  gate_.sendStartTime({3, {}});
  EXPECT_FALSE(passed());
  EXPECT_GE(std::chrono::steady_clock::now() - since, 250ms);
  EXPECT_FALSE(gate_.times().waiting.has_value());
  EXPECT_FALSE(gate_.times().started_ns.has_value());
}

TEST_F(EachTrialTest, AStopEndsTheWait) {
  open(1h);
  go();
  stop_ = true;
  EXPECT_FALSE(passed());
  EXPECT_FALSE(gate_.sendStartTime({3, clock_.nowNs()}));
}

}  // namespace
}  // namespace plumbline::control
