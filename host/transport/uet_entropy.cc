#include "transport/uet_entropy.h"

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
      penalties_.assign(spec.set_size, 0);
      position_ = random();
      break;
    case UetEntropyPolicy::kReps:
      cache_.assign(spec.reps_buffer, Cached{});
      explore_ = spec.reps_explore;
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
  Cached& entry = cache_[head_];
  if (!entry.valid) ++valid_;
  entry = {value, true};
  head_ = static_cast<std::uint8_t>(head_ + 1 == spec_->reps_buffer ? 0 : head_ + 1);
  filled_ = static_cast<std::uint8_t>(std::min<unsigned>(filled_ + 1U, spec_->reps_buffer));
}

void EntropySelector::onNack(std::uint16_t value) {
  if (policy_ == UetEntropyPolicy::kBitmap) penalise(value, spec_->bitmap_nack_penalty);
}

void EntropySelector::onTimeout(std::uint16_t value, Picoseconds now) {
  if (policy_ == UetEntropyPolicy::kBitmap) penalise(value, spec_->bitmap_max_penalty);
  // While it still explores, nothing in the cache is worth freezing.
  if (policy_ == UetEntropyPolicy::kReps && !freezing_ && explore_ == 0) {
    freezing_ = true;
    freezing_until_ = now + spec_->reps_freezing;
  }
}

std::uint16_t EntropySelector::random() {
  const std::uint64_t mixed = mix64(seed_ + draws_++);
  return static_cast<std::uint16_t>(mixed & mask_);
}

// Every value passed over serves one round of its penalty, so the walk ends after at most
// bitmap_max_penalty rounds.
std::uint16_t EntropySelector::nextBitmap() {
  while (penalties_[position_] != 0) {
    --penalties_[position_];
    position_ = (position_ + 1) & mask_;
  }
  const std::uint16_t value = position_;
  position_ = (position_ + 1) & mask_;
  return value;
}

std::uint16_t EntropySelector::nextReps(Picoseconds now) {
  if (freezing_ && now >= freezing_until_) {
    freezing_ = false;
    explore_ = spec_->reps_explore;
    valid_ = 0;
    for (Cached& entry : cache_) entry.valid = false;
  }
  if (explore_ > 0) {
    --explore_;
    return random();
  }
  if (valid_ > 0) {
    const unsigned size = spec_->reps_buffer;
    Cached& oldest = cache_[(head_ + size - valid_) % size];
    oldest.valid = false;
    --valid_;
    return oldest.value;
  }
  if (freezing_ && filled_ > 0) {
    // Only what is known to have worked: round the buffer once more, used or not.
    head_ = static_cast<std::uint8_t>(head_ + 1U >= filled_ ? 0 : head_ + 1);
    return cache_[head_].value;
  }
  return random();
}

void EntropySelector::penalise(std::uint16_t value, std::uint8_t penalty) {
  const unsigned sum = penalties_[value] + unsigned{penalty};
  penalties_[value] = static_cast<std::uint8_t>(std::min<unsigned>(sum, spec_->bitmap_max_penalty));
}

}  // namespace plumbline::transport
