#include "transport/uet/uet_entropy.h"

#include <algorithm>

#include "base/random.h"

namespace plumbline::transport {

EntropySelector::EntropySelector(const UetEntropySpec& spec, UetEntropyPolicy policy,
                                 std::uint64_t seed)
    : policy_(policy),
      mask_(static_cast<std::uint16_t>(spec.set_size - 1)),
      spec_(&spec),
      seed_(seed) {
  switch (policy_) {
    case UetEntropyPolicy::kConstant:
      position_ = random();
      break;
    case UetEntropyPolicy::kOblivious:
      pass_xor_ = random();
      break;
    case UetEntropyPolicy::kRoundRobin:
      position_ = random();
      break;
    case UetEntropyPolicy::kBitmap:
      memory_ = std::make_unique<Memory>();
      memory_->penalties.assign(spec.set_size, 0);
      position_ = random();
      break;
    case UetEntropyPolicy::kReps:
      memory_ = std::make_unique<Memory>();
      memory_->cache.assign(spec.reps_buffer, Cached{});
      memory_->explore = spec.reps_explore;
      break;
    case UetEntropyPolicy::kRandom:
      break;
  }
}

std::uint16_t EntropySelector::nextOther(Picoseconds now) {
  switch (policy_) {
    case UetEntropyPolicy::kConstant:
      return position_;
    case UetEntropyPolicy::kRandom:
      return random();
    case UetEntropyPolicy::kBitmap:
      return nextBitmap();
    case UetEntropyPolicy::kReps:
      return nextReps(now);
    case UetEntropyPolicy::kOblivious:
    case UetEntropyPolicy::kRoundRobin:
      break;
  }
  const std::uint16_t value = position_;
  position_ = (position_ + 1) & mask_;
  return value;
}

void EntropySelector::learn(std::uint16_t value, bool marked) {
  if (policy_ == UetEntropyPolicy::kBitmap && marked) penalise(value, spec_->bitmap_ecn_penalty);
  if (policy_ != UetEntropyPolicy::kReps || marked) return;
  Memory& memory = *memory_;
  Cached& entry = memory.cache[memory.head];
  if (!entry.valid) ++memory.valid;
  entry = {value, true};
  memory.head =
      static_cast<std::uint8_t>(memory.head + 1 == spec_->reps_buffer ? 0 : memory.head + 1);
  memory.filled =
      static_cast<std::uint8_t>(std::min<unsigned>(memory.filled + 1U, spec_->reps_buffer));
}

void EntropySelector::onNack(std::uint16_t value) {
  if (policy_ == UetEntropyPolicy::kBitmap) penalise(value, spec_->bitmap_nack_penalty);
}

void EntropySelector::onTimeout(std::uint16_t value, Picoseconds now) {
  if (policy_ == UetEntropyPolicy::kBitmap) penalise(value, spec_->bitmap_max_penalty);
  // During exploration the cache holds nothing worth freezing.
  if (policy_ == UetEntropyPolicy::kReps && !memory_->freezing && memory_->explore == 0) {
    memory_->freezing = true;
    memory_->freezing_until = now + spec_->reps_freezing;
  }
}

std::uint16_t EntropySelector::random() {
  const std::uint64_t mixed = mix64(seed_ + draws_++);
  return static_cast<std::uint16_t>(mixed & mask_);
}

// Every value passed over serves one round of its penalty, so the walk ends after at most
// bitmap_max_penalty rounds.
std::uint16_t EntropySelector::nextBitmap() {
  std::vector<std::uint8_t>& penalties = memory_->penalties;
  while (penalties[position_] != 0) {
    --penalties[position_];
    position_ = (position_ + 1) & mask_;
  }
  const std::uint16_t value = position_;
  position_ = (position_ + 1) & mask_;
  return value;
}

std::uint16_t EntropySelector::nextReps(Picoseconds now) {
  Memory& memory = *memory_;
  if (memory.freezing && now >= memory.freezing_until) {
    memory.freezing = false;
    memory.explore = spec_->reps_explore;
    memory.valid = 0;
    for (Cached& entry : memory.cache) entry.valid = false;
  }
  if (memory.explore > 0) {
    --memory.explore;
    return random();
  }
  if (memory.valid > 0) {
    const unsigned size = spec_->reps_buffer;
    Cached& oldest = memory.cache[(memory.head + size - memory.valid) % size];
    oldest.valid = false;
    --memory.valid;
    return oldest.value;
  }
  if (memory.freezing && memory.filled > 0) {
    // Only values that are known to have worked: cycles through the buffer again, used or not.
    memory.head =
        static_cast<std::uint8_t>(memory.head + 1U >= memory.filled ? 0 : memory.head + 1);
    return memory.cache[memory.head].value;
  }
  return random();
}

void EntropySelector::penalise(std::uint16_t value, std::uint8_t penalty) {
  std::uint8_t& now = memory_->penalties[value];
  const unsigned sum = now + unsigned{penalty};
  now = static_cast<std::uint8_t>(std::min<unsigned>(sum, spec_->bitmap_max_penalty));
}

}  // namespace plumbline::transport
