// The common start: when the schedulers go live, the criteria of lateness, and what stops them.
#include <Vplumb_start.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "base/units.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

constexpr std::uint64_t kClock = 3103;  // ps, near enough for a bound
constexpr std::uint64_t kLead = 8'000'000;

class StartTest : public testing::Test {
 protected:
  rtl::Clocked<Vplumb_start> start_;
  std::uint64_t now_ = 0;
  std::uint64_t late_pulses_ = 0;

  void tick() {
    start_.tick();
    now_ += kClock;
    start_->now_i = now_;
    start_.settle();
    late_pulses_ += start_->late_start_o;
  }
  void arm(std::uint64_t time) {
    start_->start_time_i = time;
    start_->arm_i = 1;
    tick();
    start_->arm_i = 0;
    start_->start_time_i = 0;  // sampled with arm_i, ignored later
  }
  void stop() {
    start_->stop_i = 1;
    tick();
    start_->stop_i = 0;
  }
  // Runs until the schedulers are live; the time of that, or 0 if it does not happen by `limit`.
  std::uint64_t runUntilLive(std::uint64_t limit) {
    while (now_ < limit) {
      if (start_->running_o != 0) {
        return now_;
      }
      EXPECT_TRUE(start_->armed_o);
      tick();
    }
    return 0;
  }
};

TEST_F(StartTest, GoesLiveEightMicrosecondsAhead) {
  now_ = 5'000'000;
  const std::uint64_t epoch = 60'000'000;
  arm(epoch);
  EXPECT_EQ(start_->epoch_o, epoch);
  const std::uint64_t live = runUntilLive(epoch);
  EXPECT_GE(live, epoch - kLead);
  EXPECT_LE(live, epoch - kLead + 4 * kClock);
  EXPECT_FALSE(start_->armed_o);
  for (int i = 0; i < 10'000; ++i) {
    tick();
    ASSERT_TRUE(start_->running_o);
  }
  EXPECT_EQ(late_pulses_, 0U);
}

TEST_F(StartTest, LateBelowOneMicrosecondOnly) {
  now_ = 100'000'000;
  tick();
  arm(now_ + 1'000'000 + kClock);
  EXPECT_NE(runUntilLive(now_ + 10 * kClock), 0U);
  EXPECT_EQ(late_pulses_, 0U);
  stop();
  arm(now_ + 1'000'000 - kClock);
  EXPECT_NE(runUntilLive(now_ + 10 * kClock), 0U) << "a late run still runs";
  EXPECT_EQ(late_pulses_, 1U);
}

TEST_F(StartTest, EpochInThePastIsLateAtOnce) {
  now_ = 100'000'000;
  tick();
  arm(1);
  EXPECT_NE(runUntilLive(now_ + 10 * kClock), 0U);
  EXPECT_EQ(late_pulses_, 1U);
}

// Card time is 3 s ahead of local time, and the start before the card's own beginning: its local
// time is below zero.
TEST_F(StartTest, EpochBelowZeroIsLateAtOnce) {
  now_ = 100'000'000;
  start_->offset_i = 3'000'000'000'000;
  tick();
  arm(1'000'000);
  EXPECT_EQ(start_->epoch_o, std::uint64_t{0} - 2'999'999'000'000);
  EXPECT_NE(runUntilLive(now_ + 10 * kClock), 0U);
  EXPECT_EQ(late_pulses_, 1U);
}

TEST_F(StartTest, EpochZeroAtTimeZeroDoesNotWrap) {
  arm(3'000'000);  // less than the lead after time zero
  EXPECT_NE(runUntilLive(10 * kClock), 0U);
  EXPECT_EQ(late_pulses_, 0U);
}

TEST_F(StartTest, StopEndsArmedAndRunningAndWinsOverArm) {
  arm(60'000'000);
  stop();
  EXPECT_FALSE(start_->armed_o);
  EXPECT_EQ(runUntilLive(0), 0U);
  for (int i = 0; i < 30'000; ++i) {
    tick();
    ASSERT_FALSE(start_->running_o);
  }
  arm(now_ + 2'000'000);
  ASSERT_NE(runUntilLive(now_ + 10 * kClock), 0U);
  start_->arm_i = 1;
  stop();
  start_->arm_i = 0;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(start_->running_o);
    EXPECT_FALSE(start_->armed_o);
    tick();
  }
}

TEST_F(StartTest, ArmingAgainTakesTheNewEpoch) {
  now_ = 1'000'000;
  tick();
  arm(now_ + 2'000'000);
  ASSERT_NE(runUntilLive(now_ + 10 * kClock), 0U);
  const std::uint64_t epoch = now_ + 40'000'000;
  arm(epoch);
  EXPECT_FALSE(start_->running_o);
  const std::uint64_t live = runUntilLive(epoch);
  EXPECT_GE(live, epoch - kLead);
  EXPECT_EQ(start_->epoch_o, epoch);
}

}  // namespace
}  // namespace plumbline
