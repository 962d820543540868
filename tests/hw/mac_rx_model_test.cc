// The receiving MAC model: every beat at the clock edge that its last byte's arrival demands.
#include "sim/mac_rx_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::sim {
namespace {

FrameBytes frameOf(std::size_t length) {
  std::vector<std::uint8_t> bytes(length);
  std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(length * 7));
  return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

struct SeenBeat {
  std::int64_t edge;
  std::size_t bytes;
  bool last;
};

// Runs the clock and notes every beat; checks the bytes against `frames` in order.
std::vector<SeenBeat> run(MacRxModel& mac, std::int64_t edges,
                          const std::vector<FrameBytes>& frames) {
  std::vector<SeenBeat> seen;
  std::vector<std::uint8_t> received;
  std::size_t index = 0;
  for (std::int64_t edge = 1; edge <= edges; ++edge) {
    const auto beat = mac.next(edgeTime(edge));
    if (!beat) {
      continue;
    }
    seen.push_back({edge, beat->bytes, beat->last});
    received.insert(received.end(), beat->data, beat->data + beat->bytes);
    if (beat->last) {
      EXPECT_LT(index, frames.size());
      EXPECT_EQ(received, *frames[index]);
      ++index;
      received.clear();
    }
  }
  EXPECT_EQ(index, frames.size());
  return seen;
}

// First edge at or after `time`, found by trying.
std::int64_t edgeAtOrAfter(std::int64_t time_ps) {
  std::int64_t edge = time_ps * 33 / 102400 - 2;
  while (edgeTime(edge).count() < time_ps) {
    ++edge;
  }
  return edge;
}

TEST(MacRxModel, BeatsComeAtTheEdgeAfterTheirLastByte) {
  for (const std::int64_t first_bit : {0, 1, 3102, 3103, 777'777}) {
    for (const std::size_t length : {64U, 65U, 127U, 128U, 129U, 1518U, 9216U}) {
      MacRxModel mac;
      const FrameBytes frame = frameOf(length);
      mac.deliver(frame, Picoseconds(first_bit));
      const std::vector<SeenBeat> seen = run(mac, 1000, {frame});
      ASSERT_EQ(seen.size(), (length + 63) / 64);
      std::int64_t previous = 0;
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto end = static_cast<std::int64_t>(std::min(length, 64 * (i + 1)));
        const std::int64_t edge =
            std::max(previous + 1, edgeAtOrAfter(first_bit + end * 80 + 100'000));
        EXPECT_EQ(seen[i].edge, edge) << "length " << length << " beat " << i;
        EXPECT_EQ(seen[i].bytes, static_cast<std::size_t>(end) - 64 * i);
        EXPECT_EQ(seen[i].last, i + 1 == seen.size());
        previous = edge;
      }
    }
  }
}

// 65-byte frames with the smallest gap the line allows: two beats per frame, and no frame's first
// beat is ever delayed by the one before.
TEST(MacRxModel, BackToBackFramesKeepTheirTimes) {
  MacRxModel mac;
  std::vector<FrameBytes> frames;
  std::vector<std::int64_t> starts;
  std::int64_t time = 5000;
  for (int i = 0; i < 500; ++i) {
    frames.push_back(frameOf(65));
    starts.push_back(time);
    mac.deliver(frames.back(), Picoseconds(time));
    time += kByteTime.count() * (65 + 8 + 5);
  }
  const std::vector<SeenBeat> seen = run(mac, 2000, frames);
  ASSERT_EQ(seen.size(), 1000U);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(seen[2 * i].edge, edgeAtOrAfter(starts[i] + kBeatBytes * 80 + 100'000));
  }
}

TEST(MacRxModel, AtMostOneBeatPerClock) {
  RandomStream random(1, "mac_rx_model_test");
  MacRxModel mac;
  std::vector<FrameBytes> frames;
  std::int64_t time = 0;
  for (int i = 0; i < 2000; ++i) {
    frames.push_back(frameOf(64 + random.below(140)));
    mac.deliver(frames.back(), Picoseconds(time));
    time += (static_cast<std::int64_t>(frames.back()->size()) + 8 + 5) * 80;
  }
  const std::vector<SeenBeat> seen = run(mac, time / 3103 + 100, frames);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    ASSERT_GT(seen[i].edge, seen[i - 1].edge);
  }
}

TEST(MacRxModel, RefusesWhatCannotBeOnAWire) {
  MacRxModel mac;
  EXPECT_THROW(mac.deliver(nullptr, Picoseconds(0)), Error);
  EXPECT_THROW(mac.deliver(frameOf(0), Picoseconds(0)), Error);
  mac.deliver(frameOf(100), Picoseconds(1000));
  const std::int64_t earliest = 1000 + 108 * 80;
  EXPECT_THROW(mac.deliver(frameOf(64), Picoseconds(earliest - 1)), Error);
  EXPECT_NO_THROW(mac.deliver(frameOf(64), Picoseconds(earliest)));
}

TEST(MacRxModel, OrderedSetsComeWhenTheirColumnHasArrived) {
  MacRxModel mac;
  std::vector<std::int64_t> due;
  for (std::int64_t i = 0; i < 50; ++i) {
    const std::int64_t begin = 10'000 + i * 1280 + i * i * 640;
    mac.deliverSet(static_cast<OrderedSet>(i), Picoseconds(begin));
    due.push_back(begin + 640 + 100'000);
  }
  EXPECT_THROW(mac.deliverSet(0, Picoseconds(0)), Error);
  std::size_t seen = 0;
  std::int64_t last_edge = -1;
  for (std::int64_t edge = 0; edge < 2000; ++edge) {
    const auto set = mac.nextSet(edgeTime(edge));
    if (!set) continue;
    ASSERT_LT(seen, due.size());
    EXPECT_EQ(*set, seen);
    EXPECT_GE(edgeTime(edge).count(), due[seen]);
    // At the first edge that is free.
    EXPECT_TRUE(edgeTime(edge - 1).count() < due[seen] || last_edge == edge - 1);
    last_edge = edge;
    ++seen;
  }
  EXPECT_EQ(seen, due.size());
}

TEST(MacRxModel, ThePreambleIsThereWithItsFrame) {
  MacRxModel mac;
  mac.deliver(frameOf(64), Picoseconds(1000), 0xD5555555341207);
  mac.deliver(frameOf(65), Picoseconds(20'000));
  std::vector<Preamble> seen;
  for (std::int64_t edge = 0; edge < 100; ++edge) {
    if (const auto beat = mac.next(edgeTime(edge))) seen.push_back(beat->preamble);
  }
  EXPECT_EQ(seen, (std::vector<Preamble>{0xD5555555341207, kOrdinaryPreamble, kOrdinaryPreamble}));
}

}  // namespace
}  // namespace plumbline::sim
