#include "fabric/switch/switch_buffer.h"

#include <algorithm>
#include <bit>

#include "fabric/switch/buffer_room.h"

namespace plumbline::fabric {

SwitchBuffer::SwitchBuffer(const SwitchSpec& spec, std::uint32_t ports)
    : ingress_(std::size_t{ports} * 8) {
  if (spec.pfc) {
    xoff_ = spec.pfc->xoff.count();
    xon_ = spec.pfc->xon.count();
    headroom_ = spec.pfc->headroom.count();
    if (spec.pfc->dynamic_alpha) pfc_alpha_ = fixedAlpha(*spec.pfc->dynamic_alpha);
  }
  if (spec.shared_buffer) {
    is_shared_ = true;
    reserve_ = spec.shared_buffer->reserve_per_port.count();
    shared_ = sharedPart(spec, ports).count();
    alpha_ = fixedAlpha(spec.shared_buffer->alpha);
  } else {
    port_limit_ = spec.buffer_per_port.count();
  }
}

std::int64_t SwitchBuffer::fixedAlpha(Fraction alpha) {
  constexpr Int128 kUnits = Int128{1} << kAlphaBits;
  return static_cast<std::int64_t>((kUnits * alpha.partsPerTrillion() + Fraction::kOne / 2) /
                                   Fraction::kOne);
}

bool SwitchBuffer::certainlyFits(std::int64_t arriving) const {
  if (!is_shared_) return true;
  const std::int64_t used = shared_used_ + arriving;
  // No queue is longer than the reserve of a port and all that is shared.
  return used <= shared_ && reserve_ + used <= threshold(alpha_, used);
}

std::int64_t SwitchBuffer::fullest(std::uint32_t ingress, PriorityMask priorities) const {
  std::int64_t max = 0;
  for (PriorityMask left = priorities; left != 0; left &= left - 1) {
    const Ingress& in = ingress_[ingress * 8 + static_cast<unsigned>(std::countr_zero(left))];
    max = std::max(max, in.shared + in.headroom);
  }
  return max;
}

}  // namespace plumbline::fabric
