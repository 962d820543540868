// Pulse per second: the time of each edge of the input, and of each pulse of the output.
#include <Vplumb_pps_in.h>
#include <Vplumb_pps_out.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/units.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

constexpr std::uint64_t kSecondPs = 1'000'000'000'000;

// Local time of edge n.
std::uint64_t edgeAt(std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<Int128>(n) * 102400 / 33);
}

class PpsOutTest : public testing::Test {
 protected:
  PpsOutTest() {
    pps_->enable_i = 1;
    pps_->width_i = 20;
  }

  [[nodiscard]] std::uint64_t cardTime() { return pps_->now_i + pps_->offset_i; }
  // Runs `clocks` from card time `from` on, the offset growing by `drift` ps every clock; keeps the
  // card times at which the pulse rises, and its widths.
  void runFrom(std::uint64_t from, int clocks, std::int64_t drift = 0) {
    const std::uint64_t base = from - pps_->offset_i;
    for (int i = 0; i < clocks; ++i) {
      pps_->now_i = base + edgeAt(static_cast<std::uint64_t>(i));
      pps_->offset_i += static_cast<std::uint64_t>(drift);
      pps_.settle();
      if (pps_->pps_o != 0 && !high_) rises_.push_back(cardTime());
      if (pps_->pps_o != 0) ++width_;
      if (pps_->pps_o == 0 && high_) {
        widths_.push_back(width_);
        width_ = 0;
      }
      high_ = pps_->pps_o != 0;
      pps_.tick();
    }
  }
  void expectRiseAt(std::uint64_t second) {
    ASSERT_EQ(rises_.size(), 1u) << second;
    EXPECT_GE(rises_[0] + 2, second * kSecondPs);
    EXPECT_LE(rises_[0], second * kSecondPs + 3106);
    rises_.clear();
  }

  rtl::Clocked<Vplumb_pps_out> pps_;
  std::vector<std::uint64_t> rises_;
  std::vector<int> widths_;
  int width_ = 0;
  bool high_ = false;
};

TEST_F(PpsOutTest, RisesAtTheFirstEdgeOfEachSecond) {
  RandomStream random(1, "seconds");
  for (std::uint64_t second = 1; second < 300; ++second) {
    // Local times of any phase, offsets of either sign.
    pps_->offset_i += random.below(2'000'000) - 1'000'000;
    const auto drift = static_cast<std::int64_t>(random.below(3)) - 1;
    runFrom(second * kSecondPs - 300'000 + random.below(3200), 200, drift);
    expectRiseAt(second);
  }
  for (const int width : widths_) EXPECT_EQ(width, 20);
  EXPECT_EQ(pps_->count_o, 299u);
}

TEST_F(PpsOutTest, FindsTheSecondAfterAJump) {
  runFrom(kSecondPs - 100'000, 100);
  expectRiseAt(1);
  for (const std::uint64_t second : {5000ULL, 4990ULL, 3ULL, 2'000'000ULL}) {
    // The search takes four clocks for each second; the clock in between goes on.
    const std::uint64_t from = second * kSecondPs + 1'000'000;
    const std::uint64_t distance = second > 100'000 ? 2'000'000 : 5000;
    runFrom(from, static_cast<int>(4 * distance + 100));
    EXPECT_TRUE(rises_.empty()) << second;
    runFrom((second + 1) * kSecondPs - 100'000, 100);
    expectRiseAt(second + 1);
  }
}

TEST_F(PpsOutTest, NoPulseWhileOffAndWidthOfOne) {
  pps_->enable_i = 0;
  runFrom(kSecondPs - 100'000, 100);
  EXPECT_TRUE(rises_.empty());
  pps_->enable_i = 1;
  pps_->width_i = 0;
  runFrom(2 * kSecondPs - 100'000, 100);
  expectRiseAt(2);
  ASSERT_EQ(widths_.size(), 1u);
  EXPECT_EQ(widths_[0], 1);
}

class PpsInTest : public testing::Test {
 protected:
  PpsInTest() {
    pps_->enable_i = 1;
    pps_->debounce_i = 5;
    pps_->offset_i = kOffset;
    run(20);
  }

  static constexpr std::uint64_t kOffset = 123'456'789;

  void run(int clocks) {
    for (int i = 0; i < clocks; ++i) {
      pps_->now_i = edgeAt(n_);
      pps_.tick();
      ++n_;
    }
  }
  // Changes the pin in the present clock: the edge that ends it is the first to sample it.
  std::uint64_t set(bool level) {
    pps_->pps_i = level ? 1 : 0;
    return edgeAt(n_ + 1);
  }

  rtl::Clocked<Vplumb_pps_in> pps_;
  std::uint64_t n_ = 0;
};

TEST_F(PpsInTest, EdgesHaveTheTimeOfTheirFirstSample) {
  RandomStream random(2, "edges");
  std::uint32_t count = 0;
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t rise = set(true);
    run(10 + static_cast<int>(random.below(40)));
    ++count;
    ASSERT_EQ(pps_->count_o, count);
    ASSERT_NEAR(static_cast<double>(pps_->local_o), static_cast<double>(rise), 1.0);
    ASSERT_EQ(pps_->time_o, pps_->local_o + kOffset);
    set(false);
    run(10 + static_cast<int>(random.below(40)));
    ASSERT_EQ(pps_->count_o, count);
  }
}

TEST_F(PpsInTest, FallingEdges) {
  pps_->falling_i = 1;
  set(true);
  run(20);
  EXPECT_EQ(pps_->count_o, 0u);
  const std::uint64_t fall = set(false);
  run(20);
  EXPECT_EQ(pps_->count_o, 1u);
  EXPECT_NEAR(static_cast<double>(pps_->local_o), static_cast<double>(fall), 1.0);
}

TEST_F(PpsInTest, WhatIsShorterThanTheDebounceDoesNotCount) {
  RandomStream random(3, "glitches");
  for (const int debounce : {1, 2, 5, 200}) {
    pps_->debounce_i = static_cast<std::uint8_t>(debounce);
    run(300);
    const std::uint32_t before = pps_->count_o;
    for (int i = 0; i < 200; ++i) {
      set(true);
      run(debounce == 1 ? 1 : 1 + static_cast<int>(random.below(debounce - 1)));
      set(false);
      run(debounce + 4);
    }
    // A clock is as long as a debounce of one asks for; all others were too short.
    const std::uint32_t after = pps_->count_o;
    EXPECT_EQ(after, before + (debounce == 1 ? 200 : 0));
    set(true);
    const std::uint64_t last = edgeAt(n_ + 1);
    run(debounce + 10);
    EXPECT_EQ(pps_->count_o, after + 1);
    EXPECT_NEAR(static_cast<double>(pps_->local_o), static_cast<double>(last), 1.0);
    set(false);
    run(debounce + 10);
  }
  // One that bounces: the edge is the last of them.
  pps_->debounce_i = 10;
  run(20);
  const std::uint32_t before = pps_->count_o;
  std::uint64_t rise = 0;
  for (int i = 0; i < 6; ++i) {
    rise = set(true);
    run(3);
    if (i < 5) set(false);
    if (i < 5) run(2);
  }
  run(20);
  EXPECT_EQ(pps_->count_o, before + 1);
  EXPECT_NEAR(static_cast<double>(pps_->local_o), static_cast<double>(rise), 1.0);
}

}  // namespace
}  // namespace plumbline
