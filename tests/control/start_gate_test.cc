#include "control/start_gate.h"

#include <gtest/gtest.h>

#include <thread>

namespace plumbline::control {
namespace {

using namespace std::chrono_literals;

TEST(StartGate, OpensAtItsTimeAndSaysWhen) {
  const HostClock clock(5h);
  const std::int64_t at = clock.nowNs() + 30'000'000;
  StartGate gate;
  gate.set(clock, at);
  EXPECT_EQ(gate.times().at_ns, at);
  EXPECT_FALSE(gate.times().started_ns.has_value());
  const std::atomic<bool> stop = false;
  EXPECT_TRUE(gate.wait(stop));
  const std::int64_t after = clock.nowNs();
  ASSERT_TRUE(gate.times().started_ns.has_value());
  EXPECT_GE(*gate.times().started_ns, at);
  EXPECT_LE(*gate.times().started_ns, after);
  const auto first = gate.times().started_ns;
  EXPECT_TRUE(gate.wait(stop));  // a run begins once
  EXPECT_EQ(gate.times().started_ns, first);
}

TEST(StartGate, ATimeThatIsOverOpensAtOnceAndIsNotHidden) {
  const HostClock clock;
  StartGate gate;
  gate.set(clock, clock.nowNs() - 2'000'000'000);
  EXPECT_TRUE(gate.wait(false));
  EXPECT_GE(*gate.times().started_ns - *gate.times().at_ns, 2'000'000'000);
}

TEST(StartGate, IsOpenWhereNothingWasAgreed) {
  StartGate gate;
  EXPECT_TRUE(gate.wait(true));
  EXPECT_FALSE(gate.times().at_ns.has_value());
  EXPECT_FALSE(gate.times().started_ns.has_value());
}

TEST(StartGate, AStopEndsTheWait) {
  const HostClock clock;
  StartGate gate;
  gate.set(clock, clock.nowNs() + 3'600'000'000'000);
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    std::this_thread::sleep_for(20ms);
    stop = true;
  });
  EXPECT_FALSE(gate.wait(stop));
  stopper.join();
  EXPECT_FALSE(gate.times().started_ns.has_value());
}

}  // namespace
}  // namespace plumbline::control
