// Which frames an egress queue takes, and which it marks: the parameters of one switch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// The equations are in docs/model/switch.md. `depth` is the number of bytes of a frame's priority
// in front of it (enqueue) or behind it (dequeue), frames in transmission included.
class EgressRules {
 public:
  explicit EgressRules(const SwitchSpec& spec) {
    if (spec.trim) {
      trimmed_length_ = static_cast<std::uint16_t>(spec.trim->keep.count());
      trimmed_priority_ = spec.trim->priority & 7U;
      depth_limit_[kTrimmable] = spec.trim->threshold.count();
      depth_limit_[kTrimmed] = spec.trim->limit.count();
      depth_limit_[kTrimmed | kTrimmable] = spec.trim->limit.count();
    }
    for (auto rule = spec.ecn.rbegin(); rule != spec.ecn.rend(); ++rule) {
      for (unsigned p = 0; p < 8; ++p) {
        if ((rule->priorities >> p & 1U) == 0) continue;
        const std::int64_t kmin = rule->kmin.count();
        enqueue_kmin_[p] = rule->at_dequeue ? INT64_MAX : kmin;
        dequeue_kmin_[p] = rule->at_dequeue ? kmin : INT64_MAX;
        red_[p] = {kmin, rule->kmax.count(), rule->pmax.partsPerTrillion()};
      }
    }
  }

  // Admission: a lossy frame is queued unchanged if the buffer has room (`fits`) and its queue
  // stays within the limit for such frames. Otherwise it is trimmed or dropped.
  [[nodiscard]] bool admits(const Packet& packet, std::int64_t depth, bool fits) const {
    const unsigned kind = unsigned{packet.trimmable} | unsigned{packet.trimmed} << 1U;
    return (unsigned{depth + packet.length <= depth_limit_[kind]} & unsigned{fits}) != 0;
  }
  [[nodiscard]] bool mayTrim(const Packet& packet) const {
    return trimmed_length_ != 0 && packet.trimmable && !packet.trimmed;
  }
  // `last_hop`: the port leads to the frame's destination.
  void trim(Packet& packet, bool last_hop) const {
    packet.length = std::min(packet.length, trimmed_length_);
    packet.trimmed = true;
    packet.trimmed_last_hop = last_hop;
    packet.priority = trimmed_priority_;
  }

  // ECN: whether a frame has to be tested for a mark when it is queued, or when it leaves.
  [[nodiscard]] bool testsAtEnqueue(const Packet& packet, std::int64_t depth) const {
    return depth > enqueue_kmin_[packet.priority] && packet.ect && !packet.ce;
  }
  [[nodiscard]] bool testsAtDequeue(const Packet& packet, std::int64_t depth) const {
    return depth > dequeue_kmin_[packet.priority] && packet.ect && !packet.ce;
  }
  // Outcome of the test (RED). `random()` is uniform in [0, 2^64), and called only if needed.
  template <typename Random>
  [[nodiscard]] bool marks(unsigned priority, std::int64_t depth, Random&& random) const {
    const Red& red = red_[priority];
    if (depth > red.kmax) return true;
    // p = pmax (q - kmin) / (kmax - kmin), compared without a division.
    const auto scaled =
        static_cast<Int128>(random() >> 32) * (red.kmax - red.kmin) * Fraction::kOne;
    const auto bound = (static_cast<Int128>(red.pmax) * (depth - red.kmin)) << 32;
    return scaled < bound;
  }

 private:
  // Kinds of frames, by bits.
  static constexpr unsigned kTrimmable = 1;
  static constexpr unsigned kTrimmed = 2;
  struct Red {
    std::int64_t kmin = 0;
    std::int64_t kmax = 0;
    std::int64_t pmax = 0;  // parts per 10^12
  };
  using ByPriority = std::array<std::int64_t, 8>;
  static constexpr ByPriority everywhere(std::int64_t value) {
    ByPriority all{};
    all.fill(value);
    return all;
  }

  // Of the queue, by kind: the frame included.
  std::array<std::int64_t, 4> depth_limit_{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  ByPriority enqueue_kmin_ = everywhere(INT64_MAX);  // INT64_MAX: no test
  ByPriority dequeue_kmin_ = everywhere(INT64_MAX);
  std::array<Red, 8> red_{};
  std::uint16_t trimmed_length_ = 0;  // 0: frames are not trimmed
  std::uint8_t trimmed_priority_ = 0;
};

}  // namespace plumbline::fabric
