// The order in time of the steps of a switch's egress ports, while it matters to other ports.
#pragma once

#include <cstdint>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/engine/bits.h"
#include "fabric/switch/egress_port.h"

namespace plumbline::fabric {

// A step of an egress port is a last bit that leaves, or a decision. Of both at one instant the
// last bit is the earlier step. A step is a number: twice its time, plus one for a decision.
class StepOrder {
 public:
  // `all`: a lossy frame that leaves may let an ingress port resume its sender, too.
  StepOrder(std::uint32_t ports, bool enabled, bool all)
      : enabled_(enabled), all_(all), next_(ports, kNever.count()) {}

  [[nodiscard]] bool enabled() const { return enabled_; }
  // Steps are noted from now on, or not any more, at the end of a window.
  void setEnabled(bool enabled) { enabled_ = enabled; }
  // Within a window: notes the steps of the ports in `active`.
  void start(const NumberSet& active, const PagedVector<EgressPort>& ports);

  // Everything that happens before `time` is before this step.
  [[nodiscard]] static std::int64_t before(Picoseconds time) { return time.count() * 2; }
  // Whether the steps of the port have to be taken in order: a lossless frame that leaves may let
  // an ingress port resume its sender. Other ports are deferred as usual.
  [[nodiscard]] bool isOrdered(const EgressPort& egress) const {
    return all_ || egress.account.bytes != egress.account.lossy;
  }
  // The next step of the port may have changed.
  void note(const EgressPort& egress) {
    const std::int64_t step = isOrdered(egress) ? stepOf(egress) : kNever.count();
    next_[egress.number] = step;
    earliest_other_ = smaller(earliest_other_, egress.number == earliest_ ? kNever.count() : step);
  }
  [[nodiscard]] bool anyBefore(Picoseconds time) const {
    return smaller(next_[earliest_], earliest_other_) <= before(time);
  }
  // Finds the port with the earliest step, of equal ones the first, if another one may have it.
  // Returns whether it had to search.
  bool update(const NumberSet& active) {
    if (next_[earliest_] < earliest_other_) return false;
    findEarliest(active);
    return true;
  }
  // Of the last update(): the port, its step, and a bound below which no other port has a step.
  [[nodiscard]] std::uint32_t earliest() const { return earliest_; }
  [[nodiscard]] std::int64_t step() const { return next_[earliest_]; }
  [[nodiscard]] const std::int64_t& earliestOther() const { return earliest_other_; }

 private:
  [[nodiscard]] static std::int64_t stepOf(const EgressPort& egress) {
    if (egress.sending.active) return before(egress.transmitter.lastBitAt());
    return egress.decision == kNever ? kNever.count() : before(egress.decision) + 1;
  }
  // By-value min: avoids an unpredictable branch.
  [[nodiscard]] static constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  void findEarliest(const NumberSet& active);

  bool enabled_;
  const bool all_;
  PagedVector<std::int64_t> next_;                // by egress port; kNever if not ordered
  std::uint32_t earliest_ = 0;                    // the port whose step was the earliest
  std::int64_t earliest_other_ = kNever.count();  // no step of another port is earlier
};

}  // namespace plumbline::fabric
