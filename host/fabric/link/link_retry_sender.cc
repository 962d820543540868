#include "fabric/link/link_retry_sender.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fabric/link/transmitter.h"

namespace plumbline::fabric {

LinkRetrySender::LinkRetrySender(const LinkRetry& spec, std::uint64_t seed)
    : spec_(spec), set_random_(seed, "lost ordered sets"), ack_random_(seed, "lost ACKs") {}

void LinkRetrySender::noteSent(Transmitter& transmitter, const Packet& packet,
                               Picoseconds first_bit, bool cut, bool damaged) {
  if (replay_) {  // after a damaged frame the receiver discards all others
    replay_->frames.push({packet, first_bit});
    replay_->bytes += packet.length;
    ++replay_->sent;
    if (replay_->unseen && !cut) requestReplay(transmitter, first_bit);
  } else if (damaged || cut) {
    startReplay(transmitter, packet, first_bit, cut);
  } else {
    deliver(transmitter, {packet, first_bit}, first_bit, first_bit);
  }
}

void LinkRetrySender::startReplay(Transmitter& transmitter, const Packet& packet,
                                  Picoseconds first_bit, bool cut) {
  replay_ = std::make_unique<Replay>();
  replay_->frames.push({packet, first_bit});
  replay_->bytes = packet.length;
  replay_->sent = 1;
  replay_->damaged_until = transmitter.lastBitAt();
  replay_->first_damaged = true;
  replay_->waiting = true;
  replay_->unseen = cut;
  if (cut) {
    startReplayTimer(transmitter.faults_, transmitter.faults_.nextOutage().up);
  } else {
    requestReplay(transmitter, first_bit);
  }
}

// The last frame has shown the receiver a fault: the frame is damaged, or frames before it are
// missing. If the NACK is lost, the replay timer runs from `now` on, unless it runs already.
void LinkRetrySender::requestReplay(Transmitter& transmitter, Picoseconds now) {
  ++transmitter.counters().nacks;
  const bool timer_runs = std::exchange(replay_->unseen, false);
  const Picoseconds last_bit = transmitter.lastBitAt();
  const Picoseconds sent = last_bit + spec_.question;
  if (!losesOrderedSet(transmitter.faults_, sent, sent + spec_.way_back, spec_.nack_loss,
                       set_random_)) {
    replay_->on_timer = false;
    replay_->due = last_bit + spec_.answer;
    if (unacked_) acknowledge(replay_->due);
    return;
  }
  ++transmitter.counters().nacks_lost;
  if (!timer_runs) startReplayTimer(transmitter.faults_, unacked_ ? unacked_->since : now);
}

// The replay timer runs from `now` on, or from the last progress if that is later.
void LinkRetrySender::startReplayTimer(const LinkFaults& faults, Picoseconds now) {
  replay_->on_timer = true;
  replay_->due = timerExpiry(faults, later(now, progress_));
}

// Expiry of a replay timer that starts at `start` and restarts at the end of each outage.
Picoseconds LinkRetrySender::timerExpiry(const LinkFaults& faults, Picoseconds start) const {
  for (const Outage& outage : faults.upcoming()) {
    if (outage.down >= start + spec_.timer || !outage.bridged) break;
    start = later(start, outage.up);
  }
  return start + spec_.timer;
}

// Whether an ordered set that is in flight, in either direction, from `sent` to `until` is lost:
// by an outage, or by bit errors with probability `loss`.
bool LinkRetrySender::losesOrderedSet(const LinkFaults& faults, Picoseconds sent, Picoseconds until,
                                      double loss, RandomStream& random) {
  for (const Outage& outage : faults.upcoming()) {
    if (outage.down <= until && outage.up > sent) return true;
  }
  return loss > 0 && static_cast<double>(random.next() >> 11) * 0x1.0p-53 < loss;
}

// The last frame arrives. If its ACK is lost, the replay timer runs from `since` on, or from the
// last progress if that is later.
void LinkRetrySender::deliver(Transmitter& transmitter, const ReplayFrame& frame,
                              Picoseconds first_bit, Picoseconds since) {
  transmitter.deliver(frame.packet, first_bit);
  const bool acked = ackArrives(transmitter);
  const Picoseconds at = transmitter.lastBitAt() + spec_.answer;
  if (acked && (!unacked_ || at <= unacked_->due)) {
    acknowledge(at);
    return;
  }
  if (!unacked_) {
    unacked_ = std::make_unique<Unacked>();
    startAckTimer(transmitter.faults_, later(since, progress_));
  }
  if (!unacked_) return;
  unacked_->frames.push({frame.packet.length, frame.began});
  if (acked) unacked_->acked_at = earlier(unacked_->acked_at, at);
}

// Whether an ACK of the last frame reaches the sender.
bool LinkRetrySender::ackArrives(const Transmitter& transmitter) {
  const Picoseconds sent = transmitter.lastBitAt() + spec_.question;
  return !losesOrderedSet(transmitter.faults_, sent, sent + spec_.way_back, spec_.nack_loss,
                          ack_random_);
}

// At `at` an ACK arrives for all frames that the receiver has taken.
void LinkRetrySender::acknowledge(Picoseconds at) {
  progress_ = at;
  unacked_.reset();
}

// Frames without an ACK are repeated when the timer that starts at `since` expires. An outage
// before that which LLR does not bridge makes it forget them.
void LinkRetrySender::startAckTimer(const LinkFaults& faults, Picoseconds since) {
  unacked_->since = since;
  unacked_->due = timerExpiry(faults, since);
  for (const Outage& outage : faults.upcoming()) {
    if (outage.down >= unacked_->due) return;
    if (!outage.bridged) {
      unacked_.reset();
      return;
    }
  }
}

bool LinkRetrySender::retriesInVain(double bit_error_rate) const {
  constexpr double kMinSuccessProbability = 1e-9;
  if (!replay_ || spec_.max_replays || spec_.data_age != kNever) return false;
  const double bits = 8.0 * replay_->frames.front().packet.length;
  return std::exp(bits * std::log1p(-bit_error_rate)) < kMinSuccessProbability;
}

Picoseconds LinkRetrySender::replayAt(Picoseconds free_at) const {
  if (!replay_) {
    return unacked_ ? dueOrTooOld(unacked_->due, unacked_->frames.front().began) : kNever;
  }
  // The frames of a round are sent back to back.
  if (!replay_->waiting || replay_->sent != replay_->frames.size()) return free_at;
  return dueOrTooOld(replay_->due, replay_->frames.front().began);
}

Picoseconds LinkRetrySender::dueOrTooOld(Picoseconds due, Picoseconds began) const {
  return spec_.data_age == kNever ? due : earlier(due, began + spec_.data_age);
}

// A frame first sent at `began`, without an ACK so far, has reached the age limit at `now`.
bool LinkRetrySender::tooOld(Picoseconds began, Picoseconds now) const {
  return dueOrTooOld(kNever, began) <= now;
}

// All frames in the replay buffer are lost.
void LinkRetrySender::giveUp(Transmitter& transmitter, DropReason reason, Picoseconds now) {
  for (; !replay_->frames.empty(); replay_->frames.pop()) {
    transmitter.drop(replay_->frames.front().packet, reason, now);
  }
  replay_.reset();
  unacked_.reset();
}

// The same on a link that works: the next frame is sent when both ends have agreed on a sequence
// number.
void LinkRetrySender::flush(Transmitter& transmitter, DropReason reason, Picoseconds now) {
  giveUp(transmitter, reason, now);
  transmitter.blockUntil(initialised(transmitter, now));
}

// When the sender has the ECHO of an INIT. The first INIT is sent at `now`, or at the end of an
// outage, and repeated until neither INIT nor ECHO is lost. If the outage never ends, frames are
// lost there.
Picoseconds LinkRetrySender::initialised(Transmitter& transmitter, Picoseconds now) {
  const LinkFaults& faults = transmitter.faults_;
  for (Picoseconds sent = now;; sent = sent + spec_.init_interval) {
    for (const Outage& outage : faults.upcoming()) {
      if (outage.down > sent) break;
      sent = later(sent, outage.up);
    }
    if (sent == kNever) return now + spec_.answer;
    ++transmitter.counters().inits;
    const Picoseconds echoed = sent + spec_.question;
    if (!losesOrderedSet(faults, sent, sent + transmitter.setup_.propagation, spec_.init_loss,
                         set_random_) &&
        !losesOrderedSet(faults, echoed, echoed + spec_.way_back, spec_.nack_loss, set_random_)) {
      return sent + spec_.answer;
    }
  }
}

void LinkRetrySender::replay(Transmitter& transmitter, Picoseconds first_bit) {
  if (!replay_) {
    repeatUnacked(transmitter, first_bit);
    return;
  }
  Replay& replay = *replay_;
  if (tooOld(replay.frames.front().began, first_bit)) {
    flush(transmitter, DropReason::kAge, first_bit);
    return;
  }
  if (replay.waiting && replay.due <= first_bit) {
    if (replay.rounds == spec_.max_replays) {
      flush(transmitter, DropReason::kReplays, first_bit);
      return;
    }
    ++replay.rounds;
    replay.timed = replay.timed || replay.on_timer;
    replay.waiting = false;
    replay.sent = 0;
  }
  const Packet packet = replay.frames.at(replay.sent).packet;
  occupyAgain(transmitter, packet.length, first_bit);
  LinkFaults& faults = transmitter.faults_;
  const Picoseconds last_bit = transmitter.lastBitAt();
  const bool cut = faults.outageIn(first_bit, last_bit + transmitter.setup_.propagation);
  if (cut && !faults.nextOutage().bridged) {
    giveUp(transmitter, DropReason::kLinkDown, first_bit);
    return;
  }
  const bool damaged = !cut && faults.damages(packet.length);
  if (damaged) ++transmitter.counters().damaged;
  if (!replay.waiting && !damaged && !cut) {
    deliverReplayed(transmitter, packet, first_bit);
    return;
  }
  ++replay.sent;
  if (!replay.waiting) {
    if (!replay.first_damaged) {
      replay.first_damaged = true;
      replay.timed = false;
      replay.damaged_until = last_bit;
    }
    replay.waiting = replay.on_timer = true;
    replay.unseen = cut;
    if (!cut) requestReplay(transmitter, last_bit);
  } else if (replay.unseen && !cut) {
    requestReplay(transmitter, last_bit);
  }
  // The timer does not run while frames are replayed or during an outage.
  if (!replay.on_timer) return;
  if (replay.sent == replay.frames.size()) {
    startReplayTimer(faults, cut ? faults.nextOutage().up : last_bit);
  } else {
    replay.due = kNever;
  }
}

void LinkRetrySender::deliverReplayed(Transmitter& transmitter, const Packet& packet,
                                      Picoseconds first_bit) {
  Replay& replay = *replay_;
  const Picoseconds last_bit = transmitter.lastBitAt();
  if (replay.first_damaged) {
    const Picoseconds latency = last_bit - replay.damaged_until;
    LinkCounters& counters = transmitter.counters();
    ++counters.retries;
    counters.retry_total += latency;
    counters.retry_max = std::max(counters.retry_max, latency);
    transmitter.recorder_.note({.time = first_bit,
                                .link = transmitter.id(),
                                .kind = replay.timed ? RecordKind::kTimedRetry : RecordKind::kRetry,
                                .priority = packet.priority,
                                .value = latency.count(),
                                .packet = packet});
    replay.first_damaged = false;
  }
  replay.rounds = 0;
  replay.bytes -= packet.length;
  // The timer does not run while frames are replayed.
  if (unacked_) startAckTimer(transmitter.faults_, last_bit);
  deliver(transmitter, replay.frames.front(), first_bit, last_bit);
  replay.frames.pop();
  if (replay.frames.empty()) replay_.reset();
}

// Repeats a frame that has arrived while the sender does not know it. The receiver drops the copy
// and answers with its sequence number: with an ACK, or a NACK if the copy is damaged.
void LinkRetrySender::repeatUnacked(Transmitter& transmitter, Picoseconds first_bit) {
  transmitter.blockUntil(later(transmitter.freeAt(), first_bit));
  Unacked& unacked = *unacked_;
  if (unacked.acked_at <= first_bit) {
    acknowledge(unacked.acked_at);
    return;
  }
  const bool used_up = unacked.sent == 0 && unacked.rounds == spec_.max_replays;
  if (used_up || tooOld(unacked.frames.front().began, first_bit)) {
    unacked_.reset();
    transmitter.blockUntil(initialised(transmitter, first_bit));
    return;
  }
  unacked.rounds += unsigned{unacked.sent == 0};
  const std::int64_t length = unacked.frames.at(unacked.sent).length;
  occupyAgain(transmitter, length, first_bit);
  LinkFaults& faults = transmitter.faults_;
  const Picoseconds last_bit = transmitter.lastBitAt();
  const bool cut = faults.outageIn(first_bit, last_bit + transmitter.setup_.propagation);
  if (cut && !faults.nextOutage().bridged) {
    unacked_.reset();
    return;
  }
  if (!cut) {
    const bool damaged = faults.damages(length);
    const bool answered = ackArrives(transmitter);
    LinkCounters& counters = transmitter.counters();
    counters.damaged += unsigned{damaged};
    counters.nacks += unsigned{damaged};
    counters.nacks_lost += unsigned{damaged && !answered};
    if (answered) unacked.acked_at = earlier(unacked.acked_at, last_bit + spec_.answer);
  }
  const bool last = ++unacked.sent == unacked.frames.size();
  if (unacked.acked_at <= transmitter.freeAt() || (last && unacked.acked_at != kNever)) {
    acknowledge(unacked.acked_at);  // before the next frame could start
  } else if (last) {
    unacked.sent = 0;
    startAckTimer(faults, cut ? faults.nextOutage().up : last_bit);
  } else {
    unacked.due = transmitter.freeAt();
  }
}

void LinkRetrySender::occupyAgain(Transmitter& transmitter, std::int64_t length,
                                  Picoseconds first_bit) {
  transmitter.occupyUncounted(length, first_bit);
  ++transmitter.counters().replayed;
  transmitter.counters().replayed_bytes += static_cast<std::uint64_t>(length);
}

}  // namespace plumbline::fabric
