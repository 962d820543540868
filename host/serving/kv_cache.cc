#include "serving/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace plumbline::serving {

KvCache::KvCache(std::uint64_t pages, std::uint64_t watermark) : watermark_(watermark) {
  if (pages < 1 || pages > kMaxPages || watermark >= pages) {
    throw Error(ErrorKind::kUsage,
                fmt::format("a KV cache of {} pages with {} of them kept free", pages, watermark),
                "pages", "1 to 2^32 - 2 pages, fewer of them kept free");
  }
  states_.resize(pages);
  for (Page page = 0; page < pages; ++page) pushBack(page);
}

void KvCache::pushFront(Page page) {
  State& state = states_[page];
  state.previous = kNone;
  state.next = first_;
  (first_ == kNone ? last_ : states_[first_].previous) = page;
  first_ = page;
  ++free_;
}

void KvCache::pushBack(Page page) {
  State& state = states_[page];
  state.previous = last_;
  state.next = kNone;
  (last_ == kNone ? first_ : states_[last_].next) = page;
  last_ = page;
  ++free_;
}

void KvCache::unlink(Page page) {
  State& state = states_[page];
  (state.previous == kNone ? first_ : states_[state.previous].next) = state.next;
  (state.next == kNone ? last_ : states_[state.next].previous) = state.previous;
  state.previous = state.next = kNone;
  --free_;
}

KvCache::Page KvCache::allocateFree() {
  const Page page = first_;
  unlink(page);
  State& state = states_[page];
  if (state.hash != kNoHash) {
    by_hash_.erase(state.hash);
    state.hash = kNoHash;
    ++evictions_;
  }
  state.references = 1;
  return page;
}

std::uint32_t KvCache::cached(std::span<const std::uint64_t> hashes) const {
  std::uint32_t count = 0;
  while (count < hashes.size() && by_hash_.contains(hashes[count])) ++count;
  return count;
}

std::optional<KvCache::Pages> KvCache::allocate(std::uint64_t count,
                                                std::span<const std::uint64_t> hashes,
                                                bool admission) {
  Pages pages;
  std::uint64_t revived = 0;  // shared pages without users: they leave the free list too
  const std::uint64_t max = std::min<std::uint64_t>(count, hashes.size());
  pages.pages.reserve(count);
  for (std::uint64_t i = 0; i < max; ++i) {
    const auto found = by_hash_.find(hashes[i]);
    if (found == by_hash_.end()) break;
    pages.pages.push_back(found->second);
    if (states_[found->second].references == 0) ++revived;
  }
  pages.shared = static_cast<std::uint32_t>(pages.pages.size());
  const std::uint64_t fresh = count - pages.shared;
  if (fresh + revived + (admission ? watermark_ : 0) > free_) return std::nullopt;
  for (const Page page : pages.pages) {
    if (states_[page].references++ == 0) unlink(page);
  }
  for (std::uint64_t i = 0; i < fresh; ++i) pages.pages.push_back(allocateFree());
  return pages;
}

bool KvCache::append(Pages& pages) {
  if (free_ == 0) return false;
  pages.pages.push_back(allocateFree());
  return true;
}

void KvCache::publish(const Pages& pages, std::span<const std::uint64_t> hashes) {
  const std::size_t count = std::min(pages.size(), hashes.size());
  for (std::size_t i = 0; i < count; ++i) {
    State& state = states_[pages.pages[i]];
    if (hashes[i] == kNoHash || state.hash != kNoHash) continue;
    if (by_hash_.try_emplace(hashes[i], pages.pages[i]).second) state.hash = hashes[i];
  }
}

void KvCache::release(Pages& pages) {
  for (auto page = pages.pages.rbegin(); page != pages.pages.rend(); ++page) {
    State& state = states_[*page];
    if (--state.references != 0) continue;
    if (leak_draws_ && static_cast<double>(leak_draws_->next() >> 11) * 0x1p-53 < leak_share_) {
      state.references = 1;  // a reference without an owner, so that it is never released
      ++leaked_;
      continue;
    }
    if (state.hash == kNoHash) {
      pushFront(*page);
    } else {
      pushBack(*page);
    }
  }
  pages.pages.clear();
  pages.shared = 0;
}

void KvCache::leak(double share, RandomStream draws) {
  leak_share_ = share;
  leak_draws_ = draws;
}

void KvCache::checkInvariants() const {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::kTester, what, "KV cache", "this is a fault of the model");
  };
  std::uint64_t listed = 0;
  Page before = kNone;
  for (Page page = first_; page != kNone; page = states_[page].next) {
    require(++listed <= states_.size(), "the list of free pages has a cycle");
    require(states_[page].references == 0, "a free page is used");
    require(states_[page].previous == before, "the list of free pages has a broken link");
    before = page;
  }
  require(before == last_, "the list of free pages has another end");
  require(listed == free_, "the number of free pages is wrong");
  std::uint64_t in_use = 0;
  std::uint64_t hashed = 0;
  for (Page page = 0; page < states_.size(); ++page) {
    in_use += states_[page].references != 0 ? 1 : 0;
    if (states_[page].hash == kNoHash) continue;
    ++hashed;
    const auto found = by_hash_.find(states_[page].hash);
    require(found != by_hash_.end() && found->second == page, "a cached page cannot be found");
  }
  require(in_use + listed == states_.size(), "used and free pages are not all pages");
  require(hashed == by_hash_.size(), "the page that the index has for a hash has another hash");
}

std::uint64_t usedPages(std::span<const KvCache> caches) {
  std::uint64_t used = 0;
  for (const KvCache& cache : caches) used += cache.used();
  return used;
}

std::uint64_t leakedPages(std::span<const KvCache> caches) {
  std::uint64_t all = 0;
  for (const KvCache& cache : caches) all += cache.leaked();
  return all;
}

std::uint64_t evictions(std::span<const KvCache> caches) {
  std::uint64_t all = 0;
  for (const KvCache& cache : caches) all += cache.evictions();
  return all;
}

}  // namespace plumbline::serving
