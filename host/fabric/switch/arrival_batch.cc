#include "fabric/switch/arrival_batch.h"

namespace plumbline::fabric {

ArrivalBatch& ArrivalBatch::ofThread() {
  static thread_local ArrivalBatch batch;
  return batch;
}

void ArrivalBatch::findPorts(const NumberSet& busy, const PagedVector<Picoseconds>& due,
                             std::uint32_t ports, Picoseconds end) {
  if (ports_.size() <= ports) ports_.resize(ports + 1);
  std::uint32_t* next = ports_.data();
  Picoseconds others = kNever;
  const Picoseconds* const times = due.data();
  busy.forEach([&](std::uint32_t port) {
    // Without a branch, because its outcome is unpredictable.
    const bool hands_over = times[port] < end;
    *next = port;
    next += std::uint32_t{hands_over};
    others = earlier(others, hands_over ? kNever : times[port]);
  });
  port_count_ = static_cast<std::uint32_t>(next - ports_.data());
  next_due_ = others;
}

}  // namespace plumbline::fabric
