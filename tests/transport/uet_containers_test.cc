// The containers of the UET endpoint against those of the standard library.
#include "transport/uet_containers.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "base/random.h"
#include "stats/histogram.h"
#include "transport/latency_batch.h"

namespace plumbline::transport_test {
namespace {

using transport::BitWindow;
using transport::IdMap;
using transport::LatencyBatch;
using transport::RowMap;
using transport::Window;

TEST(Window, KeepsItsItemsWhileItGrowsAndSlides) {
  RandomStream random(1, "window");
  Window<std::uint64_t> window;
  window.restart(0xFFFFFFFD);
  std::deque<std::uint64_t> expected;
  std::uint64_t first = 0xFFFFFFFD;
  for (int i = 0; i < 20'000; ++i) {
    if (random.below(100) < 52) {
      const std::uint64_t value = random.next();
      window.push(value);
      expected.push_back(value);
    } else if (!expected.empty()) {
      window.pop();
      expected.pop_front();
      ++first;
    }
    ASSERT_EQ(window.first(), first);
    ASSERT_EQ(window.end(), first + expected.size());
    if (expected.empty()) continue;
    const std::uint64_t at = random.below(expected.size());
    ASSERT_EQ(window[first + at], expected[at]);
    ASSERT_EQ(window.back(), expected.back());
  }
}

TEST(BitWindow, HoldsASlidingSetAcrossGrowth) {
  RandomStream random(2, "bits");
  BitWindow bits;
  std::set<std::uint64_t> expected;
  std::uint64_t low = (std::uint64_t{1} << 32) - 1000;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t span = 1 + random.below(1 + static_cast<std::uint64_t>(i) / 8);
    const std::uint64_t psn = low + random.below(span);
    bits.reserve(low, (expected.empty() ? psn : std::max(psn, *expected.rbegin())) - low + 64);
    bits.set(psn);
    expected.insert(psn);
    while (!expected.empty() && (expected.size() > 300 || random.below(3) == 0)) {
      bits.reset(*expected.begin());
      low = *expected.begin() + 1;
      expected.erase(expected.begin());
    }
    if (expected.empty()) continue;
    const std::uint64_t from = low + random.below(*expected.rbegin() - low + 1);
    const std::uint64_t word = bits.from(from);
    for (unsigned b = 0; b < 64; ++b) {
      ASSERT_EQ(word >> b & 1, expected.count(from + b)) << i;
    }
  }
}

TEST(BitWindow, TakesRunsThatCrossWords) {
  RandomStream random(4, "runs");
  for (int i = 0; i < 2'000; ++i) {
    BitWindow bits;
    const std::uint64_t low = (std::uint64_t{1} << 32) + random.below(200);
    const std::uint64_t run = random.below(300);
    const std::uint64_t other = low + run + 1 + random.below(50);  // behind the gap, to be kept
    bits.reserve(low, other - low + 64);
    for (std::uint64_t psn = low; psn < low + run; ++psn) bits.set(psn);
    bits.set(other);
    ASSERT_EQ(bits.takeRun(low), run);
    for (std::uint64_t psn = low; psn < other + 10; ++psn) ASSERT_EQ(bits.test(psn), psn == other);
  }
}

TEST(LatencyBatch, CountsEveryLatencyOnce) {
  RandomStream random(5, "latency");
  LatencyBatch batch;
  stats::Histogram counted;
  stats::Histogram expected;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t latency = random.below(1ULL << 24);
    batch.record(latency, counted);
    expected.record(latency);
    if (i % 70 != 0) continue;  // asked for in between
    batch.moveTo(counted);
    ASSERT_EQ(counted.count(), expected.count());
    ASSERT_EQ(counted.quantile(0.5), expected.quantile(0.5));
    ASSERT_EQ(counted.maximum(), expected.maximum());
    ASSERT_EQ(counted.sumLow(), expected.sumLow());
  }
}

template <typename Map>
class IdMapTest : public testing::Test {};
using IdMaps = testing::Types<IdMap, RowMap>;
TYPED_TEST_SUITE(IdMapTest, IdMaps);

TYPED_TEST(IdMapTest, AgreesWithAStandardMap) {
  RandomStream random(3, "map");
  TypeParam map;
  std::map<std::uint32_t, std::uint32_t> expected;
  for (int i = 0; i < 200'000; ++i) {
    // Few ids, so that chains form and break.
    const auto id = static_cast<std::uint32_t>(random.below(300) << (random.below(2) * 16));
    switch (random.below(3)) {
      case 0:
        map.set(id, static_cast<std::uint32_t>(i));
        expected[id] = static_cast<std::uint32_t>(i);
        break;
      case 1:
        map.erase(id);
        expected.erase(id);
        break;
      default:
        ASSERT_EQ(map.find(id), expected.count(id) != 0 ? expected[id] : TypeParam::kNone);
    }
    ASSERT_EQ(map.size(), expected.size());
  }
}

}  // namespace
}  // namespace plumbline::transport_test
