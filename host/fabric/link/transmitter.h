// The sending end of a link: serialisation of frames, their propagation, and received pauses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "fabric/engine/counters.h"
#include "fabric/engine/recorder.h"
#include "fabric/engine/schedule.h"
#include "fabric/link/credits.h"
#include "fabric/link/link_faults.h"
#include "fabric/link/link_retry.h"
#include "fabric/link/link_retry_sender.h"
#include "fabric/link/pause_state.h"
#include "fabric/link/propagation_queue.h"
#include "fabric/link/wire_clock.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Its owner decides what to send when. The transmitter says when the wire is free, what becomes of
// a frame on the way, and which priorities the far end has paused. Frames are sent in three ways:
//   send()           any frame, at any link;
//   slot(), commit() the same, with the frame assembled where it propagates;
//   Burst            several frames of an ideal() link, with the transmitter's state in registers.
class Transmitter {
 public:
  struct Setup {
    LinkId id = 0;
    BitRate rate;
    std::vector<Outage> outages;
    double bit_error_rate = 0;
    std::uint64_t seed = 1;          // of the link's random streams
    std::optional<LinkRetry> retry;  // none: damaged frames are lost
    Picoseconds propagation;         // of this link
  };
  class Burst;

  Transmitter(Setup setup, PropagationQueue& queue, Recorder& recorder);

  [[nodiscard]] LinkId id() const { return setup_.id; }
  [[nodiscard]] const WireClock& clock() const { return clock_; }
  [[nodiscard]] PropagationQueue& queue() const { return queue_; }
  // The link has no outages, no bit errors and no lost ACKs, and the far end has paused nothing.
  [[nodiscard]] bool ideal() const { return reliable_ && paused_ == 0; }
  // Earliest first bit of the next frame.
  [[nodiscard]] Picoseconds freeAt() const { return wire_.free_at; }
  // Last bit of the last frame.
  [[nodiscard]] Picoseconds lastBitAt() const { return wire_.last_bit; }
  // Last bit of the last frame that is no MAC control frame; before 0 without any.
  [[nodiscard]] Picoseconds lastPacketBitAt() const {
    return wire_.last_bit == control_bit_ ? packet_bit_ : wire_.last_bit;
  }
  // The part of the last frame that has still to leave at `now`.
  [[nodiscard]] UnsentRest unsentRest(Picoseconds now) const;

  // --- Sending. `first_bit` is not before freeAt().

  // `behind`: bytes that the frame leaves in its queue, for observers.
  void send(const Packet& packet, Picoseconds first_bit, std::int64_t behind = 0) {
    count(packet, first_bit, behind);
    if (reliable_) {
      queue_.send(packet, first_bit, wire_.last_bit);
    } else {
      sendUnreliably(packet, first_bit);
    }
  }
  [[nodiscard]] Packet& slot() { return queue_.slot(); }
  void commit(Picoseconds first_bit) {
    count(queue_.filledSlot(), first_bit, 0);
    if (reliable_) {
      queue_.commit(first_bit, wire_.last_bit);
    } else {
      const Packet packet = queue_.filledSlot();
      sendUnreliably(packet, first_bit);
    }
  }
  void sendPause(const LinkControl& pause, Picoseconds first_bit);
  // Sends a CC_Update with what was consumed of `channels`; not while retrying(), since it would
  // overtake the frames that it reports. Returns whether it arrives.
  bool sendConsumed(PriorityMask channels, std::span<const SendingCredits, 8> credits,
                    Picoseconds first_bit);
  // After a frame of `length` bytes from a sender with a clock of its own (a tester's port): the
  // next frame must only not overlap with the preamble and bits of this one.
  void waiveGap(std::int64_t length, Picoseconds first_bit) {
    wire_.free_at = first_bit + clock_.frameAndPreamble(length);
  }

  // --- Outages and link-level retry

  // Frames are sent with LLR from now on, if the setup has it.
  void enableRetry();
  // When a frame that is ready at `now` may start: LLR waits for the end of a short outage.
  [[nodiscard]] Picoseconds startsAt(Picoseconds now) {
    return !reliable_ && faults_.outageIn(now, now) && bridgesOutage() ? faults_.nextOutage().up
                                                                       : now;
  }
  // The link has failed for good by the end of the last frame: nothing arrives any more.
  [[nodiscard]] bool permanentlyDown() const;
  // When the next replay is due; kNever without one. replay() sends its frame, or ends replays that
  // are no longer needed.
  [[nodiscard]] Picoseconds replayAt() const {
    return reliable_ || !retry_ ? kNever : retry_->replayAt(wire_.free_at);
  }
  void replay(Picoseconds first_bit) { retry_->replay(*this, first_bit); }
  // The replay buffer has no room for another frame.
  [[nodiscard]] bool full() const { return retry_ && retry_->full(); }
  // Frames in the replay buffer.
  [[nodiscard]] std::size_t retrying() const { return retry_ ? retry_->held() : 0; }
  // LLR repeats a frame that gets through with a probability below 10^-9.
  [[nodiscard]] bool retriesInVain() const {
    return retry_ && retry_->retriesInVain(faults_.bitErrorRate());
  }

  // --- PFC

  // A PAUSE frame from the far end takes effect.
  void receivePause(const LinkControl& pause, Picoseconds now);
  // Priorities paused at `now`. Ends pauses that have expired.
  PriorityMask pausedAt(Picoseconds now) {
    return now < first_expiry_ ? paused_ : expirePauses(now);
  }
  // When the first of `priorities` is resumed by expiry; kNever if none is paused.
  [[nodiscard]] Picoseconds resumesAt(PriorityMask priorities) const {
    return (paused_ & ~priorities) == 0 ? first_expiry_ : pauses_.firstExpiry(priorities);
  }
  [[nodiscard]] const PauseState& pauses() const { return pauses_; }
  // Adds the pauses in progress to the counters.
  void countPauses(Picoseconds now);

  // --- Counters and records

  [[nodiscard]] LinkCounters& counters() { return counters_; }
  [[nodiscard]] const LinkCounters& counters() const { return counters_; }
  // `packet` is lost here.
  void drop(const Packet& packet, DropReason reason, Picoseconds now);

 private:
  friend class LinkRetrySender;

  void count(const Packet& packet, Picoseconds first_bit, std::int64_t behind) {
    wire_.occupy(clock_, packet.length, first_bit);
    ++counters_.packets;
    counters_.bytes += static_cast<std::uint64_t>(packet.length);
    if (recorder_.accepts(RecordKind::kDeparture)) recordDeparture(packet, first_bit, behind);
  }
  void recordDeparture(const Packet& packet, Picoseconds first_bit, std::int64_t behind);
  void sendUnreliably(const Packet& packet, Picoseconds first_bit);
  bool sendControlFrame(Picoseconds first_bit);
  // Occupies the wire with a frame that LinkCounters::bytes does not count.
  void occupyUncounted(std::int64_t length, Picoseconds first_bit) {
    wire_.occupy(clock_, length, first_bit);
    uncounted_until_ = wire_.last_bit;
  }
  // For LinkRetrySender: the last frame arrives; the next frame starts at `time` or later.
  void deliver(const Packet& packet, Picoseconds first_bit) {
    queue_.send(packet, first_bit, wire_.last_bit);
  }
  void blockUntil(Picoseconds time) { wire_.free_at = time; }
  // LLR waits for the end of the outage that was found last.
  [[nodiscard]] bool bridgesOutage() const { return retry_ && faults_.nextOutage().bridged; }
  PriorityMask expirePauses(Picoseconds now);
  void updatePaused() {
    paused_ = pauses_.mask();
    first_expiry_ = pauses_.firstExpiry();
  }
  [[nodiscard]] PauseState::Port pausedPort() { return {setup_.id, counters_, recorder_}; }

  // What every frame needs comes first, the first two members of the counters included.
  WireOccupancy wire_;
  WireClock clock_;
  PropagationQueue& queue_;
  Picoseconds first_expiry_ = kNever;  // of pauses_
  PriorityMask paused_ = 0;            // of pauses_
  bool reliable_ = true;               // no outages, no bit errors, no lost ACKs
  LinkCounters counters_;
  Recorder& recorder_;
  std::unique_ptr<LinkRetrySender> retry_;
  PauseState pauses_;
  Setup setup_;                             // without the outages
  Picoseconds uncounted_until_{INT64_MIN};  // last bit of the last frame not in counters.bytes
  Picoseconds control_bit_{INT64_MIN};      // last bit of the last MAC control frame
  Picoseconds packet_bit_{INT64_MIN};       // lastPacketBitAt() before that frame
  LinkFaults faults_;
};

// Frames that leave one after the other on an ideal() link while departures are not observed. What
// every frame changes is kept here until end(), and nothing else uses the transmitter meanwhile.
class Transmitter::Burst {
 public:
  explicit Burst(Transmitter& transmitter)
      : transmitter_(transmitter), packets_(transmitter.queue_.packets), wire_(transmitter.wire_) {}

  // As of the transmitter.
  [[nodiscard]] Picoseconds freeAt() const { return wire_.free_at; }
  [[nodiscard]] Picoseconds lastBitAt() const { return wire_.last_bit; }

  // Sends a copy of `packet` and returns it, to be changed before the next frame is sent.
  Packet& send(const Packet& packet, Picoseconds first_bit) {
    InFlightPacket& sent = packets_.append(transmitter_.queue_.packets);
    count(sent, packet.length, first_bit);
    sent.packet = packet;
    return sent.packet;
  }
  // The same in two steps, as in the transmitter.
  [[nodiscard]] Packet& slot() { return packets_.slot(transmitter_.queue_.packets).packet; }
  void commit(Picoseconds first_bit) {
    InFlightPacket& sent = packets_.opened();
    packets_.add();
    count(sent, sent.packet.length, first_bit);
  }

  void end() {
    if (packets_.size() == 0) return;
    transmitter_.wire_ = wire_;
    transmitter_.counters_.packets += packets_.size();
    transmitter_.counters_.bytes += bytes_;
    transmitter_.queue_.notePacket(packets_.first().at);
    packets_.publish(transmitter_.queue_.packets);
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kAhead = 3;  // packets for which the queue's memory is fetched

  // `length`: of the packet that is to be written to `sent`.
  void count(InFlightPacket& sent, std::int64_t length, Picoseconds first_bit) {
    wire_.occupy(transmitter_.clock_, length, first_bit);
    bytes_ += static_cast<std::uint64_t>(length);
    sent.at = transmitter_.queue_.handOverTime(first_bit, wire_.last_bit);
    packets_.prefetch(sent, kAhead);
  }

  Transmitter& transmitter_;
  SpscRing<InFlightPacket>::Batch packets_;
  WireOccupancy wire_;
  std::uint64_t bytes_ = 0;
};

}  // namespace plumbline::fabric
