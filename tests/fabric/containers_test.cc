// The window's order, the rings, the queues and the wire clock against the plain thing they
// replace.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/class_queue.h"
#include "fabric/ring.h"
#include "fabric/spsc_ring.h"
#include "fabric/window_order.h"
#include "fabric/wire_clock.h"

namespace plumbline::fabric::testing {
namespace {

TEST(WindowOrder, SortsByTimeAndKeepsTheOrderOfEqualTimes) {
  RandomStream random(1, "window");
  for (const std::uint32_t items : {0U, 1U, 2U, 95U, 96U, 500U, 5000U}) {
    for (const unsigned bits : {1U, 10U, 20U, 21U, 40U}) {
      const Picoseconds begin(static_cast<std::int64_t>(random.below(1ULL << 50)));
      std::vector<std::pair<Picoseconds, std::uint32_t>> plain;
      WindowOrder order;
      order.start(begin);
      for (std::uint32_t i = 0; i < items; ++i) {
        const Picoseconds time =
            begin + Picoseconds(static_cast<std::int64_t>(random.below(1ULL << bits)));
        plain.emplace_back(time, i);
        order.add(time);
      }
      std::stable_sort(plain.begin(), plain.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      order.sort();
      ASSERT_EQ(order.size(), items);
      for (std::uint32_t i = 0; i < items; ++i) {
        ASSERT_EQ(order.at(i).time, plain[i].first);
        ASSERT_EQ(order.at(i).index, plain[i].second);
      }
    }
  }
}

TEST(SpscRing, BehavesAsADeque) {
  SpscRing<int> ring;
  std::deque<int> plain;
  RandomStream random(3, "spsc");
  for (int i = 0; i < 50'000; ++i) {
    const bool grow = (i / 1000) % 2 == 0;
    if (random.below(10) < (grow ? 8U : 3U)) {
      ring.push(i);
      plain.push_back(i);
    } else {
      ring.refresh();
      ASSERT_EQ(ring.empty(), plain.empty());
      if (plain.empty()) continue;
      ASSERT_EQ(ring.front(), plain.front());
      ring.pop();
      plain.pop_front();
    }
    ASSERT_EQ(ring.size(), plain.size());
  }
}

// A consumer that looks only at what it knew of misses nothing while the producer makes it grow.
TEST(SpscRing, TwoThreadsLoseNothing) {
  SpscRing<std::uint64_t> ring;
  constexpr std::uint64_t kItems = 2'000'000;
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < kItems; ++i) ring.push(i);
  });
  std::uint64_t expected = 0;
  while (expected < kItems) {
    ring.refresh();
    while (!ring.empty()) {
      ASSERT_EQ(ring.front(), expected);
      ring.pop();
      ++expected;
    }
  }
  producer.join();
}

TEST(ClassQueue, VirtualOutputQueuesTakeTurns) {
  ClassQueue queue(130);
  const auto push = [&](std::uint16_t input, std::uint32_t psn) {
    Queued& item = queue.append(input);
    item.packet.psn = psn;
    item.input = input;
  };
  for (std::uint32_t i = 0; i < 3; ++i) push(129, 300 + i);
  push(0, 1);
  push(0, 2);
  push(64, 100);
  std::vector<std::uint32_t> order;
  while (!queue.empty()) {
    order.push_back(queue.front().packet.psn);
    queue.pop();
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{300, 1, 100, 301, 2, 302}));
}

TEST(Ring, BehavesAsADeque) {
  Ring<int> ring;
  std::deque<int> plain;
  RandomStream random(2, "ring");
  for (int i = 0; i < 50'000; ++i) {
    // Long phases of growing and of draining.
    const bool grow = (i / 1000) % 2 == 0;
    if (plain.empty() || random.below(10) < (grow ? 8U : 3U)) {
      ring.push(i);
      plain.push_back(i);
    } else {
      ASSERT_EQ(ring.front(), plain.front());
      ring.pop();
      plain.pop_front();
    }
    ASSERT_EQ(ring.size(), plain.size());
    ASSERT_EQ(ring.empty(), plain.empty());
  }
}

TEST(Ring, AllocatesOnlyForANewMaximum) {
  Ring<int> ring;
  for (int i = 0; i < 100; ++i) ring.push(i);
  const std::size_t capacity = ring.capacity();
  for (int i = 0; i < 10'000; ++i) {
    ring.pop();
    ring.push(i);
  }
  while (!ring.empty()) ring.pop();
  ring.push(1);
  EXPECT_EQ(ring.capacity(), capacity);
  EXPECT_EQ(capacity, 128U);
}

TEST(WireClock, EqualsTheExactDefinition) {
  for (const std::int64_t bps :
       {1'000'000LL, 3'000'000'001LL, 10'000'000'000LL, 25'000'000'000LL, 40'000'000'000LL,
        50'000'000'000LL, 100'000'000'000LL, 200'000'000'000LL, 400'000'000'000LL,
        800'000'000'000LL, 1'600'000'000'000LL, 1'666'666'666'667LL, 8'000'000'000'000LL}) {
    const WireClock clock{BitRate(bps)};
    for (const std::int64_t bytes : {1LL, 64LL, 65LL, 1518LL, 9216LL, 65'535LL}) {
      EXPECT_EQ(clock.serialization(bytes), serializationTime(Bytes(bytes), BitRate(bps)));
      EXPECT_EQ(clock.slot(bytes), frameSlot(Bytes(bytes), BitRate(bps)));
      EXPECT_EQ(clock.frameAndPreamble(bytes), serializationTime(Bytes(bytes + 8), BitRate(bps)));
    }
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
