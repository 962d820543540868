// The PFC pauses that a sending port has received.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "fabric/engine/counters.h"
#include "fabric/engine/recorder.h"
#include "fabric/link/propagation_queue.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// A pause lasts for the quanta of the last PAUSE frame that asked for it, or until a PAUSE frame
// with time 0. Times of calls do not go back.
class PauseState {
 public:
  // A port that pauses are recorded for, and counted in.
  struct Port {
    LinkId link;
    LinkCounters& counters;
    Recorder& recorder;
  };

  // A PAUSE frame takes effect. `quantum`: duration of one unit of its time.
  void receive(const LinkControl& pause, Picoseconds quantum, Picoseconds now, const Port& port);
  // Ends the pauses that have expired by `now`.
  void expire(Picoseconds now, const Port& port);
  // Adds the pauses in progress to the counters, up to `now`.
  void addToCounters(Picoseconds now, LinkCounters& counters);

  // Priorities that are paused, up to firstExpiry().
  [[nodiscard]] PriorityMask mask() const { return mask_; }
  // When the first pause of `priorities` expires; kNever if none of them is paused.
  [[nodiscard]] Picoseconds firstExpiry(PriorityMask priorities = 0xFF) const;
  // When the current pause of `priority` began, and when its last pause ended; 0 without one.
  [[nodiscard]] Picoseconds began(unsigned priority) const { return began_[priority]; }
  [[nodiscard]] Picoseconds ended(unsigned priority) const { return ended_[priority]; }

 private:
  void end(unsigned priority, Picoseconds now, const Port& port);

  PriorityMask mask_ = 0;
  std::array<Picoseconds, 8> expiry_{};
  std::array<Picoseconds, 8> counted_until_{};  // part of the pause that is in the counters
  std::array<Picoseconds, 8> began_{};
  std::array<Picoseconds, 8> ended_{};
};

}  // namespace plumbline::fabric
