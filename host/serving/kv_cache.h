// The KV cache of one attention group: pages of a fixed number of tokens, shared by the hash of the
// prefix that they hold, and the unused pages in the order of their eviction.
//
// A page is free (its content may still be cached) or used by one sequence or more. A free page
// with cached content is reused by the next sequence with that prefix, or evicted when a page is
// needed and no page without content is left: least recently used first, of one sequence its last
// page first, because a prefix is useless without its beginning.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/random.h"

namespace plumbline::serving {

class KvCache {
 public:
  using Page = std::uint32_t;
  static constexpr std::uint64_t kMaxPages = std::numeric_limits<Page>::max() - 1;
  static constexpr std::size_t kBytesOfPage = 24;  // in memory

  // The pages of one sequence, in its order. Moved, never copied: it counts as a reference.
  struct Pages {
    std::vector<Page> pages;
    std::uint32_t shared = 0;  // number of first pages that were found in the cache
    [[nodiscard]] std::size_t size() const { return pages.size(); }
    [[nodiscard]] bool empty() const { return pages.empty(); }
  };

  // `pages` in all; `watermark` of them stay free when a sequence is admitted. At most kMaxPages,
  // watermark < pages; else Error(kUsage).
  KvCache(std::uint64_t pages, std::uint64_t watermark);

  // How many of `hashes`, from the first on, are in the cache.
  [[nodiscard]] std::uint32_t cached(std::span<const std::uint64_t> hashes) const;

  // Allocates `count` pages for a new sequence. Pages whose hash is in the cache are shared, at
  // most `hashes.size()` of them from the first on. Returns nothing, without any change, if fewer
  // pages than `count` and the watermark are left. `admission`: keep the watermark free.
  std::optional<Pages> allocate(std::uint64_t count, std::span<const std::uint64_t> hashes,
                                bool admission = true);
  // Adds one page; false if none is left. Ignores the watermark.
  bool append(Pages& pages);
  // The first pages of `pages` have the content of `hashes`: they can be shared from now on. A hash
  // that is in the cache already keeps its page.
  void publish(const Pages& pages, std::span<const std::uint64_t> hashes);
  // Releases the pages; `pages` is empty afterwards.
  void release(Pages& pages);
  // From now on this share of released pages is lost: they stay in use for ever. `draws` selects
  // them. 0 < share <= 1.
  void leak(double share, RandomStream draws);

  [[nodiscard]] std::uint64_t total() const { return states_.size(); }
  [[nodiscard]] std::uint64_t used() const { return states_.size() - free_; }
  [[nodiscard]] std::uint64_t free() const { return free_; }
  [[nodiscard]] std::uint64_t cachedPages() const { return by_hash_.size(); }
  [[nodiscard]] std::uint64_t watermark() const { return watermark_; }
  // Whether a sequence of `count` pages can be admitted into an empty cache.
  [[nodiscard]] bool canEverFit(std::uint64_t count) const { return count + watermark_ <= total(); }
  // Cached pages evicted so far.
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }
  // Pages in use that were lost by leak().
  [[nodiscard]] std::uint64_t leaked() const { return leaked_; }

  // Checks that used + free = total, and that references, free list and hashes are consistent.
  // Throws Error(kTester) if not. Visits every page.
  void checkInvariants() const;

 private:
  static constexpr Page kNone = std::numeric_limits<Page>::max();
  static constexpr std::uint64_t kNoHash = 0;

  struct State {
    std::uint64_t hash = kNoHash;
    std::uint32_t references = 0;
    Page previous = kNone;  // in the list of free pages, if references is 0
    Page next = kNone;
  };

  static_assert(sizeof(State) == kBytesOfPage);

  void pushFront(Page page);
  void pushBack(Page page);
  void unlink(Page page);
  Page allocateFree();

  std::vector<State> states_;
  std::unordered_map<std::uint64_t, Page> by_hash_;
  Page first_ = kNone;  // to be given up next
  Page last_ = kNone;
  std::uint64_t free_ = 0;
  std::uint64_t watermark_ = 0;
  std::uint64_t evictions_ = 0;
  std::uint64_t leaked_ = 0;
  std::optional<RandomStream> leak_draws_;
  double leak_share_ = 0;
};

// Sums over the caches of a worker.
std::uint64_t usedPages(std::span<const KvCache> caches);
std::uint64_t evictions(std::span<const KvCache> caches);
std::uint64_t leakedPages(std::span<const KvCache> caches);

}  // namespace plumbline::serving
