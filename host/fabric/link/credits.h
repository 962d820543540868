// Credit-based flow control: the running totals at the two ends of a link, for one channel.
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

// Signed distance of a counter of kBits bits from `earlier` to `later`: the shorter direction.
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

// The virtual channels of a link. A channel is identified by the lowest of its priorities.
class VirtualChannels {
 public:
  // Without channels: no priority has credits.
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

// The sender's end. Credits of a frame that a script duplicates are freed twice, so the number in
// use may be negative until the receiver learns how many were consumed.
class SendingCredits {
 public:
  // Whether a frame of `credits` may be sent on a channel with that limit.
  [[nodiscard]] bool cover(std::int32_t credits, std::uint32_t limit) const {
    return std::int64_t{in_use_} + credits <= std::int64_t{limit};
  }
  // A frame of `credits` leaves.
  void consume(std::int32_t credits) {
    in_use_ += credits;
    consumed_ = (consumed_ + static_cast<std::uint32_t>(credits)) & ((1U << kConsumedBits) - 1);
  }
  // A CF_Update arrives with the total of freed credits.
  void learnFreed(std::uint32_t total) {
    in_use_ -= counterSteps<kFreedBits>(total, freed_);
    freed_ = total;
  }
  [[nodiscard]] std::int32_t inUse() const { return in_use_; }
  // Content of a CC_Update: the total of consumed credits, modulo 2^20.
  [[nodiscard]] std::uint32_t consumed() const { return consumed_; }

 private:
  std::int32_t in_use_ = 0;
  std::uint32_t consumed_ = 0;
  std::uint32_t freed_ = 0;  // last total received, modulo 2^15
};

// The receiver's end.
class ReceivingCredits {
 public:
  // A frame of `credits` has arrived.
  void arrive(std::int32_t credits) { arrived_ += static_cast<std::uint32_t>(credits); }
  // Credits of frames that have left, to be reported.
  void free(std::int32_t credits) { unreported_ += credits; }
  // A CC_Update arrives with the total of consumed credits. Returns those whose frames did not
  // arrive: they are to be freed. Negative if more arrived, or if frames assumed lost arrived late.
  std::int32_t learnConsumed(std::uint32_t total) {
    const std::int32_t lost = counterSteps<kConsumedBits>(total, arrived_);
    arrived_ = total;
    return lost;
  }
  // Freed and not yet reported.
  [[nodiscard]] std::int32_t unreported() const { return unreported_; }
  // Content of the next CF_Update: the total of freed credits, modulo 2^15. A single update reports
  // at most what the sender can tell from a step back; more credits need further updates.
  std::uint32_t reportFreed() {
    constexpr std::int32_t kMax = (1 << (kFreedBits - 1)) - 1;
    const std::int32_t step = std::clamp(unreported_, -kMax, kMax);
    unreported_ -= step;
    reported_ = (reported_ + static_cast<std::uint32_t>(step)) & ((1U << kFreedBits) - 1);
    return reported_;
  }

 private:
  std::int32_t unreported_ = 0;
  std::uint32_t arrived_ = 0;
  std::uint32_t reported_ = 0;
};

}  // namespace plumbline::fabric
