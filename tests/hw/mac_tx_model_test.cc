// The sending MAC model against the rules of the line, recomputed here from the frames it sends.
#include "sim/mac_tx_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "base/random.h"

namespace plumbline::sim {
namespace {

constexpr std::int64_t kFifoBytes = 8192;

struct SentAt {
  std::int64_t first_bit_ps;
  std::int64_t length;
};

// Feeds frames of the given lengths beat by beat, one beat per clock whenever the model is ready:
// the most a card can offer.
class Feeder {
 public:
  explicit Feeder(std::int64_t fifo_bytes = kFifoBytes) : mac_(fifo_bytes) {}

  void idle(std::int64_t clocks) { edge_ += clocks; }

  // Returns true time of the first bit; the bytes must come back unchanged.
  SentAt send(std::int64_t length) {
    std::vector<std::uint8_t> frame(static_cast<std::size_t>(length));
    std::iota(frame.begin(), frame.end(), static_cast<std::uint8_t>(length));
    for (std::int64_t offset = 0; offset < length; offset += kBeatBytes) {
      while (!mac_.ready(edgeTime(edge_))) {
        ++edge_;
        ++stalls_;
      }
      ++edge_;
      if (offset == 0) {
        crossing_ = edgeTime(edge_);
      }
      const std::int64_t bytes = std::min(kBeatBytes, length - offset);
      const bool last = offset + bytes == length;
      const auto sent =
          mac_.beat(edgeTime(edge_), frame.data() + offset, static_cast<std::size_t>(bytes), last);
      EXPECT_EQ(sent.has_value(), last);
      if (sent) {
        EXPECT_EQ(*sent->frame, frame);
        sent_.push_back({sent->first_bit.count(), length});
      }
    }
    return sent_.back();
  }

  // Bytes between the end of each frame and the preamble of the next.
  [[nodiscard]] std::vector<std::int64_t> gaps() const {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 1; i < sent_.size(); ++i) {
      const std::int64_t idle = sent_[i].first_bit_ps - sent_[i - 1].first_bit_ps;
      EXPECT_EQ(idle % 80, 0);
      gaps.push_back(idle / 80 - 8 - sent_[i - 1].length);
    }
    return gaps;
  }

  MacTxModel mac_;
  std::int64_t edge_ = 0;
  std::int64_t stalls_ = 0;
  Picoseconds crossing_;
  std::vector<SentAt> sent_;
};

TEST(MacTxModel, FirstBitIsTheFirstColumnAfterTheBeatAndTheLatency) {
  for (std::int64_t wait = 0; wait < 40; ++wait) {
    Feeder feeder;
    feeder.idle(wait);
    const SentAt sent = feeder.send(64);
    const std::int64_t earliest = feeder.crossing_.count() + 100'000;
    EXPECT_EQ(sent.first_bit_ps % 640, 0);
    EXPECT_GE(sent.first_bit_ps, earliest);
    EXPECT_LT(sent.first_bit_ps, earliest + 640);
  }
}

TEST(MacTxModel, SmallestFramesAtFullLoadAlternateBetweenEightAndSixteenBytes) {
  Feeder feeder;
  for (int i = 0; i < 20'001; ++i) {
    feeder.send(64);
  }
  const std::vector<std::int64_t> gaps = feeder.gaps();
  EXPECT_GT(feeder.stalls_, 0);  // the wire was never idle
  EXPECT_EQ(std::accumulate(gaps.begin(), gaps.end(), std::int64_t{0}), 12 * 20'000);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    ASSERT_EQ(gaps[i], i % 2 == 0 ? 8 : 16) << "gap " << i;
  }
  EXPECT_EQ(feeder.mac_.stats().min_gap_bytes, 8);
  EXPECT_EQ(feeder.mac_.stats().tx_frames, 20'001U);
}

// Any one length at full load: the average converges to 12 and no gap is below 5.
TEST(MacTxModel, GapsOfEveryAlignmentAverageTwelve) {
  for (std::int64_t length = 64; length < 64 + 16; ++length) {
    Feeder feeder;
    for (int i = 0; i < 1601; ++i) {
      feeder.send(length);
    }
    const std::vector<std::int64_t> gaps = feeder.gaps();
    EXPECT_EQ(std::accumulate(gaps.begin(), gaps.end(), std::int64_t{0}), 12 * 1600) << length;
    EXPECT_GE(*std::min_element(gaps.begin(), gaps.end()), 5) << length;
    EXPECT_LE(*std::max_element(gaps.begin(), gaps.end()), 19) << length;
  }
}

// Random lengths: the deficit never exceeds 7 bytes over any prefix, and every bound is reached.
TEST(MacTxModel, TheDeficitIsBoundedForMixedLengths) {
  RandomStream random(1, "mac_tx_model_test");
  Feeder feeder;
  for (int i = 0; i < 20'000; ++i) {
    feeder.send(64 + static_cast<std::int64_t>(random.below(200)));
  }
  std::int64_t balance = 0;
  std::int64_t lowest = 0;
  std::int64_t smallest = 99;
  for (const std::int64_t gap : feeder.gaps()) {
    balance += gap - 12;
    lowest = std::min(lowest, balance);
    smallest = std::min(smallest, gap);
    ASSERT_GE(balance, -7);
    ASSERT_LE(balance, 0);  // no idle byte is ever sent that the average does not ask for
  }
  EXPECT_EQ(lowest, -7);
  EXPECT_EQ(smallest, 5);
  EXPECT_EQ(feeder.mac_.stats().min_gap_bytes, 5);
}

TEST(MacTxModel, IdleLinesPayBackTheDeficit) {
  Feeder feeder;
  feeder.send(67);  // 67 + 20 = 87: the next gap is 12 - 7 = 5
  feeder.send(67);
  feeder.idle(1000);
  feeder.send(67);  // after a long pause the deficit is zero again
  feeder.send(67);
  const std::vector<std::int64_t> gaps = feeder.gaps();
  EXPECT_EQ(gaps[0], 5);
  EXPECT_GT(gaps[1], 1000);
  EXPECT_EQ(gaps[2], 5);
}

TEST(MacTxModel, StallsWhenTheFifoIsFullAndNeverLosesABeat) {
  Feeder feeder(2048);
  for (int i = 0; i < 51; ++i) {
    feeder.send(9216);
  }
  EXPECT_GT(feeder.stalls_, 0);
  EXPECT_EQ(feeder.mac_.stats().underruns, 0U);
  const std::vector<std::int64_t> gaps = feeder.gaps();
  EXPECT_EQ(std::accumulate(gaps.begin(), gaps.end(), std::int64_t{0}), 12 * 50);
}

// Clocks at which the beats of one frame cross, and the underruns that makes.
std::uint64_t underruns(const std::vector<std::int64_t>& clocks) {
  MacTxModel mac(kFifoBytes);
  const std::array<std::uint8_t, 64> data{};
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    mac.beat(edgeTime(clocks[i]), data.data(), data.size(), i + 1 == clocks.size());
  }
  return mac.stats().underruns;
}

// The line needs a beat every 5120 ps (1.65 clocks), counted from the frame's first bit, which lies
// 480 ps after its earliest time here.
TEST(MacTxModel, ABubbleCountsOnlyWhenTheWireRunsDry) {
  EXPECT_EQ(underruns({0, 1, 2, 3}), 0U);
  EXPECT_EQ(underruns({0, 1, 3, 4}), 0U);   // the third is due at 10,720 ps and comes at 9309
  EXPECT_EQ(underruns({0, 2, 3, 4}), 1U);   // the second is due at 5600 ps and comes at 6206
  EXPECT_EQ(underruns({0, 2, 9, 20}), 1U);  // one frame is damaged, however often
}

// Sends frames of `length` at full load, with an ordered set at hand all the time or none; returns
// the first bits [ps] and, in `columns`, where the sets began.
std::vector<std::int64_t> fullLine(std::int64_t length, bool with_sets,
                                   std::vector<std::int64_t>& columns) {
  MacTxModel mac(kFifoBytes);
  const std::vector<std::uint8_t> frame(static_cast<std::size_t>(length));
  std::vector<std::int64_t> first_bits;
  OrderedSet next = 1;
  OrderedSet placed = 1;
  std::int64_t offset = 0;
  for (std::int64_t edge = 0; first_bits.size() < 1000; ++edge) {
    const Picoseconds now = edgeTime(edge);
    if (mac.ready(now)) {
      const std::int64_t bytes = std::min(kBeatBytes, length - offset);
      const auto sent = mac.beat(now, frame.data() + offset, static_cast<std::size_t>(bytes),
                                 offset + bytes == length);
      offset = sent ? 0 : offset + bytes;
      if (sent) first_bits.push_back(sent->first_bit.count());
    }
    if (with_sets && mac.setReady()) mac.set(now, next++);
    if (const auto set = mac.placeSet(now)) {
      EXPECT_EQ(set->set, placed++);
      columns.push_back(set->begin.count());
    }
  }
  return first_bits;
}

TEST(MacTxModel, OrderedSetsTakeIdleColumnsAndNoTimeOfFrames) {
  for (const std::int64_t length : {64, 65, 67, 71, 100, 1518}) {
    std::vector<std::int64_t> columns;
    const std::vector<std::int64_t> without = fullLine(length, false, columns);
    EXPECT_TRUE(columns.empty());
    const std::vector<std::int64_t> with = fullLine(length, true, columns);
    EXPECT_EQ(with, without);
    // In every second gap at least, but for those that the MAC already knew of at the end.
    EXPECT_GE(columns.size(), with.size() / 2 - 60) << length;
    std::size_t frame = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::int64_t begin = columns[i];
      ASSERT_EQ(begin % 640, 0);
      ASSERT_TRUE(i == 0 || begin >= columns[i - 1] + 640);
      while (frame < with.size() && with[frame] - 640 < begin + 640) ++frame;
      // Behind the byte that ends the frame before, in front of the preamble of the next.
      ASSERT_TRUE(frame == 0 || begin >= with[frame - 1] + (length + 1) * 80) << length;
    }
  }
}

TEST(MacTxModel, OnAnIdleLineAnOrderedSetIsThereAtOnce) {
  for (std::int64_t edge = 1; edge < 40; ++edge) {
    MacTxModel mac(kFifoBytes);
    EXPECT_FALSE(mac.placeSet(edgeTime(edge)).has_value());
    mac.set(edgeTime(edge), 77);
    EXPECT_FALSE(mac.setReady());
    std::optional<MacTxModel::SentSet> sent;
    for (std::int64_t wait = 0; wait <= 2 && !sent; ++wait) {
      sent = mac.placeSet(edgeTime(edge + wait));
    }
    ASSERT_TRUE(sent.has_value());
    EXPECT_TRUE(mac.setReady());
    EXPECT_EQ(sent->set, 77U);
    // A frame handed over then would have its preamble in this column.
    const std::int64_t earliest = edgeTime(edge).count() + 100'000 - 640;
    EXPECT_GE(sent->begin.count(), earliest);
    EXPECT_LT(sent->begin.count(), earliest + 640 + 80);
    EXPECT_EQ(mac.stats().tx_sets, 1U);
  }
}

TEST(MacTxModel, ThePreambleGoesWithItsFrame) {
  MacTxModel mac(kFifoBytes);
  const std::array<std::uint8_t, 64> data{};
  EXPECT_FALSE(mac.beat(edgeTime(1), data.data(), 64, false, 0xD5555555341207));
  const auto first = mac.beat(edgeTime(2), data.data(), 64, true);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->preamble, 0xD5555555341207U);
  const auto second = mac.beat(edgeTime(10), data.data(), 64, true);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->preamble, kOrdinaryPreamble);
}

// The memory of frames is used again, but of none that anybody still holds: here up to 2,000 at a
// time, more than are kept, in no order.
TEST(MacTxModel, AFrameStaysAsItWasSentWhileItIsHeld) {
  MacTxModel mac(kFifoBytes);
  std::vector<FrameBytes> held(2000);
  std::vector<std::vector<std::uint8_t>> sent(held.size());
  RandomStream random(1, "held frames");
  for (std::int64_t n = 0; n < 20'000; ++n) {
    const std::vector<std::uint8_t> data(1 + random.below(64), static_cast<std::uint8_t>(n));
    const auto frame = mac.beat(edgeTime(3 * n), data.data(), data.size(), true);
    ASSERT_TRUE(frame.has_value());
    const std::size_t place = random.below(n < 10'000 ? held.size() : 100);
    ASSERT_TRUE(held[place] == nullptr || *held[place] == sent[place]) << "before frame " << n;
    held[place] = frame->frame;
    sent[place] = data;
  }
  for (std::size_t place = 0; place < held.size(); ++place) {
    EXPECT_TRUE(held[place] == nullptr || *held[place] == sent[place]) << place;
  }
}

}  // namespace
}  // namespace plumbline::sim
