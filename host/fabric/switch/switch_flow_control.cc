// PFC with its watchdog, and CBFC.
#include <algorithm>
#include <bit>

#include "fabric/engine/bits.h"
#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {

void SwitchNode::receiveControl(const ArrivalBatch::Control& control, Picoseconds now) {
  const LinkControl& item = control.message;
  if (item.kind == LinkControl::Kind::kConsumed) {
    receiveConsumed(control.port, item, now);
    return;
  }
  EgressPort& egress = egress_[control.port];
  advance(egress, now);
  if (item.kind == LinkControl::Kind::kFreed) {
    egress.credits[static_cast<unsigned>(std::countr_zero(item.enabled))].learnFreed(item.value);
  } else {
    egress.transmitter.receivePause(item, now);
    if (spec_.pfc && spec_.pfc->watchdog && item.xoff != 0 && poll_ == kNever) startPolling(now);
  }
  if (egress.waiting != 0) egress.decision = std::max(egress.transmitter.freeAt(), now);
  updateRestrictions(egress);
  maybe_paused_.insert(control.port);
  setStep(egress);
}

// Tells the sender into `ingress` to pause or to resume.
void SwitchNode::requestPause(std::uint32_t ingress, unsigned priority, bool xoff,
                              Picoseconds now) {
  if (buffer_.pausing(ingress, priority) != xoff) {
    buffer_.setPausing(ingress, priority, xoff);
    pausing_ += xoff ? 1U : ~0U;
    if (!time_ordered_) startTimeOrder();
  }
  EgressPort& egress = egress_[ingress];
  const Picoseconds quantum = egress.transmitter.clock().serialization(64);
  const std::uint32_t queue = ingress * 8 + priority;
  if (xoff) {
    refresh_[queue] = now + quantum * spec_.pfc->quanta / 2;
    setBit(refreshing_, queue);
  } else {
    clearBit(refreshing_, queue);
  }
  updateTimer();
  if (xoff) ++egress.transmitter.counters().xoff_sent;
  recorder().note({.time = now,
                   .link = egress.transmitter.id(),
                   .kind = xoff ? RecordKind::kXoff : RecordKind::kXon,
                   .priority = static_cast<std::uint8_t>(priority),
                   .packet = {}});
  const auto bit = static_cast<PriorityMask>(1U << priority);
  sendPause(ingress, bit, xoff ? bit : PriorityMask{0}, now);
}

// A PAUSE frame leaves as soon as the wire is free. Changes until then are sent in the same frame.
void SwitchNode::sendPause(std::uint32_t port, PriorityMask enabled, PriorityMask xoff,
                           Picoseconds now) {
  EgressPort& egress = egress_[port];
  advance(egress, now);
  egress.pause_enabled |= enabled;
  egress.pause_xoff = static_cast<PriorityMask>((egress.pause_xoff & ~enabled) | xoff);
  egress.decision = std::max(egress.transmitter.freeAt(), now);
  updateRestrictions(egress);
  setStep(egress);
}

void SwitchNode::refreshPauses(Picoseconds now) {
  forEachBit(refreshing_, [&](std::uint32_t queue) {
    if (refresh_[queue] == now) requestPause(queue / 8, queue % 8, true, now);
  });
}

// A frame of a priority with credits leaves.
void SwitchNode::consume(EgressPort& egress, unsigned priority, std::int64_t length,
                         Picoseconds now) {
  egress.credits[channels_.of(priority)].consume(creditsOf(*spec_.cbfc, length));
  if (consumed_due_[egress.number] == kNever && !egress.consumed_waiting)
    setConsumedTimer(egress.number, now);
}

// The timer runs only while there are consumed credits to report, so that an idle fabric has no
// events.
void SwitchNode::setConsumedTimer(std::uint32_t port, Picoseconds now) {
  if (spec_.cbfc->consumed_period == Picoseconds(0)) return;
  consumed_due_[port] = now + spec_.cbfc->consumed_period;
  timer_ = std::min(timer_, consumed_due_[port]);
}

// A CC_Update leaves as soon as the wire is free.
void SwitchNode::queueConsumed(std::uint32_t port, Picoseconds now) {
  consumed_due_[port] = kNever;
  EgressPort& egress = egress_[port];
  advance(egress, now);
  egress.consumed_waiting = true;
  egress.decision = std::max(egress.transmitter.freeAt(), now);
  setStep(egress);
}

void SwitchNode::sendConsumed(EgressPort& egress, Picoseconds now) {
  egress.consumed_waiting = false;
  const bool arrives = egress.transmitter.sendConsumed(channels_.channels(), egress.credits, now);
  if (!arrives && !egress.transmitter.permanentlyDown()) setConsumedTimer(egress.number, now);
}

// Frames that were sent and have not arrived before the CC_Update are lost: their credits are free.
void SwitchNode::receiveConsumed(std::uint32_t ingress, const LinkControl& item, Picoseconds now) {
  const auto channel = static_cast<unsigned>(std::countr_zero(item.enabled));
  const std::int32_t lost =
      ingress_credits_[ingress * 8 + channel].credits.learnConsumed(item.value);
  if (lost != 0) free(ingress, channel, lost, lost * spec_.cbfc->credit_size.count(), now);
}

// `bytes`: of the frame that the credits were for.
void SwitchNode::free(std::uint32_t ingress, unsigned channel, std::int32_t credits,
                      std::int64_t bytes, Picoseconds now) {
  IngressCredits& freed = ingress_credits_[ingress * 8 + channel];
  freed.credits.free(credits);
  freed.unreported += bytes;
  if (freed.unreported >= spec_.cbfc->update_spacing.count()) {
    sendFreed(ingress, channel, now);
  } else if (freed.due == kNever) {
    freed.due = now + spec_.cbfc->update_period;
    timer_ = std::min(timer_, freed.due);
  }
}

// A CF_Update is an ordered set between frames and does not occupy the wire.
void SwitchNode::sendFreed(std::uint32_t ingress, unsigned channel, Picoseconds now) {
  IngressCredits& freed = ingress_credits_[ingress * 8 + channel];
  freed.unreported = 0;
  freed.due = kNever;
  PropagationQueue& queue = egress_[ingress].transmitter.queue();
  do {
    queue.sendControl({.at = now + queue.propagation + spec_.cbfc->processing,
                       .enabled = static_cast<PriorityMask>(1U << channel),
                       .kind = LinkControl::Kind::kFreed,
                       .value = freed.credits.reportFreed()});
  } while (freed.credits.unreported() != 0);
}

void SwitchNode::runTimer(Picoseconds now) {
  now_ = now;
  if (poll_ == now) pollWatchdog(now);
  refreshPauses(now);
  for (std::size_t i = 0; i < ingress_credits_.size(); ++i) {
    if (ingress_credits_[i].due == now) {
      sendFreed(static_cast<std::uint32_t>(i / 8), static_cast<unsigned>(i % 8), now);
    }
  }
  for (std::uint32_t port = 0; port < consumed_due_.size(); ++port) {
    if (consumed_due_[port] == now) queueConsumed(port, now);
  }
  updateTimer();
}

void SwitchNode::updateTimer() {
  timer_ = poll_;
  forEachBit(refreshing_, [&](std::uint32_t queue) { timer_ = earlier(timer_, refresh_[queue]); });
  for (const IngressCredits& freed : ingress_credits_) timer_ = std::min(timer_, freed.due);
  for (const Picoseconds time : consumed_due_) timer_ = std::min(timer_, time);
}

// The watchdog polls at multiples of its period, but only while there are pauses, so that an idle
// fabric has no events.
void SwitchNode::startPolling(Picoseconds now) {
  const Picoseconds period = spec_.pfc->watchdog->poll;
  poll_ = (now / period + 1) * period;
  updateTimer();
}

// Polls only determine when the watchdog acts. How long a queue has been stuck, or not paused, is
// measured from the exact begin, so that the result does not depend on the phase of the polls
// against a storm.
bool SwitchNode::isStuck(EgressPort& egress, unsigned priority, Picoseconds now) const {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  if ((egress.transmitter.pausedAt(now) & bit) == 0 || (egress.waiting & bit) == 0) return false;
  const Picoseconds since =
      later(egress.transmitter.pauses().began(priority), egress.queues[priority].progress_at);
  return now - since >= spec_.pfc->watchdog->detection;
}

bool SwitchNode::isRestored(EgressPort& egress, unsigned priority, Picoseconds now) const {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  if ((egress.transmitter.pausedAt(now) & bit) != 0) return false;
  const Picoseconds since =
      later(egress.transmitter.pauses().ended(priority), egress.watchdogs[priority].began);
  return now - since >= spec_.pfc->watchdog->restoration;
}

void SwitchNode::pollWatchdog(Picoseconds now) {
  const WatchdogSpec& spec = *spec_.pfc->watchdog;
  poll_ = kNever;
  for (EgressPort& egress : egress_) {
    const PriorityMask paused = egress.transmitter.pausedAt(now);
    for (PriorityMask left = lossless_; left != 0; left &= left - 1) {
      const auto p = static_cast<unsigned>(std::countr_zero(left));
      EgressPort::Watchdog& watchdog = egress.watchdogs[p];
      if (watchdog.acting ? !isRestored(egress, p, now) : !isStuck(egress, p, now)) continue;
      watchdog.acting = !watchdog.acting;
      if (watchdog.acting) {
        watchdog.began = now;
        beginActing(egress, p, now);
      } else {
        const auto bit = static_cast<PriorityMask>(1U << p);
        egress.discarding &= static_cast<PriorityMask>(~bit);
        egress.ignoring &= static_cast<PriorityMask>(~bit);
      }
      recorder().note({.time = now,
                       .link = egress.transmitter.id(),
                       .kind = watchdog.acting ? RecordKind::kWatchdogOn : RecordKind::kWatchdogOff,
                       .priority = static_cast<std::uint8_t>(p),
                       .packet = {}});
    }
    if ((paused & lossless_) != 0 || egress.discarding != 0 || egress.ignoring != 0) {
      poll_ = now + spec.poll;
    }
  }
}

// Whether the watchdog acts on a queue, or may act on one that is stuck now.
bool SwitchNode::watchdogActs(Picoseconds now) {
  if (poll_ == kNever) return false;
  return std::any_of(egress_.begin(), egress_.end(), [&](EgressPort& egress) {
    return (egress.discarding | egress.ignoring) != 0 ||
           (egress.waiting & egress.transmitter.pausedAt(now) & lossless_) != 0;
  });
}

void SwitchNode::beginActing(EgressPort& egress, unsigned priority, Picoseconds now) {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  ++egress.transmitter.counters().watchdog_events;
  if (spec_.pfc->watchdog->action == WatchdogSpec::Action::kDrop) {
    egress.discarding |= bit;
    discardQueue(egress, priority, now);
    return;
  }
  egress.ignoring |= bit;
  if (egress.waiting != 0) egress.decision = later(egress.transmitter.freeAt(), now);
  setStep(egress);
}

void SwitchNode::discardQueue(EgressPort& egress, unsigned priority, Picoseconds now) {
  FrameQueue& queue = egress.queues[priority].frames;
  while (!queue.empty()) {
    const QueuedFrame frame = queue.front();
    queue.pop();
    egress.transmitter.drop(frame.packet, DropReason::kWatchdog, now);
    releaseBuffer(egress,
                  {.length = frame.packet.length,
                   .ingress = frame.ingress,
                   .priority = static_cast<std::uint8_t>(priority),
                   .charge = frame.charge},
                  now);
  }
  egress.waiting &= static_cast<PriorityMask>(~(1U << priority));
}

}  // namespace plumbline::fabric
