#include "serving/decode_worker.h"

#include <algorithm>
#include <utility>

namespace plumbline::serving {

DecodeWorker::DecodeWorker(const SchedulerSpec& spec, std::uint32_t groups, std::uint64_t pages,
                           std::uint32_t ahead)
    : spec_(spec), ahead_(ahead) {
  const auto watermark = static_cast<std::uint64_t>(spec.watermark * static_cast<double>(pages));
  caches_.reserve(groups);
  for (std::uint32_t i = 0; i < groups; ++i) caches_.emplace_back(pages, watermark);
}

std::uint64_t DecodeWorker::roomFor(const Sequence& sequence) const {
  const std::uint64_t answer = spec_.reserve == Reserve::kPromptMax
                                   ? std::uint64_t{spec_.max_output}
                                   : std::uint64_t{sequence.generated} + 1;
  return pagesFor(sequence.prompt + answer, spec_.page);
}

bool DecodeWorker::canEverFit(std::uint32_t prompt) const {
  Sequence sequence;
  sequence.prompt = prompt;
  return caches_.front().canEverFit(roomFor(sequence));
}

bool DecodeWorker::allocate(Sequence& sequence) {
  const auto most_free =
      std::max_element(caches_.begin(), caches_.end(),
                       [](const KvCache& a, const KvCache& b) { return a.free() < b.free(); });
  auto pages = most_free->allocate(roomFor(sequence), sequence.hashes);
  if (!pages) return false;
  sequence.decode_group = static_cast<std::uint32_t>(most_free - caches_.begin());
  sequence.decode_pages = std::move(*pages);
  return true;
}

std::vector<Sequence*> DecodeWorker::grant() {
  std::vector<Sequence*> granted;
  // Preempted sequences get the next pages first.
  while (resuming_.empty() && !page_requests_.empty() && allocate(*page_requests_.front())) {
    granted.push_back(page_requests_.front());
    page_requests_.pop_front();
  }
  return granted;
}

void DecodeWorker::ready(Sequence& sequence) {
  cacheOf(sequence).publish(sequence.decode_pages, sequence.hashes);
  waiting_.push_back(&sequence);
}

std::size_t DecodeWorker::admit() {
  if (spec_.batching == Batching::kStatic && !running_.empty()) return 0;
  std::size_t resumed = 0;
  while (!resuming_.empty() && running_.size() < spec_.max_batch) {
    Sequence& sequence = *resuming_.front();
    if (!allocate(sequence)) break;
    resuming_.pop_front();
    if (sequence.swapped) {
      step_.swapped_tokens += contextOf(sequence);
      sequence.swapped = false;
      step_.decode.add(1, contextOf(sequence));
    } else {
      const std::uint64_t cached =
          std::min(std::uint64_t{sequence.decode_pages.shared} * spec_.page, contextOf(sequence));
      step_.recompute.add(contextOf(sequence) - cached + 1, cached);
    }
    running_.push_back(&sequence);
    ++resumed;
  }
  while (!waiting_.empty() && running_.size() < spec_.max_batch) {
    running_.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return resumed;
}

const DecodeWorker::Step& DecodeWorker::form(Preempted& preempted) {
  step_.decode = step_.recompute = {};
  step_.swapped_tokens = 0;
  grow(preempted);
  const std::size_t before = running_.size();
  // Those that resume are next, and their load is counted already.
  const std::size_t resumed = admit();
  step_.sequences = running_;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (i < before || i >= before + resumed) step_.decode.add(1, contextOf(*running_[i]));
  }
  if (!running_.empty()) {
    for (const Padding& finished : padding_) step_.decode.add(1, finished.context);
  }
  return step_;
}

// A page for every running sequence that fills its last one in this step.
void DecodeWorker::grow(Preempted& preempted) {
  if (spec_.reserve == Reserve::kPromptMax) return;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = *running_[i];
    // A sequence without pages was preempted for an earlier one.
    if (sequence.decode_pages.empty()) continue;
    while (!sequence.decode_pages.empty() && sequence.decode_pages.size() < roomFor(sequence)) {
      if (cacheOf(sequence).append(sequence.decode_pages)) continue;
      preempt(*victim(sequence.decode_group), preempted);
    }
  }
  if (preempted.all.empty()) return;
  const auto gone = [](const Sequence* sequence) { return sequence->decode_pages.empty(); };
  std::erase_if(running_, gone);
  std::erase_if(waiting_, gone);
}

// The latest arrival of `group` that has pages here.
Sequence* DecodeWorker::victim(std::uint32_t group) {
  Sequence* latest = nullptr;
  const auto consider = [&](Sequence* sequence) {
    if (sequence->decode_group != group || sequence->decode_pages.empty()) return;
    if (latest == nullptr || sequence->laterThan(*latest)) latest = sequence;
  };
  for (Sequence* sequence : running_) consider(sequence);
  for (Sequence* sequence : waiting_) consider(sequence);
  return latest;
}

void DecodeWorker::preempt(Sequence& sequence, Preempted& preempted) {
  KvCache& cache = cacheOf(sequence);
  cache.release(sequence.decode_pages);
  preempted.all.push_back(&sequence);
  if (!cache.canEverFit(roomFor(sequence))) {
    preempted.failed.push_back(&sequence);
    return;
  }
  if (spec_.preemption == Preemption::kRecomputePrefill) {
    preempted.returned.push_back(&sequence);
    return;
  }
  if (spec_.preemption == Preemption::kSwap) {
    sequence.swapped = true;
    step_.swapped_tokens += contextOf(sequence);
  }
  const auto later = std::find_if(resuming_.begin(), resuming_.end(), [&](const Sequence* other) {
    return other->laterThan(sequence);
  });
  resuming_.insert(later, &sequence);
}

void DecodeWorker::finish(Sequence& sequence) {
  if (spec_.batching == Batching::kStatic) {
    padding_.push_back(
        {std::move(sequence.decode_pages), sequence.decode_group, contextOf(sequence)});
    sequence.decode_pages = {};
  } else {
    cacheOf(sequence).release(sequence.decode_pages);
  }
}

void DecodeWorker::endStep() {
  std::erase_if(running_, [](const Sequence* s) { return s->decode_pages.empty(); });
  if (!running_.empty()) return;
  for (Padding& finished : padding_) caches_[finished.group].release(finished.pages);
  padding_.clear();
}

}  // namespace plumbline::serving
