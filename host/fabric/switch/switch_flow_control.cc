// PFC with its watchdog, and CBFC.
#include <algorithm>
#include <bit>

#include "fabric/engine/bits.h"
#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {

void SwitchNode::obey(std::uint32_t port, const LinkControl& item, Picoseconds now) {
  if (item.kind == LinkControl::Kind::kConsumed) {
    learnConsumed(port, item, now);
    return;
  }
  Output& out = outputs_[port];
  advance(out, now);
  if (item.kind == LinkControl::Kind::kFreed) {
    out.credits[static_cast<unsigned>(std::countr_zero(item.enabled))].learnFreed(item.value);
  } else {
    out.transmitter.receivePause(item, now);
    if (spec_.pfc && spec_.pfc->watchdog && item.xoff != 0 && poll_ == kNever) startPolling(now);
  }
  if (out.waiting != 0) out.decision = std::max(out.transmitter.freeAt(), now);
  settle(out);
  may_pause_.insert(port);
  setStep(out);
}

// Decides that the sender into `input` is to pause or to go on.
void SwitchNode::askToPause(std::uint32_t input, unsigned priority, bool xoff, Picoseconds now) {
  if (buffer_.pausing(input, priority) != xoff) {
    buffer_.setPausing(input, priority, xoff);
    pausing_ += xoff ? 1U : ~0U;
    if (!strict_) becomeStrict();
  }
  Output& out = outputs_[input];
  const Picoseconds quantum = out.transmitter.clock().serialization(64);
  const std::uint32_t queue = input * 8 + priority;
  if (xoff) {
    refresh_[queue] = now + quantum * spec_.pfc->quanta / 2;
    setBit(refreshing_, queue);
  } else {
    clearBit(refreshing_, queue);
  }
  updateTimer();
  if (xoff) ++out.transmitter.counters().xoff_sent;
  recorder().note({.time = now,
                   .link = out.transmitter.id(),
                   .kind = xoff ? RecordKind::kXoff : RecordKind::kXon,
                   .priority = static_cast<std::uint8_t>(priority),
                   .packet = {}});
  const auto bit = static_cast<PriorityMask>(1U << priority);
  sendPause(input, bit, xoff ? bit : PriorityMask{0}, now);
}

// A PAUSE frame leaves as soon as the wire is free; news until then go into the same frame.
void SwitchNode::sendPause(std::uint32_t port, PriorityMask enabled, PriorityMask xoff,
                           Picoseconds now) {
  Output& out = outputs_[port];
  advance(out, now);
  out.pause_enabled |= enabled;
  out.pause_xoff = static_cast<PriorityMask>((out.pause_xoff & ~enabled) | xoff);
  out.decision = std::max(out.transmitter.freeAt(), now);
  settle(out);
  setStep(out);
}

void SwitchNode::refreshPauses(Picoseconds now) {
  forEachBit(refreshing_, [&](std::uint32_t queue) {
    if (refresh_[queue] == now) askToPause(queue / 8, queue % 8, true, now);
  });
}

// A frame leaves into a channel with credits.
void SwitchNode::consume(Output& out, unsigned priority, std::int64_t length, Picoseconds now) {
  out.credits[channels_.of(priority)].consume(creditsOf(*spec_.cbfc, length));
  if (consumed_due_[out.port] == kNever && !out.consumed_waiting) setConsumedTimer(out.port, now);
}

// A fabric in which nothing moves stays quiet: the time runs only while the receiver does not know
// of all that was consumed.
void SwitchNode::setConsumedTimer(std::uint32_t port, Picoseconds now) {
  if (spec_.cbfc->consumed_period == Picoseconds(0)) return;
  consumed_due_[port] = now + spec_.cbfc->consumed_period;
  timer_ = std::min(timer_, consumed_due_[port]);
}

// A CC_Update leaves as soon as the wire is free.
void SwitchNode::queueConsumed(std::uint32_t port, Picoseconds now) {
  consumed_due_[port] = kNever;
  Output& out = outputs_[port];
  advance(out, now);
  out.consumed_waiting = true;
  out.decision = std::max(out.transmitter.freeAt(), now);
  setStep(out);
}

void SwitchNode::tellConsumed(Output& out, Picoseconds now) {
  out.consumed_waiting = false;
  const bool arrives = out.transmitter.sendConsumed(channels_.channels(), out.credits, now);
  if (!arrives && !out.transmitter.goneForGood()) setConsumedTimer(out.port, now);
}

// What was consumed and did not arrive before the CC_Update was lost, and takes no room here.
void SwitchNode::learnConsumed(std::uint32_t input, const LinkControl& item, Picoseconds now) {
  const auto channel = static_cast<unsigned>(std::countr_zero(item.enabled));
  const std::int32_t lost = freed_[input * 8 + channel].credits.learnConsumed(item.value);
  if (lost != 0) free(input, channel, lost, lost * spec_.cbfc->credit_size.count(), now);
}

// `bytes` is what the credits stand for.
void SwitchNode::free(std::uint32_t input, unsigned channel, std::int32_t credits,
                      std::int64_t bytes, Picoseconds now) {
  Freed& freed = freed_[input * 8 + channel];
  freed.credits.free(credits);
  freed.unreported += bytes;
  if (freed.unreported >= spec_.cbfc->update_spacing.count()) {
    tellFreed(input, channel, now);
  } else if (freed.due == kNever) {
    freed.due = now + spec_.cbfc->update_period;
    timer_ = std::min(timer_, freed.due);
  }
}

// CF_Update is an ordered set between frames: it takes no frame's time on the wire.
void SwitchNode::tellFreed(std::uint32_t input, unsigned channel, Picoseconds now) {
  Freed& freed = freed_[input * 8 + channel];
  freed.unreported = 0;
  freed.due = kNever;
  PropagationQueue& queue = outputs_[input].transmitter.queue();
  do {
    queue.sendControl({.at = now + queue.propagation + spec_.cbfc->processing,
                       .enabled = static_cast<PriorityMask>(1U << channel),
                       .kind = LinkControl::Kind::kFreed,
                       .value = freed.credits.tell()});
  } while (freed.credits.untold() != 0);
}

void SwitchNode::runTimer(Picoseconds now) {
  now_ = now;
  if (poll_ == now) pollWatchdog(now);
  refreshPauses(now);
  for (std::size_t i = 0; i < freed_.size(); ++i) {
    if (freed_[i].due == now) {
      tellFreed(static_cast<std::uint32_t>(i / 8), static_cast<unsigned>(i % 8), now);
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
  for (const Freed& freed : freed_) timer_ = std::min(timer_, freed.due);
  for (const Picoseconds time : consumed_due_) timer_ = std::min(timer_, time);
}

// The watchdog polls at multiples of its period, but only while there are pauses to watch: a fabric
// with nothing to do stays quiet.
void SwitchNode::startPolling(Picoseconds now) {
  const Picoseconds period = spec_.pfc->watchdog->poll;
  poll_ = (now / period + 1) * period;
  updateTimer();
}

// The polls only decide when the watchdog looks. How long a queue has stood still, or has seen no
// pause, is measured from the exact time at which that began, so that no phase of the polls against
// a storm makes it longer than it was.
bool SwitchNode::isStuck(Output& out, unsigned priority, Picoseconds now) const {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  if ((out.transmitter.pausedAt(now) & bit) == 0 || (out.waiting & bit) == 0) return false;
  const Picoseconds since =
      later(out.transmitter.pauses().began(priority), out.classes[priority].moved);
  return now - since >= spec_.pfc->watchdog->detection;
}

bool SwitchNode::isRestored(Output& out, unsigned priority, Picoseconds now) const {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  if ((out.transmitter.pausedAt(now) & bit) != 0) return false;
  const Picoseconds since =
      later(out.transmitter.pauses().ended(priority), out.guards[priority].began);
  return now - since >= spec_.pfc->watchdog->restoration;
}

void SwitchNode::pollWatchdog(Picoseconds now) {
  const WatchdogSpec& spec = *spec_.pfc->watchdog;
  poll_ = kNever;
  for (Output& out : outputs_) {
    const PriorityMask paused = out.transmitter.pausedAt(now);
    for (PriorityMask left = lossless_; left != 0; left &= left - 1) {
      const auto p = static_cast<unsigned>(std::countr_zero(left));
      Guard& guard = out.guards[p];
      if (guard.acting ? !isRestored(out, p, now) : !isStuck(out, p, now)) continue;
      guard.acting = !guard.acting;
      if (guard.acting) {
        guard.began = now;
        beginActing(out, p, now);
      } else {
        const auto bit = static_cast<PriorityMask>(1U << p);
        out.discarding &= static_cast<PriorityMask>(~bit);
        out.ignoring &= static_cast<PriorityMask>(~bit);
      }
      recorder().note({.time = now,
                       .link = out.transmitter.id(),
                       .kind = guard.acting ? RecordKind::kWatchdogOn : RecordKind::kWatchdogOff,
                       .priority = static_cast<std::uint8_t>(p),
                       .packet = {}});
    }
    if ((paused & lossless_) != 0 || out.discarding != 0 || out.ignoring != 0) {
      poll_ = now + spec.poll;
    }
  }
}

// It will discard a queue, or let it go, that stands still now, or end that.
bool SwitchNode::watchdogActs(Picoseconds now) {
  if (poll_ == kNever) return false;
  return std::any_of(outputs_.begin(), outputs_.end(), [&](Output& out) {
    return (out.discarding | out.ignoring) != 0 ||
           (out.waiting & out.transmitter.pausedAt(now) & lossless_) != 0;
  });
}

void SwitchNode::beginActing(Output& out, unsigned priority, Picoseconds now) {
  const auto bit = static_cast<PriorityMask>(1U << priority);
  ++out.transmitter.counters().watchdog_events;
  if (spec_.pfc->watchdog->action == WatchdogSpec::Action::kDrop) {
    out.discarding |= bit;
    discardQueue(out, priority, now);
    return;
  }
  out.ignoring |= bit;
  if (out.waiting != 0) out.decision = later(out.transmitter.freeAt(), now);
  setStep(out);
}

void SwitchNode::discardQueue(Output& out, unsigned priority, Picoseconds now) {
  ClassQueue& queue = out.classes[priority].queue;
  while (!queue.empty()) {
    const Queued item = queue.front();
    queue.pop();
    out.transmitter.drop(item.packet, DropReason::kWatchdog, now);
    giveBack(
        out,
        {item.packet.length, item.input, static_cast<std::uint8_t>(priority), item.charge, false},
        now);
  }
  out.waiting &= static_cast<PriorityMask>(~(1U << priority));
}

}  // namespace plumbline::fabric
