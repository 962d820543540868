// Which priority an egress port serves next.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// Strict priorities first, the higher number before the lower; then deficit-weighted round robin
// among the weighted ones (Shreedhar and Varghese): on its turn a priority's credit grows by weight
// × quantum, and it sends while the credit covers the frame. A priority that has nothing to send
// loses its credit; one that is only paused keeps it.
class Scheduler {
 public:
  explicit Scheduler(const SwitchSpec& spec) : quantum_(spec.dwrr_quantum.count()) {
    for (unsigned p = 0; p < 8; ++p) {
      weights_[p] = spec.weights[p];
      if (weights_[p] == 0) strict_ |= static_cast<PriorityMask>(1U << p);
    }
  }

  // A priority of `eligible` (not 0), which are among those in `waiting`. `lengthOf(p)` is the
  // length of the first frame of priority p.
  template <typename LengthOf>
  unsigned pick(PriorityMask eligible, PriorityMask waiting, LengthOf&& lengthOf) {
    const auto strict = static_cast<PriorityMask>(eligible & strict_);
    if (strict != 0) return static_cast<unsigned>(std::bit_width(unsigned{strict})) - 1;
    for (;;) {
      const unsigned p = turn_;
      if ((eligible >> p & 1U) != 0) {
        if (!visited_) {
          credit_[p] += std::int64_t{weights_[p]} * quantum_;
          visited_ = true;
        }
        const std::int64_t length = lengthOf(p);
        if (length <= credit_[p]) {
          credit_[p] -= length;
          return p;
        }
      } else if ((waiting >> p & 1U) == 0) {
        credit_[p] = 0;
      }
      turn_ = (p + 1) % 8;
      visited_ = false;
    }
  }

 private:
  std::array<std::int64_t, 8> credit_{};
  std::array<std::uint16_t, 8> weights_{};
  std::int64_t quantum_;
  PriorityMask strict_ = 0;
  std::uint8_t turn_ = 0;
  bool visited_ = false;  // the priority whose turn it is has got its credit
};

}  // namespace plumbline::fabric
