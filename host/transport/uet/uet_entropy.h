// Which entropy value (UDP source port) the next packet of a PDC carries: the policies of A.6.4.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::transport {

// One per PDC. Values are indices 0 to set_size - 1, which the PDC maps to ports. Pseudo-random
// choices are a counter mixed with the seed, so that they depend on the PDC alone.
class EntropySelector {
 public:
  EntropySelector() = default;
  // `spec` must outlive the object.
  EntropySelector(const UetEntropySpec& spec, UetEntropyPolicy policy, std::uint64_t seed);

  // For the next data packet.
  std::uint16_t next(Picoseconds now) {
    if (policy_ != UetEntropyPolicy::kOblivious) return nextOther(now);
    const auto value = static_cast<std::uint16_t>(position_ ^ pass_xor_);
    position_ = (position_ + 1) & mask_;
    if (position_ == 0) pass_xor_ = random();
    return value;
  }
  // Whether the choice depends on feedback about packets; if not, onAck() does nothing.
  [[nodiscard]] bool learns() const { return policy_ >= UetEntropyPolicy::kBitmap; }
  // A packet that carried `value` was acknowledged, with or without a mark.
  void onAck(std::uint16_t value, bool marked) {
    if (learns()) learn(value, marked);
  }
  // A packet that carried `value` was trimmed or negatively acknowledged.
  void onNack(std::uint16_t value);
  // A packet that carried `value` was given up after a timeout.
  void onTimeout(std::uint16_t value, Picoseconds now);

  [[nodiscard]] bool freezing() const { return memory_ != nullptr && memory_->freezing; }

 private:
  void learn(std::uint16_t value, bool marked);
  std::uint16_t random();
  std::uint16_t nextOther(Picoseconds now);
  std::uint16_t nextBitmap();
  std::uint16_t nextReps(Picoseconds now);
  void penalise(std::uint16_t value, std::uint8_t penalty);

  UetEntropyPolicy policy_ = UetEntropyPolicy::kConstant;
  std::uint16_t mask_ = 0;      // set_size - 1
  std::uint16_t position_ = 0;  // kOblivious, kRoundRobin, kBitmap
  std::uint16_t pass_xor_ = 0;  // kOblivious
  const UetEntropySpec* spec_ = nullptr;
  std::uint64_t seed_ = 0;
  std::uint64_t draws_ = 0;  // of random numbers

  // kReps: a circular buffer; the oldest valid entry is reused once.
  struct Cached {
    std::uint16_t value = 0;
    bool valid = false;
  };
  // State of the policies that learn; the others have none.
  struct Memory {
    std::vector<std::uint8_t> penalties;  // kBitmap
    std::vector<Cached> cache;            // and from here on kReps
    std::uint8_t head = 0;                // where the next value is written
    std::uint8_t valid = 0;               // entries
    std::uint8_t filled = 0;              // entries ever written, at most the size
    std::uint16_t explore = 0;            // packets left that must explore
    bool freezing = false;
    Picoseconds freezing_until{};
  };
  std::unique_ptr<Memory> memory_;
};

}  // namespace plumbline::transport
