#include "fabric/switch/step_order.h"

#include <algorithm>

namespace plumbline::fabric {

void StepOrder::start(const NumberSet& active, const PagedVector<EgressPort>& ports) {
  enabled_ = true;
  std::fill(next_.begin(), next_.end(), kNever.count());
  earliest_other_ = kNever.count();
  active.forEach([&](std::uint32_t port) { note(ports[port]); });
}

void StepOrder::findEarliest(const NumberSet& active) {
  std::int64_t first = kNever.count();
  std::int64_t second = kNever.count();
  std::uint32_t earliest = earliest_;
  const std::int64_t* const steps = next_.data();
  active.forEach([&](std::uint32_t port) {
    const std::int64_t step = steps[port];
    const bool leads = step < first;
    second = leads ? first : smaller(second, step);
    first = leads ? step : first;
    earliest = leads ? port : earliest;
  });
  earliest_other_ = second;
  earliest_ = earliest;
}

}  // namespace plumbline::fabric
