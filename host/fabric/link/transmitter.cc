#include "fabric/link/transmitter.h"

#include <bit>
#include <utility>

namespace plumbline::fabric {
namespace {

__extension__ using Int128 = __int128;
constexpr std::int64_t kBitsTimesPs = 8'000'000'000'000;  // bits of a byte times ps of a second

}  // namespace

Transmitter::Transmitter(Setup setup, PropagationQueue& queue, Recorder& recorder)
    : clock_(setup.rate),
      queue_(queue),
      recorder_(recorder),
      setup_(std::move(setup)),
      faults_(std::exchange(setup_.outages, {}), setup_.bit_error_rate, setup_.seed) {
  reliable_ = faults_.none();
}

void Transmitter::enableRetry() {
  if (!setup_.retry) return;
  retry_ = std::make_unique<LinkRetrySender>(*setup_.retry, setup_.seed);
  if (setup_.retry->nack_loss > 0) reliable_ = false;
}

void Transmitter::recordDeparture(const Packet& packet, Picoseconds first_bit,
                                  std::int64_t behind) {
  recorder_.note({.time = first_bit,
                  .link = setup_.id,
                  .kind = RecordKind::kDeparture,
                  .priority = packet.priority,
                  .value = behind,
                  .packet = packet});
}

// The last frame, on a link with faults.
void Transmitter::sendUnreliably(const Packet& packet, Picoseconds first_bit) {
  const bool cut = faults_.outageIn(first_bit, wire_.last_bit + setup_.propagation);
  if (cut && !bridgesOutage()) {
    drop(packet, DropReason::kLinkDown, first_bit);
    return;
  }
  const bool damaged = !cut && faults_.damages(packet.length);
  if (damaged) ++counters_.damaged;
  if (retry_) {
    retry_->noteSent(*this, packet, first_bit, cut, damaged);
  } else if (damaged) {
    drop(packet, DropReason::kCorrupt, first_bit);
  } else {
    deliver(packet, first_bit);
  }
}

void Transmitter::sendPause(const LinkControl& pause, Picoseconds first_bit) {
  ++counters_.control;
  if (!sendControlFrame(first_bit)) return;
  LinkControl item = pause;
  item.at = first_bit + queue_.control_delay;
  queue_.sendControl(item);
}

bool Transmitter::sendConsumed(PriorityMask channels, std::span<const SendingCredits, 8> credits,
                               Picoseconds first_bit) {
  ++counters_.consumed_updates;
  if (!sendControlFrame(first_bit)) return false;
  // Handed over like a frame, so that frames sent before it arrive before it.
  const Picoseconds at = queue_.handOverTime(first_bit, wire_.last_bit);
  for (PriorityMask left = channels; left != 0; left &= left - 1) {
    const auto channel = static_cast<unsigned>(std::countr_zero(left));
    queue_.sendControl({.at = at,
                        .enabled = static_cast<PriorityMask>(1U << channel),
                        .kind = LinkControl::Kind::kConsumed,
                        .value = credits[channel].consumed()});
  }
  return true;
}

// A MAC control frame leaves; returns whether it arrives. LLR does not repeat it: control frames
// are repeated by their senders.
bool Transmitter::sendControlFrame(Picoseconds first_bit) {
  packet_bit_ = lastPacketBitAt();
  occupyUncounted(kControlFrameBytes, first_bit);
  control_bit_ = wire_.last_bit;
  if (reliable_) return true;
  if (faults_.outageIn(first_bit, wire_.last_bit + setup_.propagation)) return false;
  if (!faults_.damages(kControlFrameBytes)) return true;
  ++counters_.damaged;
  return false;
}

UnsentRest Transmitter::unsentRest(Picoseconds now) const {
  // While LLR blocks the wire, free_at is later than the end of the last frame's slot.
  const Picoseconds slot = wire_.last_bit + clock_.serialization(kWireOverheadBytes.count());
  UnsentRest unsentRest;
  unsentRest.wire = later(earlier(wire_.free_at, slot), now) - now;
  if (wire_.last_bit > now && wire_.last_bit != uncounted_until_) {
    const Int128 bits_times_ps =
        static_cast<Int128>((wire_.last_bit - now).count()) * clock_.rate().bitsPerSecond();
    // A byte that has left in part counts as one that has still to leave.
    unsentRest.bytes =
        static_cast<std::uint64_t>((bits_times_ps + kBitsTimesPs - 1) / kBitsTimesPs);
  }
  return unsentRest;
}

bool Transmitter::permanentlyDown() const {
  if (faults_.upcoming().empty()) return false;
  const Outage& outage = faults_.nextOutage();
  return outage.up == kNever && outage.down <= wire_.last_bit + setup_.propagation;
}

void Transmitter::receivePause(const LinkControl& pause, Picoseconds now) {
  pauses_.receive(pause, clock_.serialization(64), now, pausedPort());
  updatePaused();
}

PriorityMask Transmitter::expirePauses(Picoseconds now) {
  pauses_.expire(now, pausedPort());
  updatePaused();
  return paused_;
}

void Transmitter::countPauses(Picoseconds now) {
  pausedAt(now);
  pauses_.addToCounters(now, counters_);
}

void Transmitter::drop(const Packet& packet, DropReason reason, Picoseconds now) {
  ++counters_.drops[static_cast<unsigned>(reason)];
  recorder_.note({.time = now,
                  .link = setup_.id,
                  .kind = RecordKind::kDrop,
                  .reason = reason,
                  .priority = packet.priority,
                  .packet = packet});
}

}  // namespace plumbline::fabric
