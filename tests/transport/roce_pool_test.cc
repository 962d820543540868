#include "transport/roce/roce_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"

namespace plumbline::transport_test {
namespace {

using transport::kNone;
using transport::Pool;
using transport::QpTable;
using transport::TimerHeap;

TEST(Pool, PlacesStayAndAreUsedAgain) {
  Pool<std::uint64_t> pool;
  const std::uint32_t first = pool.take();
  const std::uint64_t* address = &pool[first];
  pool[first] = 42;
  std::set<std::uint32_t> taken = {first};
  for (int i = 0; i < 1000; ++i) taken.insert(pool.take());
  EXPECT_EQ(taken.size(), 1001U);
  EXPECT_EQ(pool.inUse(), 1001U);
  EXPECT_EQ(&pool[first], address);
  EXPECT_EQ(pool[first], 42U);
  pool.release(7);
  EXPECT_EQ(pool.inUse(), 1000U);
  EXPECT_EQ(pool.take(), 7U);
  EXPECT_EQ(pool.size(), 1001U);
}

TEST(QpTable, FindsWhatWasInserted) {
  QpTable table;
  std::map<std::uint32_t, std::uint32_t> expected;
  RandomStream random(1, "table");
  for (std::uint32_t i = 0; i < 5000; ++i) {
    // Half of them dense, as the flows of a few peers are, half anywhere in 24 bits.
    const auto number = static_cast<std::uint32_t>(random.below(i % 2 == 0 ? 3000 : 1U << 24));
    if (expected.count(number) != 0) continue;
    EXPECT_EQ(table.find(number), kNone);
    table.insert(number, i);
    expected[number] = i;
  }
  for (const auto& [number, index] : expected) EXPECT_EQ(table.find(number), index);
}

TEST(TimerHeap, EarliestFirstThenLeastNumber) {
  TimerHeap heap;
  std::vector<std::pair<std::int64_t, std::uint32_t>> expected;
  RandomStream random(1, "heap");
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const auto time = static_cast<std::int64_t>(random.below(300));
    const auto index = static_cast<std::uint32_t>(random.below(1000));
    heap.push(Picoseconds{time}, index);
    expected.emplace_back(time, index);
  }
  std::sort(expected.begin(), expected.end());
  for (const auto& [time, index] : expected) {
    ASSERT_FALSE(heap.empty());
    EXPECT_EQ(heap.top().time.count(), time);
    EXPECT_EQ(heap.top().index, index);
    heap.pop();
  }
  EXPECT_TRUE(heap.empty());
}

}  // namespace
}  // namespace plumbline::transport_test
