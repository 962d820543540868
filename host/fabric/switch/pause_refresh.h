// The PAUSE frames that a switch has to repeat: when, for which ingress ports and priorities.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/engine/bits.h"

namespace plumbline::fabric {

class PauseRefresh {
 public:
  // `ports`: 0 for a switch without PFC.
  explicit PauseRefresh(std::uint32_t ports)
      : at_(std::size_t{ports} * 8), repeating_((at_.size() + 63) / 64) {}

  void repeatAt(std::uint32_t ingress, unsigned priority, Picoseconds time) {
    at_[ingress * 8 + priority] = time;
    setBit(repeating_, ingress * 8 + priority);
  }
  void end(std::uint32_t ingress, unsigned priority) {
    clearBit(repeating_, ingress * 8 + priority);
  }

  // The earliest repetition; kNever without one.
  [[nodiscard]] Picoseconds next() const {
    Picoseconds next = kNever;
    forEachBit(repeating_, [&](std::uint32_t queue) { next = earlier(next, at_[queue]); });
    return next;
  }
  // Calls `repeat` with ingress port and priority of each repetition at `now`.
  template <typename Repeat>
  void forEachDue(Picoseconds now, Repeat&& repeat) const {
    forEachBit(repeating_, [&](std::uint32_t queue) {
      if (at_[queue] == now) repeat(queue / 8, queue % 8);
    });
  }

 private:
  PagedVector<Picoseconds> at_;           // [ingress][priority]
  PagedVector<std::uint64_t> repeating_;  // a bit for each of these that is pausing
};

}  // namespace plumbline::fabric
