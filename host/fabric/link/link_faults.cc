#include "fabric/link/link_faults.h"

#include <cmath>
#include <utility>

namespace plumbline::fabric {

LinkFaults::LinkFaults(std::vector<Outage> outages, double bit_error_rate, std::uint64_t seed)
    : outages_(std::move(outages)), bit_error_rate_(bit_error_rate), random_(seed, "bit errors") {
  if (bit_error_rate_ > 0) drawError();
}

bool LinkFaults::outageIn(Picoseconds from, Picoseconds until) {
  while (next_outage_ < outages_.size() && nextOutage().up <= from) ++next_outage_;
  return next_outage_ < outages_.size() && nextOutage().down <= until;
}

// Distance in bits to the next error: geometric, sampled by its continuous limit.
void LinkFaults::drawError() {
  const double uniform = static_cast<double>((random_.next() >> 11) + 1) * 0x1.0p-53;
  const double bits = -std::log(uniform) / bit_error_rate_;
  bits_to_error_ = bits < 9e18 ? static_cast<std::int64_t>(bits) : INT64_MAX;
}

bool LinkFaults::damages(std::int64_t length) {
  if (bit_error_rate_ <= 0) return false;
  const std::int64_t bits = length * 8;
  if (bits_to_error_ >= bits) {
    bits_to_error_ -= bits;
    return false;
  }
  drawError();  // further errors in the same frame make no difference
  return true;
}

}  // namespace plumbline::fabric
