#include "serving/prefill_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::serving {

void check(const SchedulerSpec& spec) {
  const auto refuse = [](const std::string& what, const char* where, const char* remedy) {
    throw Error(ErrorKind::kUsage, what, where, remedy);
  };
  if (spec.page < 1 || spec.page > 512) {
    refuse(fmt::format("pages of {} tokens", spec.page), "page", "1 to 512 tokens");
  }
  if (spec.max_tokens < 1 || spec.max_prefill_batch < 1 || spec.max_batch < 1) {
    refuse("a step of no token", "max_tokens", "1 or more tokens, 1 or more sequences");
  }
  if (!(spec.watermark >= 0 && spec.watermark < 1)) {
    refuse(fmt::format("a watermark of {}", spec.watermark), "watermark", "0 or more, less than 1");
  }
  if (spec.reserve == Reserve::kPromptMax && spec.max_output == 0) {
    refuse("room for an answer of unlimited length", "max_output", "the most tokens of an answer");
  }
  if (spec.batching == Batching::kStatic && spec.reserve != Reserve::kPromptMax) {
    refuse("a static batch that may run out of pages", "reserve", "prompt+max, with max_output");
  }
}

PrefillWorker::PrefillWorker(const SchedulerSpec& spec, std::uint32_t groups, std::uint64_t pages)
    : spec_(spec) {
  const auto watermark = static_cast<std::uint64_t>(spec.watermark * static_cast<double>(pages));
  caches_.reserve(groups);
  for (std::uint32_t i = 0; i < groups; ++i) caches_.emplace_back(pages, watermark);
}

// Takes the pages of a prompt in the attention group with the most free pages.
bool PrefillWorker::begin(Sequence& sequence) {
  const auto most_free =
      std::max_element(caches_.begin(), caches_.end(),
                       [](const KvCache& a, const KvCache& b) { return a.free() < b.free(); });
  auto pages = most_free->allocate(pagesFor(sequence.target, spec_.page), sequence.hashes);
  if (!pages) return false;
  sequence.prefill_group = static_cast<std::uint32_t>(most_free - caches_.begin());
  sequence.prefill_pages = std::move(*pages);
  sequence.computed = sequence.prefill_pages.shared * spec_.page;
  return true;
}

std::vector<PrefillWorker::Item> PrefillWorker::form() {
  std::vector<Item> items;
  std::uint32_t budget = spec_.max_tokens;
  blocked_ = false;
  const auto add = [&](Sequence& sequence, bool first) {
    const std::uint32_t left = sequence.target - sequence.computed;
    std::uint32_t tokens = left;
    if (spec_.chunk != 0) tokens = std::min({left, budget, spec_.chunk});
    items.push_back({&sequence, tokens, sequence.computed, first, tokens == left});
    sequence.computed += tokens;
    budget -= std::min(budget, tokens);
  };
  for (Sequence* sequence : partial_) {
    if (budget == 0) break;
    add(*sequence, false);
  }
  std::erase_if(partial_, [](const Sequence* s) { return s->computed == s->target; });
  while (!queue_.empty() && budget > 0 && items.size() < spec_.max_prefill_batch) {
    Sequence& sequence = *queue_.front();
    // Whole prompts: one that exceeds the budget gets a step of its own.
    if (spec_.chunk == 0 && !items.empty() && sequence.target > budget) break;
    if (!begin(sequence)) {
      blocked_ = true;
      break;
    }
    queue_.pop_front();
    add(sequence, true);
    if (sequence.computed != sequence.target) partial_.push_back(&sequence);
  }
  return items;
}

void PrefillWorker::finish(const std::vector<Item>& items) {
  for (const Item& item : items) {
    const Sequence& sequence = *item.sequence;
    if (item.last) caches_[sequence.prefill_group].publish(sequence.prefill_pages, sequence.hashes);
  }
}

void PrefillWorker::release(Sequence& sequence) {
  caches_[sequence.prefill_group].release(sequence.prefill_pages);
}

}  // namespace plumbline::serving
