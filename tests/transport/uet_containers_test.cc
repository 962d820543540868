// The containers of the UET endpoint against those of the standard library.
#include "transport/uet/uet_containers.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "base/random.h"
#include "stats/histogram.h"
#include "transport/latency_counts.h"

namespace plumbline::transport_test {
namespace {

using transport::BitWindow;
using transport::IdMap;
using transport::LatencyCounts;
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
    const std::uint64_t other = low + run + 1 + random.below(50);  // after the gap, to be kept
    bits.reserve(low, other - low + 64);
    for (std::uint64_t psn = low; psn < low + run; ++psn) bits.set(psn);
    bits.set(other);
    ASSERT_EQ(bits.clearRun(low), run);
    for (std::uint64_t psn = low; psn < other + 10; ++psn) ASSERT_EQ(bits.test(psn), psn == other);
  }
}

void expectEqual(const stats::Histogram& a, const stats::Histogram& b) {
  ASSERT_EQ(a.count(), b.count());
  ASSERT_EQ(a.minimum(), b.minimum());
  ASSERT_EQ(a.maximum(), b.maximum());
  ASSERT_EQ(a.sumLow(), b.sumLow());
  ASSERT_EQ(a.sumHigh(), b.sumHigh());
  for (int percent = 1; percent <= 100; ++percent) {
    ASSERT_EQ(a.quantile(percent / 100.0), b.quantile(percent / 100.0)) << percent;
  }
}

TEST(LatencyCounts, CountsEveryLatencyOnce) {
  RandomStream random(5, "latency");
  // Near the first one or anywhere; the first one at either end of all that there are.
  for (const std::uint64_t first : {0ULL, 1ULL << 22, (1ULL << 40) - 1, ~0ULL}) {
    LatencyCounts counts;
    stats::Histogram counted;
    stats::Histogram expected;
    const auto record = [&](std::uint64_t latency) {
      counts.record(latency, counted);
      expected.record(latency);
    };
    record(first);
    for (int i = 0; i < 2000; ++i) {
      record(random.below(4ULL << 22));
      record(random.next() >> random.below(64));
      if (i % 700 != 0) continue;  // queried in between
      counts.moveTo(counted);
      expectEqual(counted, expected);
    }
    counts.moveTo(counted);
    expectEqual(counted, expected);
  }
}

TEST(LatencyCounts, ManyOfOneKindAreCountedToo) {
  LatencyCounts counts;
  stats::Histogram counted;
  for (int i = 0; i < 200'000; ++i) counts.record(6'000'000, counted);
  EXPECT_GE(counted.count(), 100'000U);
  counts.moveTo(counted);
  EXPECT_EQ(counted.count(), 200'000U);
  EXPECT_EQ(counted.sumLow(), 200'000ULL * 6'000'000);
}

TEST(IdMap, AgreesWithAStandardMap) {
  RandomStream random(3, "map");
  IdMap map;
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
        ASSERT_EQ(map.find(id), expected.count(id) != 0 ? expected[id] : IdMap::kNone);
    }
    ASSERT_EQ(map.size(), expected.size());
  }
}

}  // namespace
}  // namespace plumbline::transport_test
