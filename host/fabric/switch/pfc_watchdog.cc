#include "fabric/switch/pfc_watchdog.h"

#include <algorithm>

namespace plumbline::fabric {

bool PfcWatchdog::acts(PagedVector<EgressPort>& ports, Picoseconds now) const {
  if (poll_ == kNever) return false;
  return std::any_of(ports.begin(), ports.end(), [&](EgressPort& egress) {
    return (egress.discarding | egress.ignoring) != 0 ||
           (egress.waiting & egress.transmitter.pausedAt(now) & lossless_) != 0;
  });
}

bool PfcWatchdog::isStuck(EgressPort& egress, unsigned priority, Picoseconds now) const {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  if ((egress.transmitter.pausedAt(now) & bit) == 0 || (egress.waiting & bit) == 0) return false;
  const Picoseconds since =
      later(egress.transmitter.pauses().began(priority), egress.queues[priority].progress_at);
  return now - since >= spec_->detection;
}

bool PfcWatchdog::isRestored(EgressPort& egress, unsigned priority, Picoseconds now) const {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  if ((egress.transmitter.pausedAt(now) & bit) != 0) return false;
  const Picoseconds since =
      later(egress.transmitter.pauses().ended(priority), egress.watchdogs[priority].began);
  return now - since >= spec_->restoration;
}

}  // namespace plumbline::fabric
