// Capture: whole frames, intact or marked, for any behaviour of the DMA.
#include <Vplumb_capture_tap.h>
#include <Vplumb_tx_descriptor.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

using rtl::bitsOf;

// A frame of the source: its beats carry its number, so that a mix-up shows.
struct SourceFrame {
  std::uint32_t number;
  std::uint32_t beats;
  bool enabled;
};

// Data at the DMA.
struct Captured {
  std::vector<std::uint64_t> beats;  // number << 32 | beat
  bool empty_end = false;
};

struct Descriptor {
  std::uint64_t timestamp;
  std::uint32_t length;
  std::uint32_t flags;  // from bit 80 on
};

class CaptureTapTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kDescriptorDelay = 23;

  // Sends random frames with bubbles; the DMA is ready in `ready_percent` of the clocks.
  void run(std::uint32_t frames, int ready_percent, int enable_percent, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
    std::deque<std::pair<std::uint64_t, SourceFrame>> described;  // clock, frame
    std::uint32_t beat = 0;
    SourceFrame frame{};
    for (std::uint64_t clock = 0; source_.size() < frames || !described.empty() || drain_ < 50;
         ++clock) {
      auto& t = *tap_.operator->();
      const bool more = source_.size() < frames;
      drain_ = more || !described.empty() ? 0 : drain_ + 1;
      // enable_i changes at random times; the frame keeps the value at its first beat.
      t.enable_i = chance(enable_percent);
      t.beat_i = more && chance(80);
      if (t.beat_i) {
        if (beat == 0) {
          frame = SourceFrame{static_cast<std::uint32_t>(source_.size()),
                              static_cast<std::uint32_t>(1 + random() % 5), t.enable_i != 0};
        }
        t.tdata_i[0] = frame.number;
        t.tdata_i[15] = beat;
        t.tlast_i = beat + 1 == frame.beats;
        t.tkeep_i = t.tlast_i ? 0xFFF : ~0ULL;
        if (t.tlast_i) {
          source_.push_back(frame);
          described.emplace_back(clock + 1 + random() % kDescriptorDelay, frame);
          beat = 0;
        } else {
          ++beat;
        }
      } else {
        t.tdata_i[0] = 0xFFFFFFFF;
        t.tlast_i = random() & 1;
      }
      // Descriptors in order, one in a clock at most, some time after the last beat.
      t.desc_valid_i = !described.empty() && clock >= described.front().first;
      if (t.desc_valid_i) {
        const SourceFrame& f = described.front().second;
        t.desc_timestamp_i = 0xF00000000000ULL + f.number;
        t.desc_length_i = f.beats * 64 - 52;
        t.desc_fcs_ok_i = f.number & 1;
        t.desc_icrc_checked_i = f.number >> 1 & 1;
        t.desc_icrc_ok_i = f.number >> 2 & 1;
        described.pop_front();
      }
      t.cap_ready_i = drain_ != 0 || chance(ready_percent);
      tap_.settle();
      if (t.cap_tvalid_o && t.cap_ready_i) {
        takeBeat();
      }
      tap_.tick();
      dropped_ += t.dropped_o;
      if (t.cap_desc_valid_o) {
        descriptors_.push_back({bitsOf(t.cap_desc_o, 0, 64),
                                static_cast<std::uint32_t>(bitsOf(t.cap_desc_o, 64, 16)),
                                static_cast<std::uint32_t>(bitsOf(t.cap_desc_o, 80, 16))});
      }
    }
    ASSERT_TRUE(open_.beats.empty()) << "an unfinished frame is left";
    ASSERT_EQ(captured_.size(), descriptors_.size());
  }

  void takeBeat() {
    auto& t = *tap_.operator->();
    if (t.cap_tkeep_o == 0) {
      EXPECT_TRUE(t.cap_tlast_o);
      EXPECT_FALSE(open_.beats.empty()) << "an empty beat closes something";
      open_.empty_end = true;
    } else {
      open_.beats.push_back(std::uint64_t{t.cap_tdata_o[0]} << 32 | t.cap_tdata_o[15]);
      EXPECT_EQ(t.cap_tkeep_o, t.cap_tlast_o ? 0xFFFULL : ~0ULL);
    }
    if (t.cap_tlast_o) {
      captured_.push_back(open_);
      open_ = {};
    }
  }

  // Checks each captured frame against source and descriptor; returns how many are complete.
  std::uint32_t checkFrames() {
    std::uint32_t complete = 0;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < captured_.size(); ++i) {
      const Captured& c = captured_[i];
      if (c.beats.empty()) {
        ADD_FAILURE() << "a frame without beats";
        continue;
      }
      const auto number = static_cast<std::uint32_t>(c.beats.front() >> 32);
      EXPECT_GE(number, next) << "order";
      next = number + 1;
      const SourceFrame& f = source_.at(number);
      EXPECT_TRUE(f.enabled);
      for (std::size_t b = 0; b < c.beats.size(); ++b) {
        EXPECT_EQ(c.beats[b], std::uint64_t{number} << 32 | b) << "a beat of the right frame";
      }
      EXPECT_EQ(c.empty_end, c.beats.size() != f.beats);
      const Descriptor& d = descriptors_[i];
      EXPECT_EQ(d.timestamp, 0xF00000000000ULL + number);
      EXPECT_EQ(d.length, f.beats * 64 - 52);
      EXPECT_EQ(d.flags, (number & 7U) | (c.empty_end ? 8U : 0U));
      complete += c.empty_end ? 0 : 1;
    }
    return complete;
  }

  std::uint32_t enabledFrames() const {
    std::uint32_t n = 0;
    for (const SourceFrame& f : source_) {
      n += f.enabled ? 1 : 0;
    }
    return n;
  }

  rtl::Clocked<Vplumb_capture_tap> tap_;
  std::vector<SourceFrame> source_;
  std::vector<Captured> captured_;
  std::vector<Descriptor> descriptors_;
  Captured open_;
  std::uint32_t dropped_ = 0;
  std::uint32_t drain_ = 0;
};

TEST_F(CaptureTapTest, TakesEveryEnabledFrameWholeWhenReady) {
  run(5'000, 100, 60, 1);
  EXPECT_EQ(checkFrames(), enabledFrames());
  EXPECT_EQ(captured_.size(), enabledFrames());
  EXPECT_EQ(dropped_, 0U);
  EXPECT_GT(enabledFrames(), 2'000U);
  EXPECT_LT(enabledFrames(), 4'000U);
}

TEST_F(CaptureTapTest, NothingWhenDisabled) {
  run(500, 100, 0, 2);
  EXPECT_TRUE(captured_.empty());
  EXPECT_EQ(dropped_, 0U);
}

TEST_F(CaptureTapTest, SlowDmaLosesFramesCountedAndMarked) {
  for (const int ready : {5, 40, 80, 95}) {
    source_.clear();
    captured_.clear();
    descriptors_.clear();
    dropped_ = 0;
    drain_ = 0;
    run(5'000, ready, 70, 100 + ready);
    const std::uint32_t complete = checkFrames();
    EXPECT_EQ(complete + dropped_, enabledFrames()) << "each frame is whole or counted";
    EXPECT_GT(complete, 0U);
    EXPECT_GT(dropped_, 0U);
    EXPECT_GT(captured_.size(), complete) << "some were cut";
  }
}

TEST(TxDescriptor, LengthAndDepartureOfEveryLength) {
  rtl::Clocked<Vplumb_tx_descriptor> tap;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> expected;
  std::uint32_t seen = 0;
  const auto tick = [&] {
    tap.tick();
    tap->beat_i = 0;
    tap->departure_i = ~0ULL;
    if (tap->desc_valid_o) {
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(tap->desc_timestamp_o, expected.front().first);
      EXPECT_EQ(tap->desc_length_o, expected.front().second);
      expected.pop_front();
      ++seen;
    }
  };
  std::uint32_t frames = 0;
  for (std::uint32_t length = 64; length <= 9216; length += length < 400 ? 1 : 97) {
    const std::uint64_t departure = std::uint64_t{length} * 1000;
    expected.emplace_back(departure, length);
    ++frames;
    for (std::uint32_t sent = 0; sent < length; sent += 64) {
      const std::uint32_t left = length - sent;
      tap->beat_i = 1;
      tap->sof_i = sent == 0;
      tap->tlast_i = left <= 64;
      tap->tkeep_i = left >= 64 ? ~0ULL : (1ULL << left) - 1;
      tap->departure_i = sent == 0 ? departure : ~0ULL;
      tick();
      if (length % 3 == 0) {
        tick();  // a bubble
      }
    }
  }
  for (int i = 0; i < 5; ++i) {
    tick();
  }
  EXPECT_EQ(seen, frames);
}

}  // namespace
}  // namespace plumbline
