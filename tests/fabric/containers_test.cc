// The event heap, the ring and the wire clock against the plain thing they replace.
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <tuple>

#include "base/random.h"
#include "fabric/event_heap.h"
#include "fabric/ring.h"
#include "fabric/wire_clock.h"

namespace plumbline::fabric::testing {
namespace {

TEST(EventHeap, BehavesAsASortedSet) {
  EventHeap heap;
  std::set<std::tuple<std::int64_t, SourceId>> sorted;
  RandomStream random(1, "heap");
  const auto fresh = [&] {
    for (;;) {
      // Few distinct times, so that sources often decide; some beyond 2^32.
      const auto time = static_cast<std::int64_t>(random.below(50) << random.below(50));
      const auto source = static_cast<SourceId>(random.next() >> 32);
      if (sorted.emplace(time, source).second) return Event{Picoseconds(time), source};
    }
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t what = random.below(3);
    if (what == 0 || sorted.empty()) {
      heap.push(fresh());
    } else {
      const Event top = heap.top();
      ASSERT_EQ(std::tuple(top.time.count(), top.source), *sorted.begin());
      sorted.erase(sorted.begin());
      if (what == 1) {
        heap.pop();
      } else {
        heap.replaceTop(fresh());
      }
    }
    ASSERT_EQ(heap.empty(), sorted.empty());
  }
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
