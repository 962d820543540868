// The window's order, the rings, the queues and the wire clock against the plain thing they
// replace.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/paged_memory.h"
#include "base/random.h"
#include "fabric/engine/bits.h"
#include "fabric/engine/ring.h"
#include "fabric/engine/spsc_ring.h"
#include "fabric/link/wire_clock.h"
#include "fabric/switch/frame_queue.h"
#include "fabric/switch/window_order.h"

namespace plumbline::fabric::testing {
namespace {

// An item as a WindowOrder must sort it: by what comes first here.
struct Ordered {
  std::uint32_t group = 0;
  Picoseconds time;
  bool second = false;
  std::uint32_t number = 0;

  auto operator<=>(const Ordered&) const = default;
};

// `items` random ones of both kinds, in a window of 2^`bits` ps.
std::vector<Ordered> randomItems(RandomStream& random, std::uint32_t items, unsigned bits,
                                 std::uint32_t groups, Picoseconds begin) {
  std::vector<Ordered> list;
  std::array<std::uint32_t, 2> numbers{};
  for (std::uint32_t i = 0; i < items; ++i) {
    const bool second = random.below(4) != 0;
    list.push_back({static_cast<std::uint32_t>(random.below(groups)),
                    begin + Picoseconds(static_cast<std::int64_t>(random.below(1ULL << bits))),
                    second, numbers[second ? 1 : 0]++});
  }
  return list;
}

void addAll(WindowOrder& order, const std::vector<Ordered>& list) {
  WindowOrder::Adder adder(order);
  adder.expect(order, list.size());
  for (const Ordered& item : list) {
    if (item.second) {
      adder.addSecond(item.group, item.time, item.number);
    } else {
      adder.addFirst(item.group, item.time, item.number);
    }
  }
  adder.end(order);
}

void expectSorted(WindowOrder& order, std::vector<Ordered> list, bool by_group) {
  if (!by_group) {
    for (Ordered& item : list) item.group = 0;
  }
  std::sort(list.begin(), list.end());
  order.sort();
  const WindowOrder::View view(order);
  ASSERT_EQ(view.size(), list.size());
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    ASSERT_EQ(view.at(i).time, list[i].time);
    ASSERT_EQ(view.at(i).second, list[i].second);
    ASSERT_EQ(view.at(i).number, list[i].number);
  }
  if (!by_group) return;
  for (std::uint32_t i = 0; i < view.size(); i = view.groupEnd(i)) {
    const auto end = std::find_if(list.begin() + i, list.end(),
                                  [&](const Ordered& item) { return item.group != list[i].group; });
    ASSERT_EQ(view.groupEnd(i), static_cast<std::uint32_t>(end - list.begin()));
  }
}

TEST(WindowOrder, SortsByGroupTimeKindAndNumber) {
  RandomStream random(1, "window");
  WindowOrder order;  // of one window after the other, as in a switch
  for (const std::uint32_t items : {0U, 1U, 2U, 47U, 48U, 500U, 5000U}) {
    // Few bits are crowded: many items of one time.
    for (const unsigned bits : {0U, 1U, 10U, 20U, 21U, 40U}) {
      for (const std::uint32_t groups : {1U, 2U, 33U, 512U}) {
        const Picoseconds begin(static_cast<std::int64_t>(random.below(1ULL << 50)));
        const Picoseconds end = begin + Picoseconds(std::int64_t{1} << bits);
        const std::vector<Ordered> list = randomItems(random, items, bits, groups, begin);
        order.start(begin, end, groups);
        // Of 63 bits 24 are number and kind.
        EXPECT_EQ(order.grouped(), groups > 1 && bits < 39 && groups <= 1ULL << (39 - bits));
        addAll(order, list);
        expectSorted(order, list, order.grouped());
        order.start(begin, end, groups);
        addAll(order, list);
        order.ungroup();
        EXPECT_FALSE(order.grouped());
        expectSorted(order, list, false);
      }
    }
  }
}

TEST(WindowOrder, KnowsWhenTheNextOfTheGroupIsDue) {
  WindowOrder order;
  const Picoseconds end(1'000);
  order.start(Picoseconds(0), end, 4);
  addAll(order, {{3, Picoseconds(999), true, 0},
                 {2, Picoseconds(7), true, 1},
                 {3, Picoseconds(7), true, 2},
                 {2, Picoseconds(7), true, 3},
                 {3, Picoseconds(500), false, 0}});
  order.sort();
  const WindowOrder::View view(order);
  EXPECT_EQ(view.nextOfGroup(0, end), Picoseconds(7));
  EXPECT_EQ(view.nextOfGroup(1, end), end);
  EXPECT_EQ(view.nextOfGroup(2, end), Picoseconds(500));
  EXPECT_EQ(view.nextOfGroup(3, end), Picoseconds(999));
  EXPECT_EQ(view.nextOfGroup(4, end), end);
}

TEST(NumberSet, BehavesAsASetWhateverItsLimit) {
  for (const std::uint32_t limit : {1U, 63U, 64U, 65U, 128U, 1'000U}) {
    RandomStream random(limit, "numbers");
    NumberSet numbers(limit);
    std::set<std::uint32_t> plain;
    for (int step = 0; step < 2'000; ++step) {
      const auto number = static_cast<std::uint32_t>(random.below(limit));
      if (random.below(2) == 0) {
        numbers.insert(number);
        plain.insert(number);
      } else {
        numbers.erase(number);
        plain.erase(number);
      }
      ASSERT_EQ(numbers.contains(number), plain.contains(number));
    }
    std::vector<std::uint32_t> visited;
    numbers.forEach([&](std::uint32_t number) {
      visited.push_back(number);
      numbers.erase(number);
    });
    EXPECT_EQ(visited, std::vector<std::uint32_t>(plain.begin(), plain.end())) << limit;
    numbers.forEach([&](std::uint32_t number) { ADD_FAILURE() << number; });
  }
}

TEST(SpscRing, ShowsWhatItHoldsWithoutTakingItOut) {
  SpscRing<int> ring;
  const auto shown = [&](int limit) {
    std::vector<int> items;
    const std::size_t count = ring.visit([&](int item) {
      if (item >= limit) return false;
      items.push_back(item);
      return true;
    });
    EXPECT_EQ(count, items.size());
    return items;
  };
  for (int i = 0; i < 6; ++i) ring.push(i);
  ring.refresh();
  EXPECT_EQ(ring.visible(), 6U);
  for (int i = 6; i < 20; ++i) ring.push(i);  // it grows meanwhile
  EXPECT_EQ(shown(4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(shown(99), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  ring.pop(5);
  EXPECT_EQ(shown(99), (std::vector<int>{5}));
  ring.refresh();
  EXPECT_EQ(shown(8), (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(ring.visible(), 15U);
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

// Items of a batch are shown when it is published, or when there is no more room and the ring
// grows.
// Blocks that it has outgrown are gone when its consumer has looked again.
TEST(SpscRing, GivesBackWhatItHasOutgrown) {
  const std::size_t before = pagedUse().blocks;
  SpscRing<int> ring;
  ring.refresh();
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(pagedUse().blocks, before);  // nothing was in it yet
  for (int i = 0; i < 1'000; ++i) ring.push(i);
  EXPECT_EQ(pagedUse().blocks, before + 8);  // of 8, 16, … 1024
  ring.refresh();
  EXPECT_EQ(pagedUse().blocks, before + 1);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(ring.front(), i);
    ring.pop();
  }
}

TEST(SpscRing, BatchesAreShownTogether) {
  SpscRing<int> ring;
  SpscRing<int>::Batch few(ring);
  few.append(ring) = 7;
  few.append(ring) = 8;
  ring.refresh();
  EXPECT_TRUE(ring.empty());
  few.publish(ring);
  ring.refresh();
  EXPECT_EQ(ring.visible(), 2U);
  EXPECT_EQ(ring.front(), 7);
}

// An item that was filled in and not added is not there.
TEST(SpscRing, BatchesTakeWhatIsAdded) {
  SpscRing<int> ring;
  SpscRing<int>::Batch batch(ring);
  for (int i = 0; i < 20; ++i) {
    batch.slot(ring) = -1;
    batch.slot(ring) = i;
    EXPECT_EQ(batch.opened(), i);
    batch.add();
  }
  batch.slot(ring) = -1;
  batch.publish(ring);
  ring.refresh();
  ASSERT_EQ(ring.visible(), 20U);
  for (int i = 0; i < 20; ++i, ring.pop()) EXPECT_EQ(ring.front(), i);
}

TEST(SpscRing, BatchesBehaveAsADeque) {
  SpscRing<int> ring;
  std::deque<int> plain;
  RandomStream random(4, "spsc batch");
  for (int i = 0; i < 5'000;) {
    SpscRing<int>::Batch batch(ring);
    const auto pushed = static_cast<int>(random.below((i / 1000) % 2 == 0 ? 40 : 5));
    for (int k = 0; k < pushed; ++k, ++i) {
      batch.append(ring) = i;
      plain.push_back(i);
    }
    batch.publish(ring);
    ring.push(i);  // by itself
    plain.push_back(i++);
    ASSERT_EQ(ring.size(), plain.size());
    ring.refresh();
    ASSERT_EQ(ring.visible(), plain.size());
    for (std::uint64_t left = std::min<std::uint64_t>(random.below(30), plain.size()); left > 0;
         --left) {
      ASSERT_EQ(ring.front(), plain.front());
      ring.pop();
      plain.pop_front();
    }
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

TEST(FrameQueue, VirtualOutputQueuesTakeTurns) {
  FrameQueue queue(130);
  const auto push = [&](std::uint16_t input, std::uint32_t psn) {
    QueuedFrame& item = queue.append(input);
    item.packet.psn = psn;
    item.ingress = input;
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
    if (!plain.empty() && random.below(8) == 0) {
      ring.rotate();
      plain.push_back(plain.front());
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
