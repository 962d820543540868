// PFC with its watchdog, and CBFC.
#include <algorithm>
#include <bit>

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
    if (item.xoff != 0 && watchdog_.startPolling(now)) updateTimer();
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
    if (!order_.enabled()) order_.start(active_, egress_);
  }
  EgressPort& egress = egress_[ingress];
  const Picoseconds quantum = egress.transmitter.clock().serialization(64);
  if (xoff) {
    refresh_.repeatAt(ingress, priority, now + quantum * spec_.pfc->quanta / 2);
  } else {
    refresh_.end(ingress, priority);
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

// A frame of a priority with credits leaves.
void SwitchNode::consume(EgressPort& egress, unsigned priority, std::int64_t length,
                         Picoseconds now) {
  credits_.consume(egress, priority, length, now);
  timer_ = std::min(timer_, credits_.consumedDue(egress.number));
}

// A CC_Update leaves as soon as the wire is free.
void SwitchNode::queueConsumed(std::uint32_t port, Picoseconds now) {
  EgressPort& egress = egress_[port];
  advance(egress, now);
  egress.consumed_waiting = true;
  egress.decision = std::max(egress.transmitter.freeAt(), now);
  setStep(egress);
}

void SwitchNode::sendConsumed(EgressPort& egress, Picoseconds now) {
  egress.consumed_waiting = false;
  const bool arrives =
      egress.transmitter.sendConsumed(credits_.channels().channels(), egress.credits, now);
  if (arrives || egress.transmitter.permanentlyDown()) return;
  credits_.setConsumedTimer(egress.number, now);
  timer_ = std::min(timer_, credits_.consumedDue(egress.number));
}

void SwitchNode::receiveConsumed(std::uint32_t ingress, const LinkControl& item, Picoseconds now) {
  const auto channel = static_cast<unsigned>(std::countr_zero(item.enabled));
  const std::int32_t lost = credits_.learnConsumed(ingress, channel, item.value);
  if (lost != 0) freeCredits(ingress, channel, lost, credits_.bytesOf(lost), now);
}

// `bytes`: of the frame that the credits were for.
void SwitchNode::freeCredits(std::uint32_t ingress, unsigned channel, std::int32_t credits,
                             std::int64_t bytes, Picoseconds now) {
  if (credits_.free(ingress, channel, credits, bytes, now)) {
    sendFreed(ingress, channel, now);
  } else {
    timer_ = std::min(timer_, credits_.freedDue(ingress, channel));
  }
}

void SwitchNode::sendFreed(std::uint32_t ingress, unsigned channel, Picoseconds now) {
  credits_.sendFreed(ingress, channel, egress_[ingress].transmitter.queue(), now);
}

void SwitchNode::runTimer(Picoseconds now) {
  now_ = now;
  if (watchdog_.next() == now) pollWatchdog(now);
  refresh_.forEachDue(now, [&](std::uint32_t ingress, unsigned priority) {
    requestPause(ingress, priority, true, now);
  });
  credits_.forEachFreedDue(
      now, [&](std::uint32_t ingress, unsigned channel) { sendFreed(ingress, channel, now); });
  credits_.forEachConsumedDue(now, [&](std::uint32_t port) { queueConsumed(port, now); });
  updateTimer();
}

void SwitchNode::updateTimer() {
  timer_ = earlier(watchdog_.next(), earlier(refresh_.next(), credits_.next()));
}

void SwitchNode::pollWatchdog(Picoseconds now) {
  watchdog_.poll(egress_, now, [&](EgressPort& egress, unsigned priority) {
    const bool acting = egress.watchdogs[priority].acting;
    if (acting) {
      beginActing(egress, priority, now);
    } else {
      const auto bit = static_cast<PriorityMask>(1U << priority);
      egress.discarding &= static_cast<PriorityMask>(~bit);
      egress.ignoring &= static_cast<PriorityMask>(~bit);
    }
    recorder().note({.time = now,
                     .link = egress.transmitter.id(),
                     .kind = acting ? RecordKind::kWatchdogOn : RecordKind::kWatchdogOff,
                     .priority = static_cast<std::uint8_t>(priority),
                     .packet = {}});
  });
}

void SwitchNode::beginActing(EgressPort& egress, unsigned priority, Picoseconds now) {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  ++egress.transmitter.counters().watchdog_events;
  if (watchdog_.action() == WatchdogSpec::Action::kDrop) {
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
