// Link-level retry at the sending end of a link (docs/model/switch.md, "Bit errors and LLR").
#include <algorithm>
#include <cmath>
#include <utility>

#include "fabric/link/wire.h"

namespace plumbline::fabric {

void Wire::useRetry() {
  retries_ = setup_.retry.has_value();
  if (retries_ && setup_.retry->nack_loss > 0) perfect_ = false;
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
  if (!losesSet(sent, sent + llr.way_back, llr.nack_loss, set_random_)) {
    retry_->unasked = false;
    retry_->due = last_bit_ + llr.answer;
    if (unacked_) hear(retry_->due);
    return;
  }
  ++counters_.nacks_lost;
  if (!timer_is_set) awaitTimer(unacked_ ? unacked_->since : now);
}

// The replay timer runs from `now` on, or from the last progress if that comes later.
void Wire::awaitTimer(Picoseconds now) {
  retry_->unasked = true;
  retry_->due = timerEnd(later(now, progress_));
}

// When a replay timer has run out that runs from `from` on, and anew whenever the cable is back.
Picoseconds Wire::timerEnd(Picoseconds from) const {
  for (std::size_t i = next_outage_; i < setup_.outages.size(); ++i) {
    const Outage& outage = setup_.outages[i];
    if (outage.down >= from + setup_.retry->timer || !isWaitedFor(outage)) break;
    from = later(from, outage.up);
  }
  return from + setup_.retry->timer;
}

bool Wire::isWaitedFor(const Outage& outage) const {
  return retries_ && outage.up != kNever && outage.up - outage.down <= setup_.retry->pcs_lost;
}

bool Wire::losesSet(Picoseconds sent, Picoseconds until, double loss, RandomStream& random) {
  for (std::size_t i = next_outage_; i < setup_.outages.size(); ++i) {
    if (setup_.outages[i].down <= until && setup_.outages[i].up > sent) return true;
  }
  return loss > 0 && static_cast<double>(random.next() >> 11) * 0x1.0p-53 < loss;
}

// The frame that ends at last_bit_ has arrived. If LLR does not hear of it, its timer runs from
// `since` on, or from the last progress.
void Wire::arrived(const Held& frame, Picoseconds first_bit, Picoseconds since) {
  lane_.send(frame.packet, first_bit, last_bit_);
  const LinkRetry& llr = *setup_.retry;
  const bool heard = ackComes();
  const Picoseconds at = last_bit_ + llr.answer;
  if (heard && (!unacked_ || at <= unacked_->due)) {
    hear(at);
    return;
  }
  if (!unacked_) {
    unacked_ = std::make_unique<Unacked>();
    awaitAck(later(since, progress_));
  }
  if (!unacked_) return;
  unacked_->frames.push({frame.packet.length, frame.began});
  if (heard) unacked_->heard = earlier(unacked_->heard, at);
}

// Whether an ACK for what ends at last_bit_ reaches the sender.
bool Wire::ackComes() {
  const LinkRetry& llr = *setup_.retry;
  const Picoseconds sent = last_bit_ + llr.question;
  return !losesSet(sent, sent + llr.way_back, llr.nack_loss, ack_random_);
}

// At `at` an ACK comes for everything that has arrived.
void Wire::hear(Picoseconds at) {
  progress_ = at;
  unacked_.reset();
}

// The frames for which no ACK has come are repeated when the timer has run out that runs from
// `since` on; not if an outage begins before that which LLR does not wait for, and which makes it
// forget them.
void Wire::awaitAck(Picoseconds since) {
  unacked_->since = since;
  unacked_->due = timerEnd(since);
  for (std::size_t i = next_outage_; i < setup_.outages.size(); ++i) {
    if (setup_.outages[i].down >= unacked_->due) return;
    if (!isWaitedFor(setup_.outages[i])) {
      unacked_.reset();
      return;
    }
  }
}

bool Wire::hopeless() const {
  constexpr double kLeastChance = 1e-9;
  if (!retry_ || setup_.retry->max_replays || setup_.retry->data_age != kNever) {
    return false;
  }
  const double bits = 8.0 * retry_->frames.front().packet.length;
  return std::exp(bits * std::log1p(-setup_.bit_error_rate)) < kLeastChance;
}

Picoseconds Wire::nextReplay() const {
  if (retry_) return retryDue();
  return unacked_ ? dueOrTooOld(unacked_->due, unacked_->frames.front().began) : kNever;
}

Picoseconds Wire::dueOrTooOld(Picoseconds due, Picoseconds began) const {
  const Picoseconds age = setup_.retry->data_age;
  return age == kNever ? due : earlier(due, began + age);
}

Picoseconds Wire::retryDue() const {
  // Within a round the frames follow each other; what the wire is doing is the caller's to know.
  if (!retry_->waiting || retry_->sent != retry_->frames.size()) return free_at_;
  return dueOrTooOld(retry_->due, retry_->frames.front().began);
}

// A frame of which LLR does not know that it has arrived, sent first when it `began`, is.
bool Wire::tooOld(Picoseconds began, Picoseconds now) const {
  return dueOrTooOld(kNever, began) <= now;
}

// What LLR still holds is lost.
void Wire::giveUp(DropReason reason, Picoseconds now) {
  for (; !retry_->frames.empty(); retry_->frames.pop()) {
    drop(retry_->frames.front().packet, reason, now);
  }
  retry_.reset();
  unacked_.reset();
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
    if (!losesSet(sent, sent + setup_.propagation, llr.init_loss, set_random_) &&
        !losesSet(echoed, echoed + llr.way_back, llr.nack_loss, set_random_)) {
      return sent + llr.answer;
    }
  }
}

void Wire::replay(Picoseconds first_bit) {
  if (!retry_) {
    repeat(first_bit);
    return;
  }
  Retry& retry = *retry_;
  if (tooOld(retry.frames.front().began, first_bit)) {
    flush(DropReason::kAge, first_bit);
    return;
  }
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
  occupyAgain(packet.length, first_bit);
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
  if (unacked_) awaitAck(last_bit_);  // the timer did not run while frames were replayed
  arrived(retry.frames.front(), first_bit, last_bit_);
  retry.frames.pop();
  if (retry.frames.empty()) retry_.reset();
}

// A frame that has arrived is sent again because the sender does not know it. The receiver drops it
// and says once more how far it has come: with an ACK, or a NACK if the copy is damaged.
void Wire::repeat(Picoseconds first_bit) {
  free_at_ = later(free_at_, first_bit);
  Unacked& unacked = *unacked_;
  if (unacked.heard <= first_bit) {
    hear(unacked.heard);
    return;
  }
  const bool used_up = unacked.sent == 0 && unacked.rounds == setup_.retry->max_replays;
  if (used_up || tooOld(unacked.frames.front().began, first_bit)) {
    unacked_.reset();
    free_at_ = initialised(first_bit);
    return;
  }
  unacked.rounds += unsigned{unacked.sent == 0};
  const std::int64_t length = unacked.frames.at(unacked.sent).length;
  occupyAgain(length, first_bit);
  const bool cut = goesDown(first_bit, last_bit_ + setup_.propagation);
  if (cut && !waitsForCable()) {
    unacked_.reset();
    return;
  }
  if (!cut) {
    const bool hit = damaged(length);
    const bool heard = ackComes();
    counters_.damaged += unsigned{hit};
    counters_.nacks += unsigned{hit};
    counters_.nacks_lost += unsigned{hit && !heard};
    if (heard) unacked.heard = earlier(unacked.heard, last_bit_ + setup_.retry->answer);
  }
  const bool last = ++unacked.sent == unacked.frames.size();
  if (unacked.heard <= free_at_ || (last && unacked.heard != kNever)) {
    hear(unacked.heard);  // before the next one could begin
  } else if (last) {
    unacked.sent = 0;
    awaitAck(cut ? setup_.outages[next_outage_].up : last_bit_);
  } else {
    unacked.due = free_at_;
  }
}

void Wire::occupyAgain(std::int64_t length, Picoseconds first_bit) {
  occupy(length, first_bit);
  aside_until_ = last_bit_;
  ++counters_.replayed;
  counters_.replayed_bytes += static_cast<std::uint64_t>(length);
}

}  // namespace plumbline::fabric
