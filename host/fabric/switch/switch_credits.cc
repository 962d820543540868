#include "fabric/switch/switch_credits.h"

#include <algorithm>
#include <bit>

namespace plumbline::fabric {

SwitchCredits::SwitchCredits(const std::optional<CbfcSpec>& spec, std::uint32_t ports)
    : spec_(spec ? &*spec : nullptr), channels_(spec ? VirtualChannels(*spec) : VirtualChannels()) {
  if (!spec) return;
  freed_.resize(std::size_t{ports} * 8);
  consumed_due_.assign(ports, kNever);
}

PriorityMask SwitchCredits::covered(const EgressPort& egress, PriorityMask candidates) const {
  for (auto left = static_cast<PriorityMask>(candidates & spec_->channels); left != 0;
       left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    const std::int64_t length = egress.queues[p].frames.front().packet.length;
    const unsigned channel = channelOf(p);
    if (!egress.credits[channel].cover(creditsFor(length), channels_.limit(channel))) {
      candidates &= static_cast<PriorityMask>(~(1U << p));
    }
  }
  return candidates;
}

Picoseconds SwitchCredits::next() const {
  Picoseconds next = kNever;
  for (const Freed& one : freed_) next = std::min(next, one.due);
  for (const Picoseconds time : consumed_due_) next = std::min(next, time);
  return next;
}

bool SwitchCredits::free(std::uint32_t ingress, unsigned channel, std::int32_t credits,
                         std::int64_t bytes, Picoseconds now) {
  Freed& one = freed(ingress, channel);
  one.credits.free(credits);
  one.unreported += bytes;
  if (one.unreported >= spec_->update_spacing.count()) return true;
  if (one.due == kNever) one.due = now + spec_->update_period;
  return false;
}

void SwitchCredits::sendFreed(std::uint32_t ingress, unsigned channel, PropagationQueue& to_sender,
                              Picoseconds now) {
  Freed& one = freed(ingress, channel);
  one.unreported = 0;
  one.due = kNever;
  do {
    to_sender.sendControl({.at = now + to_sender.propagation + spec_->processing,
                           .enabled = static_cast<PriorityMask>(1U << channel),
                           .kind = LinkControl::Kind::kFreed,
                           .value = one.credits.reportFreed()});
  } while (one.credits.unreported() != 0);
}

}  // namespace plumbline::fabric
