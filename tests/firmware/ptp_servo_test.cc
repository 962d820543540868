// The firmware of two cards, a master and a slave, over a link with noise: how far the slave's time
// is off, by the model's true time. What it must reach: |offset| of at most 20 ns in 99 % of the
// time from two seconds after the start on, and time that never goes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

#include "tests/firmware/two_clocks.h"

namespace plumbline::firmware_test {
namespace {

namespace fw = firmware;

constexpr std::int64_t kUs = 1'000'000;
constexpr std::int64_t kMs = 1'000 * kUs;
constexpr std::int64_t kSecond = 1'000 * kMs;

std::uint32_t intervals(int sync, int delay, int announce) {
  return static_cast<std::uint8_t>(sync) |
         static_cast<std::uint32_t>(static_cast<std::uint8_t>(delay)) << 8U |
         static_cast<std::uint32_t>(static_cast<std::uint8_t>(announce)) << 16U;
}
// 64 Syncs and 16 Delay_Reqs a second.
const std::uint32_t kIntervals = intervals(-6, -4, 0);

// What differs from one course to another.
struct Course {
  Oscillator master;
  Oscillator slave;
  std::int64_t phase_ps = 0;
  std::int64_t there_ps = 1'000'000;  // the way of frames
  std::int64_t back_ps = 1'000'000;
  double queued = 0;  // share of frames that wait behind others, exponentially, 2 us on average
};

class TwoCards {
 public:
  TwoCards(std::uint64_t seed, const Course& course)
      : master(2 * seed, course.master, 5 * kSecond),
        slave(2 * seed + 1, course.slave, 5 * kSecond + course.phase_ps),
        course_(course),
        random_(seed) {
    master.on_sent = [this](std::int64_t time, const ClockCard::Frame& frame) {
      pass(slave, time + course_.there_ps, frame);
    };
    slave.on_sent = [this](std::int64_t time, const ClockCard::Frame& frame) {
      pass(master, time + course_.back_ps, frame);
    };
  }
  void begin(std::uint32_t log_intervals = kIntervals) {
    EXPECT_EQ(master.ask(fw::kSetPtp, {fw::kPtpMaster, log_intervals, 0x11335502, 0x1}), fw::kDone);
    EXPECT_EQ(slave.ask(fw::kSetPtp, {fw::kPtpSlave, log_intervals, 0x22446602, 0x2}), fw::kDone);
  }
  // Calls `each` after every step of 50 us.
  template <typename Each>
  void run(std::int64_t duration, const Each& each) {
    for (const std::int64_t end = now + duration; now < end;) {
      now += 50 * kUs;
      master.runAt(now);
      slave.runAt(now);
      each();
    }
  }
  void run(std::int64_t duration) {
    run(duration, [] {});
  }
  [[nodiscard]] std::int64_t offset() const { return slave.timeAt(now) - master.timeAt(now); }
  [[nodiscard]] const fw::PtpStatus& status() const { return slave.shared.ptp; }

  ClockCard master;
  ClockCard slave;
  std::int64_t now = 0;
  bool cut = false;  // no frame arrives

 private:
  void pass(ClockCard& to, std::int64_t time, const ClockCard::Frame& frame) {
    if (cut) return;
    if (course_.queued > 0 && std::uniform_real_distribution(0.0, 1.0)(random_) < course_.queued) {
      time += static_cast<std::int64_t>(std::exponential_distribution(1.0 / 2e6)(random_));
    }
    if (!to.arrivals.empty()) time = std::max(time, to.arrivals.back().time);
    to.arrivals.push_back({time, frame});
  }

  Course course_;
  std::mt19937_64 random_;
};

std::int64_t signedOf(const fw::Wide& words) {
  return static_cast<std::int64_t>(words.low | std::uint64_t{words.high} << 32U);
}

Course drawCourse(std::mt19937_64& random) {
  std::uniform_real_distribution ppm(-100e-6, 100e-6);
  std::uniform_real_distribution drift(-0.1e-6, 0.1e-6);
  Course drawn;
  drawn.master = {ppm(random), drift(random) / 2};
  drawn.slave = {ppm(random), drift(random) / 2};
  drawn.phase_ps = std::uniform_int_distribution<std::int64_t>(-4 * kSecond, 4 * kSecond)(random);
  drawn.there_ps = drawn.back_ps =
      std::uniform_int_distribution<std::int64_t>(100'000, 20'000'000)(random);
  return drawn;
}

std::int64_t percentile99(std::vector<std::int64_t>& values) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 99 / 100);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

TEST(PtpServo, SlaveIsWithin20NsAtP99AfterTwoSeconds) {
  const std::uint64_t seeds = std::getenv("PLUMBLINE_LONG") != nullptr ? 3'000 : 150;
  std::vector<std::int64_t> all;
  std::int64_t worst_p99 = 0;
  std::int64_t worst = 0;
  std::uint64_t covered = 0;
  std::uint64_t checked = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const Course course = drawCourse(random);
    TwoCards cards(seed, course);
    cards.begin();
    std::int64_t before = cards.slave.timeAt(0);
    std::uint32_t steps = 0;
    std::vector<std::int64_t> offsets;
    cards.run(4 * kSecond, [&] {
      const std::int64_t time = cards.slave.timeAt(cards.now);
      if (cards.slave.steps == steps) {
        ASSERT_GT(time, before) << "time went back";
      }
      steps = cards.slave.steps;
      before = time;
      if (cards.now <= 2 * kSecond) return;
      offsets.push_back(std::abs(cards.offset()));
      if (cards.now % (10 * kMs) != 0) return;
      ++checked;
      covered += std::abs(cards.offset()) <= 2 * std::int64_t{cards.status().uncertainty_ps};
    });
    ASSERT_EQ(cards.status().state, fw::kPtpLocked);
    ASSERT_LE(cards.slave.steps, 1U);
    ASSERT_EQ(cards.slave.lost_frames + cards.master.lost_frames, 0U);
    EXPECT_NEAR(static_cast<double>(signedOf(cards.status().delay_ps)),
                static_cast<double>(course.there_ps), 12'000);
    // The rate is that of the two oscillators, by the model.
    EXPECT_NEAR(
        static_cast<std::int32_t>(cards.status().rate) * 1e-12,
        (course.master.error - course.slave.error) + (course.master.drift - course.slave.drift) * 4,
        0.2e-6);
    all.insert(all.end(), offsets.begin(), offsets.end());
    worst = std::max(worst, *std::max_element(offsets.begin(), offsets.end()));
    worst_p99 = std::max(worst_p99, percentile99(offsets));
  }
  const std::int64_t p99 = percentile99(all);
  std::cout << seeds << " courses: |offset| P99 " << p99 << " ps, worst P99 of a course "
            << worst_p99 << " ps, largest " << worst << " ps; within two standard uncertainties "
            << 100.0 * static_cast<double>(covered) / static_cast<double>(checked) << " %\n";
  EXPECT_LE(p99, 20'000);
  EXPECT_GE(covered, checked * 9 / 10);
}

Course quietCourse() {
  Course course;
  course.master.error = 40e-6;
  course.slave.error = -60e-6;
  course.phase_ps = 3 * kSecond;
  return course;
}

// Mean offset over a second.
double meanOffset(TwoCards& cards) {
  double sum = 0;
  int count = 0;
  cards.run(kSecond, [&] {
    sum += static_cast<double>(cards.offset());
    ++count;
  });
  return sum / count;
}

// A reset of the card takes away what the firmware has set: event frames, rate and time. Roles
// begin anew, on either card.
TEST(PtpServo, RolesBeginAnewAfterAResetOfTheCard) {
  for (const bool of_slave : {true, false}) {
    SCOPED_TRACE(of_slave ? "slave" : "master");
    TwoCards cards(1, quietCourse());
    cards.begin();
    cards.run(3 * kSecond);
    ASSERT_EQ(cards.status().state, fw::kPtpLocked);
    (of_slave ? cards.slave : cards.master).resetCard();
    cards.run(5 * kSecond);
    EXPECT_EQ(cards.status().state, fw::kPtpLocked);
    EXPECT_LE(std::abs(cards.offset()), 50'000);
  }
}

// Half the difference of the two ways, which nothing can see, is the error; the delay is their
// mean.
TEST(PtpServo, AnAsymmetricPathIsAnErrorOfHalfTheDifference) {
  Course course = quietCourse();
  course.there_ps = 1'000'000;
  course.back_ps = 4'000'000;
  TwoCards cards(1, course);
  cards.begin();
  cards.run(3 * kSecond);
  EXPECT_NEAR(meanOffset(cards), (course.back_ps - course.there_ps) / 2.0, 10'000);
  EXPECT_NEAR(static_cast<double>(signedOf(cards.status().delay_ps)), 2'500'000, 10'000);
}

// The answer to a Delay_Req comes after the next Syncs: the way is 10 ms long.
TEST(PtpServo, AWayLongerThanTheIntervalIsMeasured) {
  Course course = quietCourse();
  course.there_ps = course.back_ps = 10 * kMs;
  TwoCards cards(8, course);
  cards.begin(intervals(-7, -7, 0));
  cards.run(4 * kSecond);
  EXPECT_EQ(cards.status().state, fw::kPtpLocked);
  EXPECT_LT(std::abs(cards.offset()), 30'000);
  // By the clock of the master.
  EXPECT_NEAR(static_cast<double>(signedOf(cards.status().delay_ps)), 1e10 * (1 + 40e-6), 12'000);
}

// One frame in twenty waits 2 us on average behind others: it is left out.
TEST(PtpServo, FramesThatWaitedInSwitchesAreLeftOut) {
  std::vector<std::int64_t> offsets;
  std::uint32_t outliers = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(1'000 + seed);
    Course course = drawCourse(random);
    course.queued = 0.05;
    TwoCards cards(seed, course);
    cards.begin();
    cards.run(2 * kSecond);
    cards.run(2 * kSecond, [&] { offsets.push_back(std::abs(cards.offset())); });
    EXPECT_EQ(cards.status().state, fw::kPtpLocked) << "seed " << seed;
    outliers += cards.status().outliers;
  }
  const std::int64_t p99 = percentile99(offsets);
  std::cout << "one frame in twenty waits: |offset| P99 " << p99 << " ps\n";
  EXPECT_LE(p99, 25'000);
  EXPECT_GT(outliers, 30U * 4);
}

// Without a master the rate stays: time drifts by what the rate was off, not by the oscillators'
// 100 ppm. When the master is back, it follows without a step.
TEST(PtpServo, HoldsItsRateWithoutAMaster) {
  TwoCards cards(2, quietCourse());
  cards.begin();
  cards.run(4 * kSecond);
  ASSERT_EQ(cards.status().state, fw::kPtpLocked);
  ASSERT_EQ(cards.slave.steps, 1U);
  cards.cut = true;
  cards.run(4 * kSecond);
  EXPECT_EQ(cards.status().state, fw::kPtpHoldover);
  EXPECT_EQ(cards.status().losses, 1U);
  EXPECT_LT(std::abs(cards.offset()), 500'000);
  cards.cut = false;
  cards.run(4 * kSecond);
  EXPECT_EQ(cards.status().state, fw::kPtpLocked);
  EXPECT_LT(std::abs(cards.offset()), 30'000);
  EXPECT_EQ(cards.slave.steps, 1U);
}

// Less than a microsecond off, time is not stepped: the rate alone brings it there.
TEST(PtpServo, SmallOffsetsAreNotStepped) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    Course course = drawCourse(random);
    course.slave.error = course.master.error + 1e-9 * static_cast<double>(random() % 200);
    course.phase_ps = std::uniform_int_distribution<std::int64_t>(-800'000, 800'000)(random);
    TwoCards cards(seed, course);
    cards.begin();
    cards.run(5 * kSecond);
    EXPECT_EQ(cards.status().state, fw::kPtpLocked);
    EXPECT_LT(std::abs(cards.offset()), 30'000);
    EXPECT_EQ(cards.slave.steps, 0U);
  }
}

// The master's time is stepped by its host: the slave measures anew, and steps once.
TEST(PtpServo, FollowsAMasterThatIsStepped) {
  TwoCards cards(3, quietCourse());
  cards.begin();
  cards.run(3 * kSecond);
  cards.master.writeCard(fw::regs::time::kBase + fw::regs::time::kStepLo, 700'000'000);
  cards.master.writeCard(fw::regs::time::kBase + fw::regs::time::kStepHi, 0);
  cards.run(3 * kSecond);
  EXPECT_EQ(cards.status().state, fw::kPtpLocked);
  EXPECT_LT(std::abs(cards.offset()), 30'000);
  EXPECT_EQ(cards.status().steps, 2U);
}

// With fewer Syncs it is slower and coarser, and still stable. The gains are the master's interval.
TEST(PtpServo, FewerSyncsAreSlowerAndStable) {
  for (const int log : {-7, -5, -4, -3, -1, 0}) {
    SCOPED_TRACE(testing::Message() << "interval 2^" << log << " s");
    Course course = quietCourse();
    TwoCards cards(4, course);
    cards.begin(intervals(log, std::max(log, -4), 0));
    cards.run(log < -2 ? 8 * kSecond : 90 * kSecond);
    EXPECT_EQ(cards.status().state, fw::kPtpLocked);
    std::int64_t most = 0;
    cards.run(4 * kSecond, [&] { most = std::max(most, std::abs(cards.offset())); });
    EXPECT_LT(most, 40'000);
  }
}

// A pulse at every whole second of a true clock; the card's seconds follow it.
TEST(PtpServo, SecondsFollowThePulse) {
  ClockCard card(5, {.error = 70e-6}, 5 * kSecond + 300'123'456'789);
  ASSERT_EQ(card.ask(fw::kSetPtp, {fw::kPtpPps, 0, 0, 0}), fw::kDone);
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (int second = 1; second <= 60; ++second) {
    for (int i = 0; i < 10'000; ++i) card.runAt(now += 100 * kUs);
    card.pulseAt(now);
    const std::int64_t beyond = card.timeAt(now) % kSecond;
    const std::int64_t offset = beyond > kSecond / 2 ? beyond - kSecond : beyond;
    if (second > 40) most = std::max(most, std::abs(offset));
  }
  EXPECT_EQ(card.shared.ptp.state, fw::kPtpLocked);
  EXPECT_EQ(card.steps, 1U);
  EXPECT_LT(most, 30'000);
  // Without pulses it holds the rate.
  for (int i = 0; i < 40'000; ++i) card.runAt(now += 100 * kUs);
  EXPECT_EQ(card.shared.ptp.state, fw::kPtpHoldover);
}

TEST(PtpServo, RolesOutOfRangeAreRefused) {
  ClockCard card(6, {}, 0);
  EXPECT_EQ(card.ask(fw::kSetPtp, {4, kIntervals, 0, 0}), fw::kBadArgument);
  EXPECT_EQ(card.ask(fw::kSetPtp, {fw::kPtpSlave | 1U << 8U, kIntervals, 0, 0}), fw::kBadArgument);
  EXPECT_EQ(card.ask(fw::kSetPtp, {fw::kPtpSlave | 1U << 24U, kIntervals, 0, 0}), fw::kBadArgument);
  for (const std::uint32_t wrong : {intervals(-8, 0, 0), intervals(5, 0, 0), intervals(0, -8, 0),
                                    intervals(0, 5, 0), intervals(0, 0, -4), intervals(0, 0, 5)}) {
    EXPECT_EQ(card.ask(fw::kSetPtp, {fw::kPtpSlave, wrong, 0, 0}), fw::kBadArgument);
  }
  EXPECT_EQ(card.shared.ptp.role, fw::kPtpOff);
}

// Frames of random bytes, and those of a master with bytes changed, between those of the master:
// the slave stays locked, and what is none of the messages is counted.
TEST(PtpServo, RandomFramesDoNoHarm) {
  TwoCards cards(7, quietCourse());
  std::mt19937_64 random(99);
  std::uint32_t put = 0;
  ClockCard::Frame last;
  cards.begin();
  const auto pass = cards.master.on_sent;
  cards.master.on_sent = [&](std::int64_t time, const ClockCard::Frame& frame) {
    pass(time, frame);
    ClockCard::Frame wrong(14 + random() % 100);
    for (std::uint8_t& byte : wrong) byte = static_cast<std::uint8_t>(random());
    if (random() % 4 != 0 && !last.empty()) {
      wrong = last;
      // Header of Ethernet and version; a correction out of range; a length beyond the frame.
      constexpr std::uint8_t kPlaces[] = {12, 13, 15, 22, 16};
      wrong[kPlaces[random() % 5]] ^= 0x44;
    }
    last = frame;
    cards.slave.arrivals.push_back({cards.slave.arrivals.back().time + 100'000, wrong});
    ++put;
  };
  cards.run(4 * kSecond);
  EXPECT_EQ(cards.status().state, fw::kPtpLocked);
  EXPECT_LT(std::abs(cards.offset()), 30'000);
  EXPECT_EQ(cards.status().bad_frames + cards.slave.lost_frames, put);
}

}  // namespace
}  // namespace plumbline::firmware_test
