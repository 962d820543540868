// Card time against floor(n * period).
#include <Vplumb_card_time.h>
#include <Vplumb_card_time_sevenths.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "base/units.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

std::uint64_t edgeTime(std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<Int128>(n) * 102400 / 33);
}

TEST(CardTime, ExactOverAMillionClocks) {
  rtl::Clocked<Vplumb_card_time> time;
  for (std::uint64_t n = 0; n <= 1'000'000; ++n) {
    ASSERT_EQ(time->now_o, edgeTime(n)) << "clock " << n;
    time.tick();
  }
}

TEST(CardTime, ExactForAnyFraction) {
  rtl::Clocked<Vplumb_card_time_sevenths> time;
  for (std::uint64_t n = 0; n <= 10'000; ++n) {
    ASSERT_EQ(time->now_o, n * 10000 / 7) << "clock " << n;
    time.tick();
  }
}

TEST(CardTime, SetStartsExactlyThereWithoutOldFraction) {
  rtl::Clocked<Vplumb_card_time> time;
  for (int i = 0; i < 17; ++i) {
    time.tick();
  }
  const std::uint64_t base = 0x0123'4567'FFFF'FFF0ULL;  // carries into the high half soon
  time->set_i = 1;
  time->set_time_i = base;
  time.tick();
  time->set_i = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    ASSERT_EQ(time->now_o, base + edgeTime(n));
    time.tick();
  }
}

TEST(CardTime, LatchKeepsTheTimeOfItsClock) {
  rtl::Clocked<Vplumb_card_time> time;
  for (int i = 0; i < 5; ++i) {
    time.tick();
  }
  time->latch_i = 1;
  time.tick();
  time->latch_i = 0;
  EXPECT_EQ(time->latched_o, edgeTime(5));
  for (int i = 0; i < 5; ++i) {
    time.tick();
  }
  EXPECT_EQ(time->latched_o, edgeTime(5));
}

}  // namespace
}  // namespace plumbline
