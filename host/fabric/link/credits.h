// Credit-based flow control: the running totals that the two ends of a link keep for one channel.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// Width of the totals that the two updates carry.
inline constexpr unsigned kConsumedBits = 20;  // CC_Update
inline constexpr unsigned kFreedBits = 15;     // CF_Update

// How far a counter of kBits bits went from `earlier` to `later`, either way: the nearer of the
// two.
template <unsigned kBits>
constexpr std::int32_t counterSteps(std::uint32_t later, std::uint32_t earlier) {
  constexpr unsigned kUnused = 32 - kBits;
  return static_cast<std::int32_t>((later - earlier) << kUnused) >> kUnused;
}

// Credits that a frame of `length` bytes, FCS included, needs.
inline std::int32_t creditsOf(const CbfcSpec& spec, std::int64_t length) {
  const std::int64_t size = spec.credit_size.count();
  return static_cast<std::int32_t>((length + spec.packet_overhead + size - 1) / size);
}

// The virtual channels of a link. A channel is called by the lowest of its priorities.
class VirtualChannels {
 public:
  // None: no priority has credits.
  VirtualChannels() = default;
  explicit VirtualChannels(const CbfcSpec& spec) {
    for (unsigned p = 0; p < 8; ++p) {
      of_[p] = static_cast<std::uint8_t>(p);
      limit_[p] = spec.credits;
    }
    for (const VirtualChannelSpec& channel : spec.virtual_channels) {
      const auto first = static_cast<unsigned>(std::countr_zero(channel.priorities));
      for (PriorityMask left = channel.priorities; left != 0; left &= left - 1) {
        of_[static_cast<unsigned>(std::countr_zero(left))] = static_cast<std::uint8_t>(first);
      }
      limit_[first] = channel.credits;
    }
    for (PriorityMask left = spec.channels; left != 0; left &= left - 1) {
      channels_ |=
          static_cast<PriorityMask>(1U << of(static_cast<unsigned>(std::countr_zero(left))));
    }
  }

  // Those that are in use, bit each.
  [[nodiscard]] PriorityMask channels() const { return channels_; }
  // The channel of a priority, and the credit limit of a channel.
  [[nodiscard]] unsigned of(unsigned priority) const { return of_[priority]; }
  [[nodiscard]] std::uint32_t limit(unsigned channel) const { return limit_[channel]; }

 private:
  PriorityMask channels_ = 0;
  std::array<std::uint8_t, 8> of_{};
  std::array<std::uint32_t, 8> limit_{};
};

// The sender's end. What a script copied is freed twice, so fewer than no credits may be in use
// until the receiver has been told what was consumed.
class SendingCredits {
 public:
  // Is there room for a frame of `credits`, of `limit` that there are?
  [[nodiscard]] bool cover(std::int32_t credits, std::uint32_t limit) const {
    return std::int64_t{in_use_} + credits <= std::int64_t{limit};
  }
  // A frame of `credits` leaves.
  void consume(std::int32_t credits) {
    in_use_ += credits;
    consumed_ = (consumed_ + static_cast<std::uint32_t>(credits)) & ((1U << kConsumedBits) - 1);
  }
  // A CF_Update says how many have been freed in all.
  void learnFreed(std::uint32_t total) {
    in_use_ -= counterSteps<kFreedBits>(total, freed_);
    freed_ = total;
  }
  [[nodiscard]] std::int32_t inUse() const { return in_use_; }
  // What a CC_Update says: all that were ever consumed, modulo 2^20.
  [[nodiscard]] std::uint32_t consumed() const { return consumed_; }

 private:
  std::int32_t in_use_ = 0;
  std::uint32_t consumed_ = 0;
  std::uint32_t freed_ = 0;  // last total heard of, modulo 2^15
};

// The receiver's end.
class ReceivingCredits {
 public:
  // A frame of `credits` has come.
  void arrive(std::int32_t credits) { arrived_ += static_cast<std::uint32_t>(credits); }
  // Credits of frames that are no longer here, to be told.
  void free(std::int32_t credits) { untold_ += credits; }
  // A CC_Update says how many have been consumed in all. Returns how many of them did not arrive:
  // those are to be freed. Below zero if more arrived, or came late and were taken for lost.
  std::int32_t learnConsumed(std::uint32_t total) {
    const std::int32_t lost = counterSteps<kConsumedBits>(total, arrived_);
    arrived_ = total;
    return lost;
  }
  // Freed and not yet told.
  [[nodiscard]] std::int32_t untold() const { return untold_; }
  // What the next CF_Update says: all that were ever freed, modulo 2^15. It speaks of no more than
  // the sender can tell from a step back; if there are more, another one has to follow.
  std::uint32_t tell() {
    constexpr std::int32_t kMost = (1 << (kFreedBits - 1)) - 1;
    const std::int32_t step = std::clamp(untold_, -kMost, kMost);
    untold_ -= step;
    told_ = (told_ + static_cast<std::uint32_t>(step)) & ((1U << kFreedBits) - 1);
    return told_;
  }

 private:
  std::int32_t untold_ = 0;
  std::uint32_t arrived_ = 0;
  std::uint32_t told_ = 0;
};

}  // namespace plumbline::fabric
