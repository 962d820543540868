// The scheduler of one prefill worker: first come, first served, up to a budget of tokens per step.
// A prompt gets all of its pages before it begins, and keeps them until its KV cache is sent.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "serving/kv_cache.h"
#include "serving/scheduler_spec.h"
#include "serving/sequence.h"

namespace plumbline::serving {

class PrefillWorker {
 public:
  // Tokens of one prompt in a step.
  struct Item {
    Sequence* sequence = nullptr;
    std::uint32_t tokens = 0;  // new ones
    std::uint32_t cached = 0;  // earlier tokens, computed or found in the cache
    bool first = false;        // step of this prompt
    bool last = false;
  };

  // `groups` attention groups of `pages` pages each. `spec` has passed check().
  PrefillWorker(const SchedulerSpec& spec, std::uint32_t groups, std::uint64_t pages);

  void add(Sequence& sequence) { queue_.push_back(&sequence); }
  // Forms the next step; empty if nothing can begin. Pages are taken, and `computed` counts as
  // done.
  std::vector<Item> form();
  // The step is over: the shareable pages of finished prompts are in the cache.
  void finish(const std::vector<Item>& items);
  // The KV cache of `sequence` has been sent.
  void release(Sequence& sequence);

  // Prompts wait, and there are no pages for the first of them.
  [[nodiscard]] bool blocked() const { return blocked_; }
  [[nodiscard]] std::size_t waiting() const { return queue_.size() + partial_.size(); }
  [[nodiscard]] bool canEverFit(std::uint32_t tokens) const {
    return caches_.front().canEverFit(pagesFor(tokens, spec_.page));
  }
  // By attention group.
  [[nodiscard]] std::span<const KvCache> caches() const { return caches_; }
  [[nodiscard]] std::span<KvCache> caches() { return caches_; }

 private:
  bool begin(Sequence& sequence);

  SchedulerSpec spec_;
  std::vector<KvCache> caches_;  // by attention group
  std::deque<Sequence*> queue_;
  std::deque<Sequence*> partial_;  // begun, not finished
  bool blocked_ = false;
};

}  // namespace plumbline::serving
