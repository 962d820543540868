#include "fabric/link/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace plumbline::fabric {
namespace {

__extension__ using Int128 = __int128;
constexpr std::int64_t kBitsTimesPs = 8'000'000'000'000;  // bits of a byte times ps of a second

}  // namespace

Wire::Wire(Setup setup, Lane& lane, Recorder& recorder)
    : clock_(setup.rate),
      lane_(lane),
      perfect_(setup.outages.empty() && setup.bit_error_rate <= 0),
      recorder_(recorder),
      setup_(std::move(setup)),
      random_(setup_.seed, "bit errors"),
      set_random_(setup_.seed, "lost ordered sets"),
      ack_random_(setup_.seed, "lost ACKs") {
  if (setup_.bit_error_rate > 0) drawError();
}

void Wire::noteDeparture(const Packet& packet, Picoseconds first_bit, std::int64_t behind) {
  recorder_.note({.time = first_bit,
                  .link = setup_.id,
                  .kind = RecordKind::kDeparture,
                  .priority = packet.priority,
                  .value = behind,
                  .packet = packet});
}

void Wire::sendUnpaced(const Packet& packet, Picoseconds first_bit) {
  send(packet, first_bit);
  free_at_ = first_bit + clock_.frameAndPreamble(packet.length);
}

void Wire::sendPause(const ControlFlight& pause, Picoseconds first_bit) {
  ++counters_.control;
  if (!sendControl(first_bit)) return;
  ControlFlight item = pause;
  item.at = first_bit + lane_.control_delay;
  lane_.steer(item);
}

void Wire::sendPauseUnpaced(const ControlFlight& pause, Picoseconds first_bit) {
  sendPause(pause, first_bit);
  free_at_ = first_bit + clock_.frameAndPreamble(kControlFrameBytes);
}

bool Wire::sendConsumed(PriorityMask channels, std::span<const SendingCredits, 8> credits,
                        Picoseconds first_bit) {
  ++counters_.consumed_updates;
  if (!sendControl(first_bit)) return false;
  // It is dealt with like a frame, so that what left before it is there before it.
  const Picoseconds at = lane_.handedOver(first_bit, last_bit_);
  for (PriorityMask left = channels; left != 0; left &= left - 1) {
    const auto channel = static_cast<unsigned>(std::countr_zero(left));
    lane_.steer({.at = at,
                 .enabled = static_cast<PriorityMask>(1U << channel),
                 .kind = ControlFlight::Kind::kConsumed,
                 .value = credits[channel].consumed()});
  }
  return true;
}

Onwards Wire::onwards(Picoseconds now) const {
  // A frame that the owner's own clock begins later is not counted from now on but from its start.
  const Picoseconds slot = last_bit_ + clock_.serialization(kWireOverheadBytes.count());
  Onwards onwards;
  onwards.wire = later(earlier(free_at_, slot), now) - now;
  if (last_bit_ > now && last_bit_ != aside_until_) {
    const Int128 bits_times_ps =
        static_cast<Int128>((last_bit_ - now).count()) * clock_.rate().bitsPerSecond();
    // A byte that has not left whole is still to leave.
    onwards.bytes = static_cast<std::uint64_t>((bits_times_ps + kBitsTimesPs - 1) / kBitsTimesPs);
  }
  return onwards;
}

// A MAC control frame leaves; returns whether it arrives. It is not eligible for LLR: repetition
// repairs a loss.
bool Wire::sendControl(Picoseconds first_bit) {
  occupy(kControlFrameBytes, first_bit);
  aside_until_ = last_bit_;
  if (perfect_) return true;
  if (goesDown(first_bit, last_bit_ + setup_.propagation)) return false;
  if (!damaged(kControlFrameBytes)) return true;
  ++counters_.damaged;
  return false;
}

bool Wire::goneForGood() const {
  if (next_outage_ == setup_.outages.size()) return false;
  const Outage& outage = setup_.outages[next_outage_];
  return outage.up == kNever && outage.down <= last_bit_ + setup_.propagation;
}

bool Wire::goesDown(Picoseconds from, Picoseconds until) {
  while (next_outage_ < setup_.outages.size() && setup_.outages[next_outage_].up <= from) {
    ++next_outage_;
  }
  return next_outage_ < setup_.outages.size() && setup_.outages[next_outage_].down <= until;
}

// Distance in bits to the next error: geometric, sampled by its continuous limit.
void Wire::drawError() {
  const double uniform = static_cast<double>((random_.next() >> 11) + 1) * 0x1.0p-53;
  const double bits = -std::log(uniform) / setup_.bit_error_rate;
  bits_to_error_ = bits < 9e18 ? static_cast<std::int64_t>(bits) : INT64_MAX;
}

bool Wire::damaged(std::int64_t length) {
  if (setup_.bit_error_rate <= 0) return false;
  const std::int64_t bits = length * 8;
  if (bits_to_error_ >= bits) {
    bits_to_error_ -= bits;
    return false;
  }
  drawError();  // further errors in the same frame change nothing
  return true;
}

// The slow path: everything that can happen to a frame on a link that is not perfect.
void Wire::transmit(const Packet& packet, Picoseconds first_bit) {
  const bool cut = goesDown(first_bit, last_bit_ + setup_.propagation);
  if (cut && !waitsForCable()) {
    drop(packet, DropReason::kLinkDown, first_bit);
    return;
  }
  const bool hit = !cut && damaged(packet.length);
  if (hit) ++counters_.damaged;
  if (!retries_) {
    if (hit) {
      drop(packet, DropReason::kCorrupt, first_bit);
    } else {
      lane_.send(packet, first_bit, last_bit_);
    }
    return;
  }
  if (retry_) {  // behind a damaged frame: the receiver discards it, whole or not
    retry_->frames.push({packet, first_bit});
    retry_->bytes += packet.length;
    ++retry_->sent;
    if (retry_->unseen && !cut) ask(first_bit);
  } else if (hit || cut) {
    startRetry(packet, first_bit, cut);
  } else {
    arrived({packet, first_bit}, first_bit, first_bit);
  }
}

void Wire::obey(const ControlFlight& pause, Picoseconds now) {
  // What ran out before, unnoticed, is noted before what this frame ends.
  pausedAt(now - Picoseconds(1));
  const Picoseconds quantum = clock_.serialization(64);
  for (PriorityMask left = pause.enabled; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    const auto bit = static_cast<PriorityMask>(1U << p);
    if ((pause.xoff & bit) == 0 || pause.value == 0) {
      if ((pause_mask_ & bit) != 0) endPause(p, now);
      continue;
    }
    ++counters_.xoff_received;
    const Picoseconds duration = quantum * pause.value;
    if ((pause_mask_ & bit) == 0) {
      ++counters_.pauses;
      pause_mask_ |= bit;
      paused_since_[p] = now;
      paused_from_[p] = now;
    }
    paused_until_[p] = now + duration;
    recorder_.note({.time = now,
                    .link = setup_.id,
                    .kind = RecordKind::kPaused,
                    .priority = static_cast<std::uint8_t>(p),
                    .value = duration.count(),
                    .packet = {}});
  }
  first_resume_ = firstOf(pause_mask_);
}

PriorityMask Wire::expirePauses(Picoseconds now) {
  for (PriorityMask left = pause_mask_; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    if (paused_until_[p] <= now) endPause(p, paused_until_[p]);
  }
  first_resume_ = firstOf(pause_mask_);
  return pause_mask_;
}

void Wire::endPause(unsigned priority, Picoseconds now) {
  pause_mask_ &= static_cast<PriorityMask>(~(1U << priority));
  counters_.paused[priority] += now - paused_since_[priority];
  resumed_from_[priority] = now;
  recorder_.note({.time = now,
                  .link = setup_.id,
                  .kind = RecordKind::kResumed,
                  .priority = static_cast<std::uint8_t>(priority),
                  .packet = {}});
}

void Wire::settlePauses(Picoseconds now) {
  for (PriorityMask left = pausedAt(now); left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    counters_.paused[p] += now - paused_since_[p];
    paused_since_[p] = now;
  }
}

Picoseconds Wire::firstOf(PriorityMask priorities) const {
  Picoseconds earliest = kNever;
  for (PriorityMask left = priorities & pause_mask_; left != 0; left &= left - 1) {
    earliest = std::min(earliest, paused_until_[static_cast<unsigned>(std::countr_zero(left))]);
  }
  return earliest;
}

void Wire::drop(const Packet& packet, DropReason reason, Picoseconds now) {
  ++counters_.drops[static_cast<unsigned>(reason)];
  recorder_.note({.time = now,
                  .link = setup_.id,
                  .kind = RecordKind::kDrop,
                  .reason = reason,
                  .priority = packet.priority,
                  .packet = packet});
}

}  // namespace plumbline::fabric
