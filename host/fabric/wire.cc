#include "fabric/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace plumbline::fabric {

Wire::Wire(Setup setup, Lane& lane, Recorder& recorder)
    : clock_(setup.rate),
      lane_(lane),
      recorder_(recorder),
      perfect_(setup.outages.empty() && setup.bit_error_rate <= 0),
      setup_(std::move(setup)),
      random_(setup_.seed, "bit errors"),
      set_random_(setup_.seed, "lost ordered sets") {
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

// A MAC control frame leaves; returns whether it arrives. It is not eligible for LLR: repetition
// repairs a loss.
bool Wire::sendControl(Picoseconds first_bit) {
  occupy(kControlFrameBytes, first_bit);
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
    arrived(packet, first_bit);
  }
}

void Wire::startRetry(const Packet& packet, Picoseconds first_bit, bool cut) {
  retry_ = std::make_unique<Retry>();
  retry_->frames.push({packet, first_bit});
  retry_->bytes = packet.length;
  retry_->sent = 1;
  retry_->damaged_until = last_bit_;
  retry_->first_damaged = true;
  retry_->waiting = true;
  retry_->unseen = cut;
  if (cut) {
    awaitTimer(setup_.outages[next_outage_].up);
  } else {
    ask(first_bit);
  }
}

// The frame that ends at last_bit_ has shown the receiver a fault, by its own errors or because
// frames before it are missing. If the NACK is lost, the replay timer runs from `now` on, unless it
// was set before.
void Wire::ask(Picoseconds now) {
  ++counters_.nacks;
  const bool timer_is_set = std::exchange(retry_->unseen, false);
  const LinkRetry& llr = *setup_.retry;
  const Picoseconds sent = last_bit_ + llr.question;
  if (!losesSet(sent, sent + llr.way_back, llr.nack_loss)) {
    retry_->unasked = false;
    retry_->due = last_bit_ + llr.answer;
    return;
  }
  ++counters_.nacks_lost;
  if (!timer_is_set) awaitTimer(now);
}

// The replay timer runs from `now` on, or from the last progress if that comes later; and anew
// whenever the cable is back.
void Wire::awaitTimer(Picoseconds now) {
  Picoseconds from = later(now, good_until_ + setup_.retry->answer);
  for (std::size_t i = next_outage_; i < setup_.outages.size(); ++i) {
    const Outage& outage = setup_.outages[i];
    if (outage.down >= from + setup_.retry->timer || !isWaitedFor(outage)) break;
    from = later(from, outage.up);
  }
  retry_->unasked = true;
  retry_->due = from + setup_.retry->timer;
}

bool Wire::isWaitedFor(const Outage& outage) const {
  return retries_ && outage.up != kNever && outage.up - outage.down <= setup_.retry->pcs_lost;
}

bool Wire::losesSet(Picoseconds sent, Picoseconds until, double loss) {
  for (std::size_t i = next_outage_; i < setup_.outages.size(); ++i) {
    if (setup_.outages[i].down <= until && setup_.outages[i].up > sent) return true;
  }
  return loss > 0 && static_cast<double>(set_random_.next() >> 11) * 0x1.0p-53 < loss;
}

void Wire::arrived(const Packet& packet, Picoseconds first_bit) {
  good_until_ = last_bit_;
  lane_.send(packet, first_bit, last_bit_);
}

Picoseconds Wire::retryDue() const {
  // Within a round the frames follow each other; what the wire is doing is the caller's to know.
  if (!retry_->waiting || retry_->sent != retry_->frames.size()) return free_at_;
  const Picoseconds age = setup_.retry->data_age;
  return age == kNever ? retry_->due : earlier(retry_->due, retry_->frames.front().began + age);
}

// The oldest frame that LLR holds is.
bool Wire::tooOld(Picoseconds now) const {
  const Picoseconds age = setup_.retry->data_age;
  return age != kNever && retry_->frames.front().began + age <= now;
}

// What LLR still holds is lost.
void Wire::giveUp(DropReason reason, Picoseconds now) {
  for (; !retry_->frames.empty(); retry_->frames.pop()) {
    drop(retry_->frames.front().packet, reason, now);
  }
  retry_.reset();
}

// The same on a link that works: it takes the next frame when both ends have agreed on a number.
void Wire::flush(DropReason reason, Picoseconds now) {
  giveUp(reason, now);
  free_at_ = initialised(now);
}

// When the sender has an ECHO of an INIT, of which it sends the first one at `now`, or when the
// cable is back: INIT is repeated until none of the two is lost. If the cable stays down, what is
// sent then is lost there.
Picoseconds Wire::initialised(Picoseconds now) {
  const LinkRetry& llr = *setup_.retry;
  for (Picoseconds sent = now;; sent = sent + llr.init_interval) {
    for (std::size_t i = next_outage_; i < setup_.outages.size(); ++i) {
      if (setup_.outages[i].down > sent) break;
      sent = later(sent, setup_.outages[i].up);
    }
    if (sent == kNever) return now + llr.answer;
    ++counters_.inits;
    const Picoseconds echoed = sent + llr.question;
    if (!losesSet(sent, sent + setup_.propagation, llr.init_loss) &&
        !losesSet(echoed, echoed + llr.way_back, llr.nack_loss)) {
      return sent + llr.answer;
    }
  }
}

void Wire::replay(Picoseconds first_bit) {
  if (tooOld(first_bit)) {
    flush(DropReason::kAge, first_bit);
    return;
  }
  Retry& retry = *retry_;
  if (retry.waiting && retry.due <= first_bit) {
    if (retry.replays == setup_.retry->max_replays) {
      flush(DropReason::kReplays, first_bit);
      return;
    }
    ++retry.replays;
    retry.timed = retry.timed || retry.unasked;
    retry.waiting = false;
    retry.sent = 0;
  }
  const Packet packet = retry.frames.at(retry.sent).packet;
  occupy(packet.length, first_bit);
  ++counters_.replayed;
  counters_.replayed_bytes += packet.length;
  const bool cut = goesDown(first_bit, last_bit_ + setup_.propagation);
  if (cut && !waitsForCable()) {
    giveUp(DropReason::kLinkDown, first_bit);
    return;
  }
  const bool hit = !cut && damaged(packet.length);
  if (hit) ++counters_.damaged;
  if (!retry.waiting && !hit && !cut) {
    deliverReplayed(packet, first_bit);
    return;
  }
  ++retry.sent;  // behind a frame that was damaged again, if not that frame itself
  if (!retry.waiting) {
    if (!retry.first_damaged) {
      retry.first_damaged = true;
      retry.timed = false;
      retry.damaged_until = last_bit_;
    }
    retry.waiting = retry.unasked = true;
    retry.unseen = cut;
    if (!cut) ask(last_bit_);
  } else if (retry.unseen && !cut) {
    ask(last_bit_);
  }
  // The timer does not run while frames are replayed, or while the cable is down.
  if (!retry.unasked) return;
  if (retry.sent == retry.frames.size()) {
    awaitTimer(cut ? setup_.outages[next_outage_].up : last_bit_);
  } else {
    retry.due = kNever;
  }
}

void Wire::deliverReplayed(const Packet& packet, Picoseconds first_bit) {
  Retry& retry = *retry_;
  if (retry.first_damaged) {
    const Picoseconds latency = last_bit_ - retry.damaged_until;
    ++counters_.retries;
    counters_.retry_total += latency;
    counters_.retry_max = std::max(counters_.retry_max, latency);
    recorder_.note({.time = first_bit,
                    .link = setup_.id,
                    .kind = retry.timed ? RecordKind::kTimedRetry : RecordKind::kRetry,
                    .priority = packet.priority,
                    .value = latency.count(),
                    .packet = packet});
    retry.first_damaged = false;
  }
  retry.replays = 0;
  retry.bytes -= packet.length;
  arrived(packet, first_bit);
  retry.frames.pop();
  if (retry.frames.empty()) retry_.reset();
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
