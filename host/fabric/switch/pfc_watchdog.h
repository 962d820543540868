// When the PFC watchdog of a switch acts on a queue, and for how long (after SONiC's).
#pragma once

#include <bit>
#include <optional>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/switch/egress_port.h"

namespace plumbline::fabric {

// It polls at multiples of its period, but only while there are pauses, so that an idle fabric has
// no events. Polls only determine when it acts. How long a queue has been stuck, or not paused, is
// measured from the exact begin, so that the result does not depend on the phase of the polls
// against a storm.
class PfcWatchdog {
 public:
  // Without a watchdog in `spec` it never polls. `spec` must outlive it.
  explicit PfcWatchdog(const std::optional<PfcSpec>& spec)
      : spec_(spec && spec->watchdog ? &*spec->watchdog : nullptr),
        lossless_(spec ? spec->priorities : PriorityMask{0}) {}

  [[nodiscard]] bool exists() const { return spec_ != nullptr; }
  [[nodiscard]] WatchdogSpec::Action action() const { return spec_->action; }
  // The next poll; kNever without one.
  [[nodiscard]] Picoseconds next() const { return poll_; }
  // A pause was received. Returns whether polls begin with it.
  bool startPolling(Picoseconds now) {
    if (!exists() || poll_ != kNever) return false;
    poll_ = (now / spec_->poll + 1) * spec_->poll;
    return true;
  }
  // Whether it acts on a queue, or may act on one that is stuck now.
  [[nodiscard]] bool acts(PagedVector<EgressPort>& ports, Picoseconds now) const;
  // A poll. `change(egress, priority)` is called for each queue on which it begins or ends to act:
  // Watchdog::acting of the queue is the new state.
  template <typename Change>
  void poll(PagedVector<EgressPort>& ports, Picoseconds now, Change&& change) {
    poll_ = kNever;
    for (EgressPort& egress : ports) {
      const PriorityMask paused = egress.transmitter.pausedAt(now);
      for (PriorityMask left = lossless_; left != 0; left &= left - 1) {
        const auto p = static_cast<unsigned>(std::countr_zero(left));
        EgressPort::Watchdog& watchdog = egress.watchdogs[p];
        if (watchdog.acting ? !isRestored(egress, p, now) : !isStuck(egress, p, now)) continue;
        watchdog.acting = !watchdog.acting;
        if (watchdog.acting) watchdog.began = now;
        change(egress, p);
      }
      if ((paused & lossless_) != 0 || egress.discarding != 0 || egress.ignoring != 0) {
        poll_ = now + spec_->poll;
      }
    }
  }

 private:
  [[nodiscard]] bool isStuck(EgressPort& egress, unsigned priority, Picoseconds now) const;
  [[nodiscard]] bool isRestored(EgressPort& egress, unsigned priority, Picoseconds now) const;

  const WatchdogSpec* spec_;
  PriorityMask lossless_;
  Picoseconds poll_ = kNever;
};

}  // namespace plumbline::fabric
