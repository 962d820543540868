// plumb_pfc_timers alone: when a pause ends, in advance, and the events of its beginning and end.
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <memory>
#include <vector>

#include "Vplumb_pfc_timers.h"
#include "base/random.h"

namespace plumbline::test {
namespace {

class PfcTimers : public testing::Test {
 protected:
  PfcTimers()
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Vplumb_pfc_timers>(context_.get())) {
    model_->byte_time_ps_i = 80;
    model_->rst_ni = 1;
    model_->eval();
    model_->rst_ni = 0;
    for (int i = 0; i < 4; ++i) clock();
    model_->rst_ni = 1;
    for (int i = 0; i < 4; ++i) clock();
  }
  ~PfcTimers() override { model_->final(); }

  // Card time of a clock: of the edge it begins with.
  static std::uint64_t timeOf(std::uint64_t clock) { return clock * 102400 / 33; }
  [[nodiscard]] std::uint64_t now() const { return timeOf(clock_); }

  void clock() {
    model_->clk_i = 0;
    model_->now_i = now();
    model_->eval();
    model_->clk_i = 1;
    model_->eval();
    ++clock_;
    model_->now_i = now();
    model_->eval();
  }

  void setBody(std::uint8_t mask, const std::array<std::uint16_t, 8>& quanta) {
    std::array<std::uint8_t, 20> body{};
    body[0] = mask;
    for (std::size_t p = 0; p < 8; ++p) {
      body[1 + 2 * p] = static_cast<std::uint8_t>(quanta[p] >> 8);
      body[2 + 2 * p] = static_cast<std::uint8_t>(quanta[p]);
    }
    for (std::size_t i = 0; i < 5; ++i) {
      model_->body_i[i] = static_cast<std::uint32_t>(body[4 * i]) |
                          static_cast<std::uint32_t>(body[4 * i + 1]) << 8 |
                          static_cast<std::uint32_t>(body[4 * i + 2]) << 16 |
                          static_cast<std::uint32_t>(body[4 * i + 3]) << 24;
    }
    model_->body_i[4] &= 0xFF;
  }

  [[nodiscard]] std::uint64_t until(std::size_t p) const {
    return static_cast<std::uint64_t>(model_->pause_end_time_o[2 * p + 1]) << 32 |
           model_->pause_end_time_o[2 * p];
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_pfc_timers> model_;
  std::uint64_t clock_ = 0;
};

// Random frames, also one behind the other: what the outputs say against the intervals that the
// frames define.
TEST_F(PfcTimers, EndsAreKnownInAdvanceAndEveryChangeIsAnEvent) {
  RandomStream random(31, "timers");
  struct Frame {
    std::uint64_t clock = 0;
    std::uint8_t mask = 0;
    std::array<std::uint16_t, 8> quanta{};
  };
  std::vector<Frame> frames;
  std::size_t seen = 0;
  std::array<std::uint64_t, 8> end{};
  std::uint8_t previous = 0;
  std::uint64_t events = 0;
  std::uint64_t expired = 0;
  for (int i = 0; i < 40'000; ++i) {
    model_->frame_i = 0;
    if (random.below(40) == 0 || (i % 5000 < 20)) {
      Frame frame{.clock = clock_, .mask = static_cast<std::uint8_t>(random.below(256))};
      for (auto& quanta : frame.quanta) {
        quanta = static_cast<std::uint16_t>(random.below(3) == 0 ? 0 : random.below(80));
      }
      setBody(frame.mask, frame.quanta);
      model_->frame_i = 1;
      frames.push_back(frame);
    }
    clock();
    // The clock in hand shows frames of three clocks before.
    while (seen < frames.size() && frames[seen].clock + 3 <= clock_) {
      const Frame& frame = frames[seen++];
      for (std::size_t p = 0; p < 8; ++p) {
        if ((frame.mask >> p & 1U) == 0) continue;
        end[p] = timeOf(frame.clock + 1) + frame.quanta[p] * 5120ULL;
        ASSERT_EQ(until(p), end[p]) << "priority " << p << " clock " << clock_;
      }
    }
    // Paused until the first clock whose second-last time is at or after the end.
    std::uint8_t paused = 0;
    for (std::size_t p = 0; p < 8; ++p) {
      if (end[p] > timeOf(clock_ - 2)) paused |= static_cast<std::uint8_t>(1U << p);
    }
    ASSERT_EQ(model_->paused_o, paused) << clock_;
    // A change of the output in this clock is an event in the same.
    ASSERT_EQ(model_->start_o, paused & ~previous) << clock_;
    ASSERT_EQ(model_->end_o, previous & ~paused) << clock_;
    if (paused != previous) {
      ++events;
      ASSERT_EQ(model_->event_time_o, timeOf(clock_ - 2)) << clock_;
      for (std::size_t p = 0; p < 8; ++p) {
        if ((previous & ~paused & 1U << p) == 0) continue;
        ASSERT_GE(model_->event_time_o, end[p]);
        ASSERT_LT(model_->event_time_o, end[p] + 3104);
        ++expired;
      }
    }
    previous = paused;
  }
  EXPECT_GT(events, 1000U);
  EXPECT_GT(expired, 300U);
}

}  // namespace
}  // namespace plumbline::test
