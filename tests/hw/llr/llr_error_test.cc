// Under bit errors nothing may be lost, duplicated or reordered above LLR, and the throughput is
// that of go-back-N.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "tests/hw/llr/llr_link.h"
#include "tests/hw/long_run.h"

namespace plumbline::test {
namespace {

constexpr double kByteTime = 80;

// Errors of a line with the given bit error ratio. What is hit in the payload comes with a bad FCS;
// the line code marks a damaged preamble or ordered set, which are lost then.
class NoisyLine {
 public:
  NoisyLine(double ratio, const char* name) : ratio_(ratio), random_(7, name) { plan(); }

  LlrLink::Fate frame(LineFrame& frame) {
    if (hit(56)) return LlrLink::Fate::kLose;
    bool damaged = false;
    std::uint64_t bits = 8 * frame.bytes.size();
    std::uint64_t at = 0;
    while (until_ < bits) {
      at += until_;
      bits -= until_;
      frame.bytes[at / 8] ^= static_cast<std::uint8_t>(1U << (at % 8));
      damaged = true;
      ++at;
      --bits;
      plan();
    }
    until_ -= bits;
    damaged_frames += damaged ? 1 : 0;
    return LlrLink::Fate::kPass;
  }
  bool set() { return !hit(64); }

  std::uint64_t damaged_frames = 0;

 private:
  bool hit(std::uint64_t bits) {
    if (until_ >= bits) {
      until_ -= bits;
      return false;
    }
    plan();
    return true;
  }
  // Bits until the next error: geometric.
  void plan() {
    const double uniform = (static_cast<double>(random_.next() >> 11) + 0.5) * 0x1p-53;
    until_ = static_cast<std::uint64_t>(std::log(uniform) / std::log1p(-ratio_));
  }

  double ratio_;
  RandomStream random_;
  std::uint64_t until_ = 0;
};

class LlrErrors : public testing::TestWithParam<double> {};

TEST_P(LlrErrors, NothingIsLostDuplicatedOrReordered) {
  const double ratio = GetParam();
  // The more errors, the more frames of CI see one; the long run has the same for every ratio.
  const std::uint64_t frames = longRun() ? 1'000'000 : 20'000;
  const LlrSettings settings{.init_seq = 0xFF000};
  LlrLink link(settings, settings, kHundredMetres);
  RandomStream random(11, "llr errors");
  NoisyLine left(ratio, "left to right");
  NoisyLine right(ratio, "right to left");
  link.on_frame = [&](int side, LineFrame& frame) {
    return side == 0 ? left.frame(frame) : right.frame(frame);
  };
  link.on_set = [&](int side, std::uint64_t&) { return side == 0 ? left.set() : right.set(); };
  link.mac_ready = [&] { return random.below(16) != 0; };
  link.source_bubble = [&] { return random.below(8) == 0; };
  std::array<std::uint64_t, 2> received{};
  std::array<std::uint64_t, 2> sent{};
  std::uint64_t wrong = 0;
  link.on_received = [&](int side, const SinkFrame& frame) {
    std::uint64_t& next = received[static_cast<std::size_t>(side)];
    if (numberOf(frame.bytes) != next || frame.bytes != numberedFrame(next, frame.bytes.size())) {
      ++wrong;
    }
    ++next;
  };
  link.bringUp();
  const auto feed = [&](std::size_t side, std::uint64_t count) {
    while (sent[side] < count && link.source[side].size() < 64) {
      // Mostly short, so that the sequence wraps and every alignment occurs.
      const std::size_t length =
          64 + (random.below(8) == 0 ? random.below(1455) : random.below(80));
      link.source[side].push_back({numberedFrame(sent[side]++, length), false, false});
    }
  };
  // One direction is full, the other has some traffic in the way of ACK and NACK.
  const std::uint64_t back = frames / 4;
  link.runUntil(
      [&] {
        feed(0, frames);
        feed(1, back);
        return received[1] == frames && received[0] == back;
      },
      static_cast<std::int64_t>(frames) * 2000);
  EXPECT_EQ(wrong, 0U);
  link.runUntil([&] { return link.quiet(); }, 20'000);
  link.clocks(100);
  EXPECT_EQ(received[1], frames);
  EXPECT_EQ(received[0], back);
  const LlrCounters there = link.counters(0);
  const LlrCounters here = link.counters(1);
  EXPECT_EQ(there.tx_ok, frames);
  EXPECT_EQ(here.expected_good, frames);
  EXPECT_EQ(here.rx_bad, left.damaged_frames);
  EXPECT_EQ(there.flushed, 0U);
  EXPECT_EQ(there.seq_error + here.seq_error, 0U);
  const RetryGroup damaged = link.retries(1, 0);
  const RetryGroup missing = link.retries(1, 1);
  EXPECT_EQ(damaged.count + missing.count, here.rx_replay);
  if (ratio >= 1e-6) {
    EXPECT_GT(here.rx_bad, 0U);
    EXPECT_GT(there.tx_replay, 0U);
  }
  RecordProperty("damaged", static_cast<int>(here.rx_bad));
  RecordProperty("replays", static_cast<int>(there.tx_replay));
}

INSTANTIATE_TEST_SUITE_P(BitErrorRatios, LlrErrors, testing::Values(1e-7, 1e-6, 1e-5, 1e-4));

// Go-back-N with a receiver that keeps nothing behind a gap: a frame takes its slot S, and every
// failed attempt (probability p) costs the time W from its beginning to that of its repetition.
// Time per delivered frame: S + p/(1 - p)·W. W is the frame itself, the way there and back, the
// ordered set, what sender and receiver take (16 clocks, llr_retry_test.cc), and the rest of the
// frame that the sender has in hand: anything up to a slot, half of one on average.
TEST(LlrThroughput, IsThatOfGoBackN) {
  constexpr std::size_t kLength = 512;
  constexpr double kSlot = (kLength + 20) * kByteTime;
  constexpr std::int64_t kOneWay = 2'500'000;
  constexpr double kWasted =
      (kLength + 8) * kByteTime + 2.0 * kOneWay + 16 * 102400 / 33.0 + kSlot / 2;
  const std::uint64_t frames = longRun() ? 100'000 : 6'000;
  const LlrSettings settings{.replay_timer = 5000};

  for (const double p : {0.001, 0.01, 0.1}) {
    LlrLink link(settings, settings, kOneWay);
    link.bringUp();
    RandomStream random(3, "llr throughput");
    link.on_frame = [&](int, LineFrame& frame) {
      const bool damage =
          frame.eligible() && random.next() < static_cast<std::uint64_t>(p * 0x1p64);
      return damage ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
    };
    std::uint64_t received = 0;
    std::int64_t began = 0;
    std::int64_t ended = 0;
    link.on_received = [&](int, const SinkFrame& frame) {
      if (received == 0) began = frame.stamp;
      ended = frame.stamp;
      ++received;
    };
    std::uint64_t sent = 0;
    link.runUntil(
        [&] {
          while (sent < frames && link.source[0].size() < 64) {
            link.source[0].push_back({numberedFrame(sent++, kLength), false, false});
          }
          return received == frames;
        },
        static_cast<std::int64_t>(frames) * 2000);
    // The draw itself deviates from p: what was drawn counts.
    const LlrCounters counters = link.counters(1);
    const double attempts =
        static_cast<double>(counters.expected_bad) / static_cast<double>(counters.expected_good);
    EXPECT_NEAR(attempts, p / (1 - p), 5 * std::sqrt(p / static_cast<double>(frames)) / (1 - p));
    const double per_frame = static_cast<double>(ended - began) / static_cast<double>(frames - 1);
    const double closed_form = kSlot + attempts * kWasted;
    EXPECT_NEAR(per_frame / closed_form, 1, 0.01) << "p = " << p;
  }
}

}  // namespace
}  // namespace plumbline::test
