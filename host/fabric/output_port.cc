#include "fabric/output_port.h"

#include <algorithm>

namespace plumbline::fabric {

std::optional<Picoseconds> OutputPort::admit(std::uint32_t length, Picoseconds ready) {
  while (!departures_.empty() && departures_.front().last_bit <= ready) {
    queued_ -= departures_.front().length;
    departures_.pop();
  }
  if (queued_ + length > buffer_) {
    ++drops_;
    return std::nullopt;
  }
  const Picoseconds first_bit = std::max(ready, wire_free_);
  wire_free_ = first_bit + wire_.slot(length);
  departures_.push({first_bit + wire_.serialization(length), length});
  queued_ += length;
  max_queued_ = std::max(max_queued_, queued_);
  ++packets_;
  bytes_ += length;
  return first_bit;
}

}  // namespace plumbline::fabric
