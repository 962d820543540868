// The scheduler of one decode worker: pages are reserved before KV cache is sent, sequences join at
// a step's boundary, and the latest arrival is preempted when pages run out.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "serving/kv_cache.h"
#include "serving/scheduler_spec.h"
#include "serving/sequence.h"
#include "serving/step_time.h"

namespace plumbline::serving {

class DecodeWorker {
 public:
  struct Step {
    std::vector<Sequence*> sequences;  // each gets a token, except finished ones of a static batch
    StepLoad decode;                   // one new token each
    StepLoad recompute;                // of preempted sequences: their tokens so far
    std::uint64_t swapped_tokens = 0;  // whose KV cache crosses PCIe before the step
    [[nodiscard]] bool empty() const { return sequences.empty(); }
  };
  // Sequences that a step preempted.
  struct Preempted {
    std::vector<Sequence*> all;       // lost their pages
    std::vector<Sequence*> returned;  // those of them that need the prefill pool again
    std::vector<Sequence*> failed;    // those of them that would not fit alone
  };

  // `groups` attention groups of `pages` pages each. A sequence with g generated tokens has prompt
  // + g - `ahead` tokens in its cache: ahead is 1 where the first token comes from prefill.
  DecodeWorker(const SchedulerSpec& spec, std::uint32_t groups, std::uint64_t pages,
               std::uint32_t ahead);

  // Requests pages for the KV cache of `sequence`. Requests are granted in order.
  void requestPages(Sequence& sequence) { page_requests_.push_back(&sequence); }
  // Sequences whose pages were granted since the last call.
  std::vector<Sequence*> grant();
  // The KV cache of `sequence` has arrived.
  void ready(Sequence& sequence);
  // Cancels the pages of `sequence`, which is not ready().
  void drop(Sequence& sequence) { cacheOf(sequence).release(sequence.decode_pages); }
  // Forms the next step; `preempted` gets the sequences that it preempts. Not during a step.
  const Step& form(Preempted& preempted);
  // The step that was formed last.
  [[nodiscard]] const Step& step() const { return step_; }
  // `sequence` of the last step has its last token.
  void finish(Sequence& sequence);
  // After the last finish() of a step.
  void endStep();

  [[nodiscard]] std::size_t running() const { return running_.size(); }
  // Sequences whose KV cache has arrived and that are in no step.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size() + resuming_.size(); }
  [[nodiscard]] std::size_t pageRequests() const { return page_requests_.size(); }
  // A step would have something to do.
  [[nodiscard]] bool hasWork() const { return !running_.empty() || waiting() > 0; }
  // Whether a prompt can ever be admitted.
  [[nodiscard]] bool canEverFit(std::uint32_t prompt) const;
  // By attention group.
  [[nodiscard]] std::span<const KvCache> caches() const { return caches_; }
  [[nodiscard]] std::span<KvCache> caches() { return caches_; }

 private:
  struct Padding {  // a finished sequence of a static batch
    KvCache::Pages pages;
    std::uint32_t group = 0;
    std::uint64_t context = 0;
  };

  [[nodiscard]] std::uint64_t roomFor(const Sequence& sequence) const;
  [[nodiscard]] std::uint64_t contextOf(const Sequence& sequence) const {
    return std::uint64_t{sequence.prompt} + sequence.generated - ahead_;
  }
  KvCache& cacheOf(const Sequence& sequence) { return caches_[sequence.decode_group]; }
  bool allocate(Sequence& sequence);
  // Returns how many preempted sequences continue; they come before the new ones.
  std::size_t admit();
  void grow(Preempted& preempted);
  Sequence* victim(std::uint32_t group);
  void preempt(Sequence& sequence, Preempted& preempted);

  SchedulerSpec spec_;
  std::uint32_t ahead_;
  std::vector<KvCache> caches_;  // by attention group
  std::deque<Sequence*> page_requests_;
  std::deque<Sequence*> waiting_;
  std::deque<Sequence*> resuming_;  // preempted, in the order of arrival
  std::vector<Sequence*> running_;
  std::vector<Padding> padding_;
  Step step_;
};

}  // namespace plumbline::serving
