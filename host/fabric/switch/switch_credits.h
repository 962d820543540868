// CBFC of a switch: credits of its ingress ports and channels, and when which totals are reported.
#pragma once

#include <cstdint>
#include <optional>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/link/credits.h"
#include "fabric/link/propagation_queue.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/switch/egress_port.h"

namespace plumbline::fabric {

// A CF_Update reports credits that an ingress port has freed, a CC_Update those that an egress port
// has consumed. The timer of a CC_Update runs only while there are consumed credits to report, so
// that an idle fabric has no events.
class SwitchCredits {
 public:
  // `spec` must outlive it; without CBFC only channels() and next() may be called.
  SwitchCredits(const std::optional<CbfcSpec>& spec, std::uint32_t ports);

  [[nodiscard]] const VirtualChannels& channels() const { return channels_; }
  [[nodiscard]] unsigned channelOf(unsigned priority) const { return channels_.of(priority); }
  [[nodiscard]] std::int32_t creditsFor(std::int64_t length) const {
    return creditsOf(*spec_, length);
  }
  // Of `candidates`, those whose first frame has credits on its channel.
  [[nodiscard]] PriorityMask covered(const EgressPort& egress, PriorityMask candidates) const;
  // The earliest report that is due by time; kNever without one.
  [[nodiscard]] Picoseconds next() const;

  // --- Ingress ports: freed credits

  // A frame has arrived.
  void arrive(std::uint32_t ingress, unsigned priority, std::int64_t length) {
    freed(ingress, channelOf(priority)).credits.arrive(creditsFor(length));
  }
  // `bytes`: of the frames that the credits were for. Returns whether a CF_Update is due at once;
  // else it is due by time.
  [[nodiscard]] bool free(std::uint32_t ingress, unsigned channel, std::int32_t credits,
                          std::int64_t bytes, Picoseconds now);
  [[nodiscard]] Picoseconds freedDue(std::uint32_t ingress, unsigned channel) {
    return freed(ingress, channel).due;
  }
  // A CC_Update arrived. Returns the credits of frames that were sent and have not arrived before
  // it: these are lost, and their credits are to be freed.
  [[nodiscard]] std::int32_t learnConsumed(std::uint32_t ingress, unsigned channel,
                                           std::uint32_t total) {
    return freed(ingress, channel).credits.learnConsumed(total);
  }
  [[nodiscard]] std::int64_t bytesOf(std::int32_t credits) const {
    return credits * spec_->credit_size.count();
  }
  // Sends CF_Updates to the sender, ordered sets between frames that do not occupy the wire.
  void sendFreed(std::uint32_t ingress, unsigned channel, PropagationQueue& to_sender,
                 Picoseconds now);
  // Calls `send` with ingress port and channel of each CF_Update that is due at `now`.
  template <typename Send>
  void forEachFreedDue(Picoseconds now, Send&& send) const {
    for (std::size_t i = 0; i < freed_.size(); ++i) {
      if (freed_[i].due == now) {
        send(static_cast<std::uint32_t>(i / 8), static_cast<unsigned>(i % 8));
      }
    }
  }

  // --- Egress ports: consumed credits

  // A frame of that priority leaves.
  void consume(EgressPort& egress, unsigned priority, std::int64_t length, Picoseconds now) {
    egress.credits[channelOf(priority)].consume(creditsFor(length));
    if (consumed_due_[egress.number] == kNever && !egress.consumed_waiting) {
      setConsumedTimer(egress.number, now);
    }
  }
  void setConsumedTimer(std::uint32_t port, Picoseconds now) {
    if (spec_->consumed_period == Picoseconds(0)) return;
    consumed_due_[port] = now + spec_->consumed_period;
  }
  [[nodiscard]] Picoseconds consumedDue(std::uint32_t port) const { return consumed_due_[port]; }
  // Calls `queue` with each egress port whose CC_Update is due at `now`, and stops its timer.
  template <typename Queue>
  void forEachConsumedDue(Picoseconds now, Queue&& queue) {
    for (std::uint32_t port = 0; port < consumed_due_.size(); ++port) {
      if (consumed_due_[port] != now) continue;
      consumed_due_[port] = kNever;
      queue(port);
    }
  }

 private:
  // Of one ingress port and channel.
  struct Freed {
    ReceivingCredits credits;
    std::int64_t unreported = 0;  // bytes since the last CF_Update
    Picoseconds due = kNever;     // of the next CF_Update
  };
  [[nodiscard]] Freed& freed(std::uint32_t ingress, unsigned channel) {
    return freed_[ingress * 8 + channel];
  }

  const CbfcSpec* spec_;
  VirtualChannels channels_;
  PagedVector<Freed> freed_;               // [ingress][channel]
  PagedVector<Picoseconds> consumed_due_;  // by egress port: of the next CC_Update
};

}  // namespace plumbline::fabric
