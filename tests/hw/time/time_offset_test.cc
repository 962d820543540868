// The offset of the card's time against closed forms: n clocks at a rate, steps, slews, and that
// the card's time never goes back.
#include <Vplumb_time_offset.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.h"
#include "base/units.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

constexpr std::int64_t kMaxRate = (std::int64_t{1} << 39) - 1;
constexpr std::int64_t kMinRate = -(std::int64_t{1} << 39);
// From an input to the offset.
constexpr int kOffsetLatency = 3;
constexpr int kSlewLatency = 6;

std::int64_t localTime(std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<Int128>(n) * 102400 / 33);
}

class OffsetTest : public testing::Test {
 protected:
  OffsetTest() {
    offset_->limit_ps_i = 1;
    offset_->interval_i = 1;
  }

  void setRate(std::int64_t rate) {
    offset_->rate_i = static_cast<std::uint64_t>(rate) & ((std::uint64_t{1} << 40) - 1);
    rate_ = rate;
  }
  // One clock. What the rate adds shows kOffsetLatency clocks later.
  void tick() {
    offset_.tick();
    offset_->step_i = 0;
    offset_->slew_i = 0;
    offset_->clear_i = 0;
    rates_.push_back(rate_);
  }
  void run(int clocks) {
    for (int i = 0; i < clocks; ++i) tick();
  }
  // The offset in 2^-32 ps.
  [[nodiscard]] Int128 total() {
    return static_cast<Int128>(static_cast<std::int64_t>(offset_->offset_o)) * (Int128{1} << 32) +
           static_cast<Int128>(offset_->fraction_o);
  }
  // What all rates so far have to add up to.
  [[nodiscard]] Int128 rateTotal() const {
    Int128 sum = 0;
    for (std::size_t i = 0; i + kOffsetLatency - 1 < rates_.size(); ++i) sum += rates_[i];
    return sum;
  }

  rtl::Clocked<Vplumb_time_offset> offset_;
  std::int64_t rate_ = 0;
  std::vector<std::int64_t> rates_;
};

TEST_F(OffsetTest, ClocksAtARateAddExactly) {
  RandomStream random(1, "rates");
  std::vector<std::int64_t> rates{0, 1, -1, kMaxRate, kMinRate, 13'327};
  for (int i = 0; i < 20; ++i) {
    rates.push_back(static_cast<std::int64_t>(random.next()) >> (24 + random.below(39)));
  }
  Int128 expected = 0;
  for (const std::int64_t rate : rates) {
    setRate(rate);
    const Int128 before = expected;
    const int clocks = 1 + static_cast<int>(random.below(3000));
    run(clocks);
    expected = before + static_cast<Int128>(rate) * clocks;
    ASSERT_EQ(static_cast<double>(total() - rateTotal()), 0.0) << "rate " << rate;
  }
  setRate(0);
  run(kOffsetLatency);
  EXPECT_TRUE(total() == expected);
}

TEST_F(OffsetTest, EveryClockOfAChangingRate) {
  RandomStream random(2, "rates");
  Int128 sum = 0;
  std::vector<std::int64_t> waiting;
  for (int i = 0; i < 20'000; ++i) {
    if (random.below(7) == 0) setRate(static_cast<std::int64_t>(random.next()) >> 24);
    tick();
    waiting.push_back(rate_);
    if (waiting.size() >= kOffsetLatency) {
      sum += waiting[waiting.size() - kOffsetLatency];
    }
    ASSERT_TRUE(total() == sum) << "clock " << i;
  }
}

TEST_F(OffsetTest, StepsAddAtOnceWithoutLosingTheRate) {
  setRate(-123'456'789);
  Int128 steps = 0;
  for (const std::int64_t step :
       {std::int64_t{1}, std::int64_t{-1}, std::int64_t{0x7FFF'FFFF'FFFF}, std::int64_t{-40'000},
        std::numeric_limits<std::int64_t>::min() / 2, std::int64_t{1'000'000'000'000}}) {
    run(10);
    offset_->step_i = 1;
    offset_->step_ps_i = static_cast<std::uint64_t>(step);
    run(kOffsetLatency);
    steps += static_cast<Int128>(step) * (Int128{1} << 32);
    ASSERT_TRUE(total() == rateTotal() + steps) << step;
  }
}

TEST_F(OffsetTest, SlewAddsItsAmountInBoundedParts) {
  RandomStream random(3, "slews");
  Int128 slews = 0;
  std::vector<std::int64_t> amounts{
      1, -1, 1023, -1024, 2047, 2048, 5000, std::int64_t{1} << 20, -9999, -30'001};
  for (const std::int64_t amount : amounts) {
    const auto limit =
        static_cast<std::int64_t>(std::abs(amount) > 100'000 ? 1023 : 1 + random.below(1023));
    const auto interval = static_cast<std::int64_t>(random.below(6));  // 0 is 1
    offset_->limit_ps_i = static_cast<std::uint16_t>(limit);
    offset_->interval_i = static_cast<std::uint16_t>(interval);
    offset_->slew_i = 1;
    offset_->slew_ps_i = static_cast<std::uint32_t>(amount);
    const std::int64_t parts = (std::abs(amount) + limit - 1) / limit;
    // Two clocks to the first part, then an interval for each.
    const std::int64_t clocks = 2 + (parts - 1) * std::max<std::int64_t>(interval, 1) + 1;
    std::int64_t last = static_cast<std::int64_t>(offset_->offset_o);
    for (std::int64_t i = 0; i < clocks + kSlewLatency - 3; ++i) {
      ASSERT_FALSE(i >= clocks && offset_->left_o != 0) << amount;
      if (i == clocks - 1) {
        // The last part is still to come.
        ASSERT_NE(offset_->left_o, 0u) << amount << " limit " << limit;
      }
      tick();
      const auto now = static_cast<std::int64_t>(offset_->offset_o);
      ASSERT_LE(std::abs(now - last), limit);
      last = now;
    }
    slews += amount;
    ASSERT_EQ(last, static_cast<std::int64_t>(slews)) << amount;
  }
}

TEST_F(OffsetTest, SlewIsReplacedOrEnded) {
  offset_->slew_i = 1;
  offset_->slew_ps_i = 1000;
  run(102);
  EXPECT_EQ(offset_->left_o, 900u);
  offset_->slew_i = 1;
  offset_->slew_ps_i = static_cast<std::uint32_t>(-5);
  run(20);
  // A part was taken in the clock of the new request.
  EXPECT_EQ(static_cast<std::int64_t>(offset_->offset_o), 101 - 5);
  offset_->slew_i = 1;
  offset_->slew_ps_i = 1000;
  run(11);
  offset_->slew_i = 1;
  offset_->slew_ps_i = 0;
  run(20);
  EXPECT_EQ(offset_->left_o, 0u);
  EXPECT_EQ(static_cast<std::int64_t>(offset_->offset_o), 96 + 10);
}

TEST_F(OffsetTest, ClearStartsAtZeroAndKeepsTheRate) {
  setRate(387'654'321'012);
  offset_->slew_i = 1;
  offset_->slew_ps_i = 1'000'000;
  run(500);
  offset_->clear_i = 1;
  tick();
  EXPECT_EQ(offset_->offset_o, 0u);
  EXPECT_EQ(offset_->fraction_o, 0u);
  EXPECT_EQ(offset_->left_o, 0u);
  run(10);
  const Int128 before = total();
  run(1000);
  EXPECT_TRUE(total() - before == static_cast<Int128>(rate_) * 1000);
}

// Any rate and any slew, at their extremes too.
TEST_F(OffsetTest, CardTimeNeverGoesBack) {
  RandomStream random(4, "monotonic");
  std::int64_t last = 0;
  for (std::int64_t n = 1; n < 200'000; ++n) {
    if (random.below(50) == 0) {
      setRate(random.below(4) == 0 ? kMinRate : static_cast<std::int64_t>(random.next()) >> 24);
      if (random.below(8) == 0) setRate(kMaxRate);
    }
    if (random.below(100) == 0) {
      offset_->limit_ps_i =
          static_cast<std::uint16_t>(random.below(3) == 0 ? 1023 : random.below(1024));
      offset_->interval_i = static_cast<std::uint16_t>(random.below(4));
      offset_->slew_i = 1;
      offset_->slew_ps_i = static_cast<std::uint32_t>(random.next());
    }
    tick();
    const std::int64_t now = localTime(n) + static_cast<std::int64_t>(offset_->offset_o);
    // A clock less what rate (128 and a carry) and slew may take of it.
    ASSERT_GE(now - last, 3103 - 128 - 1 - 1023) << n;
    ASSERT_LE(now - last, 3104 + 128 + 1 + 1023) << n;
    last = now;
  }
}

TEST_F(OffsetTest, AheadIsWhatTheOffsetWillBe) {
  RandomStream random(5, "ahead");
  constexpr int kLeadClocks = 2578;  // 8 us
  for (int i = 0; i < 40; ++i) {
    setRate(i < 4
                ? std::vector<std::int64_t>{kMaxRate, kMinRate, 1, -1}[static_cast<std::size_t>(i)]
                : static_cast<std::int64_t>(random.next()) >> (24 + random.below(20)));
    run(30);
    const auto ahead = static_cast<std::int64_t>(offset_->ahead_o);
    run(kLeadClocks);
    // A clock of the largest rate is 128 ps; the claim is for rates within a thousandth of that.
    const std::int64_t tolerance = 2 + (std::abs(rate_) >> 32);
    ASSERT_NEAR(static_cast<double>(ahead - static_cast<std::int64_t>(offset_->offset_o)), 0.0,
                static_cast<double>(tolerance))
        << "rate " << rate_;
  }
}

}  // namespace
}  // namespace plumbline
