#include "serving/kv_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::serving {
namespace {

using Hashes = std::vector<std::uint64_t>;

TEST(KvCache, CountsPages) {
  KvCache cache(10, 2);
  auto pages = cache.allocate(8, {});
  ASSERT_TRUE(pages);
  EXPECT_EQ(cache.used(), 8U);
  EXPECT_FALSE(cache.allocate(1, {}));        // the watermark
  EXPECT_TRUE(cache.append(*pages));          // does not hold growth back
  auto other = cache.allocate(1, {}, false);  // nor the page admitted before
  ASSERT_TRUE(other);
  EXPECT_FALSE(cache.append(*pages));
  EXPECT_EQ(cache.free(), 0U);
  cache.checkInvariants();
  cache.release(*pages);
  cache.release(*other);
  EXPECT_EQ(cache.used(), 0U);
  EXPECT_TRUE(pages->empty());
  EXPECT_TRUE(cache.canEverFit(8));
  EXPECT_FALSE(cache.canEverFit(9));
  cache.checkInvariants();
}

TEST(KvCache, SharesPublishedPrefixes) {
  KvCache cache(10, 0);
  const Hashes hashes{11, 12, 13};
  auto first = cache.allocate(4, hashes);
  EXPECT_EQ(first->shared, 0U);
  EXPECT_EQ(cache.cached(hashes), 0U);  // not computed yet
  cache.publish(*first, hashes);
  EXPECT_EQ(cache.cached(hashes), 3U);
  EXPECT_EQ(cache.cached(Hashes{11, 99, 13}), 1U);
  auto second = cache.allocate(4, hashes);
  EXPECT_EQ(second->shared, 3U);
  EXPECT_EQ(cache.used(), 5U);
  EXPECT_TRUE(std::equal(second->pages.begin(), second->pages.begin() + 3, first->pages.begin()));
  cache.release(*first);
  EXPECT_EQ(cache.used(), 4U);  // the second still has the prefix
  cache.checkInvariants();
  cache.release(*second);
  EXPECT_EQ(cache.cached(hashes), 3U);  // free, but not forgotten
  auto third = cache.allocate(3, hashes);
  EXPECT_EQ(third->shared, 3U);
  EXPECT_EQ(cache.evictions(), 0U);
}

// Pages without content go first, then the least recently used, of a sequence its last page first.
TEST(KvCache, EvictsLeastRecentlyUsedFromTheEnd) {
  KvCache cache(4, 0);
  const Hashes old_ones{1, 2};
  const Hashes new_ones{3};
  auto a = cache.allocate(2, old_ones);
  auto b = cache.allocate(1, new_ones);
  cache.publish(*a, old_ones);
  cache.publish(*b, new_ones);
  cache.release(*a);
  cache.release(*b);
  auto c = cache.allocate(1, {});  // the page that had nothing
  EXPECT_EQ(cache.evictions(), 0U);
  auto d = cache.allocate(1, {});
  EXPECT_EQ(cache.evictions(), 1U);
  EXPECT_EQ(cache.cached(old_ones), 1U);
  EXPECT_EQ(cache.cached(new_ones), 1U);
  auto e = cache.allocate(1, {});
  EXPECT_EQ(cache.cached(old_ones), 0U);
  EXPECT_EQ(cache.cached(new_ones), 1U);
  cache.checkInvariants();
}

// Cached free pages that a request shares do not count as free for its other pages.
TEST(KvCache, SharedFreePagesAreNoRoom) {
  KvCache cache(4, 0);
  const Hashes hashes{1, 2, 3};
  auto a = cache.allocate(3, hashes);
  cache.publish(*a, hashes);
  cache.release(*a);
  EXPECT_FALSE(cache.allocate(5, hashes));
  cache.checkInvariants();
  EXPECT_TRUE(cache.allocate(4, hashes));
}

TEST(KvCache, RefusesImpossibleSizes) {
  EXPECT_THROW(KvCache(0, 0), Error);
  EXPECT_THROW(KvCache(5, 5), Error);
  EXPECT_THROW(KvCache(0xFFFF'FFFFULL, 0), Error);
}

// Random use against a plain count of references, with the invariants after every step.
TEST(KvCache, InvariantsHoldUnderRandomUse) {
  RandomStream random(5, "cache");
  KvCache cache(40, 3);
  struct Sequence {
    KvCache::Pages pages;
    Hashes hashes;
  };
  std::vector<Sequence> sequences;
  for (int step = 0; step < 3000; ++step) {
    switch (random.below(4)) {
      case 0: {
        Sequence sequence;
        const std::uint64_t group = 1 + random.below(4);
        for (std::uint64_t i = 0; i < random.below(6); ++i) {
          sequence.hashes.push_back(group * 100 + i);
        }
        auto pages = cache.allocate(sequence.hashes.size() + random.below(4), sequence.hashes);
        if (!pages) break;
        sequence.pages = std::move(*pages);
        sequences.push_back(std::move(sequence));
        break;
      }
      case 1:
        if (!sequences.empty()) {
          const Sequence& one = sequences[random.below(sequences.size())];
          cache.publish(one.pages, one.hashes);
        }
        break;
      case 2:
        if (!sequences.empty()) cache.append(sequences[random.below(sequences.size())].pages);
        break;
      default:
        if (!sequences.empty()) {
          const std::size_t index = random.below(sequences.size());
          cache.release(sequences[index].pages);
          sequences.erase(sequences.begin() + static_cast<std::ptrdiff_t>(index));
        }
    }
    cache.checkInvariants();
    std::map<KvCache::Page, int> users;
    for (const Sequence& sequence : sequences) {
      for (const KvCache::Page page : sequence.pages.pages) ++users[page];
    }
    ASSERT_EQ(cache.used(), users.size());
  }
  for (Sequence& sequence : sequences) cache.release(sequence.pages);
  EXPECT_EQ(cache.free(), 40U);
  cache.checkInvariants();
}

}  // namespace
}  // namespace plumbline::serving
