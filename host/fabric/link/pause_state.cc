#include "fabric/link/pause_state.h"

#include <algorithm>
#include <bit>

namespace plumbline::fabric {

void PauseState::receive(const LinkControl& pause, Picoseconds quantum, Picoseconds now,
                         const Port& port) {
  // Earlier expiries are recorded before the effects of this frame.
  expire(now - Picoseconds(1), port);
  for (PriorityMask left = pause.enabled; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    const auto bit = static_cast<PriorityMask>(1U << p);
    if ((pause.xoff & bit) == 0 || pause.value == 0) {
      if ((mask_ & bit) != 0) end(p, now, port);
      continue;
    }
    ++port.counters.xoff_received;
    const Picoseconds duration = quantum * pause.value;
    if ((mask_ & bit) == 0) {
      ++port.counters.pauses;
      mask_ |= bit;
      counted_until_[p] = now;
      began_[p] = now;
    }
    expiry_[p] = now + duration;
    port.recorder.note({.time = now,
                        .link = port.link,
                        .kind = RecordKind::kPaused,
                        .priority = static_cast<std::uint8_t>(p),
                        .value = duration.count(),
                        .packet = {}});
  }
}

void PauseState::expire(Picoseconds now, const Port& port) {
  for (PriorityMask left = mask_; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    if (expiry_[p] <= now) end(p, expiry_[p], port);
  }
}

void PauseState::end(unsigned priority, Picoseconds now, const Port& port) {
  mask_ &= static_cast<PriorityMask>(~(1U << priority));
  port.counters.paused[priority] += now - counted_until_[priority];
  ended_[priority] = now;
  port.recorder.note({.time = now,
                      .link = port.link,
                      .kind = RecordKind::kResumed,
                      .priority = static_cast<std::uint8_t>(priority),
                      .packet = {}});
}

void PauseState::addToCounters(Picoseconds now, LinkCounters& counters) {
  for (PriorityMask left = mask_; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    counters.paused[p] += now - counted_until_[p];
    counted_until_[p] = now;
  }
}

Picoseconds PauseState::firstExpiry(PriorityMask priorities) const {
  Picoseconds earliest = kNever;
  for (PriorityMask left = priorities & mask_; left != 0; left &= left - 1) {
    earliest = std::min(earliest, expiry_[static_cast<unsigned>(std::countr_zero(left))]);
  }
  return earliest;
}

}  // namespace plumbline::fabric
