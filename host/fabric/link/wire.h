// The sending end of a link: occupancy, outages, bit errors and retry, pauses.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/units.h"
#include "fabric/engine/counters.h"
#include "fabric/engine/recorder.h"
#include "fabric/engine/ring.h"
#include "fabric/engine/schedule.h"
#include "fabric/link/credits.h"
#include "fabric/link/lane.h"
#include "fabric/link/link_retry.h"
#include "fabric/link/wire_clock.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Whoever owns it decides what to send when; the wire says when it is free, what becomes of a frame
// on the way, and which priorities the far end has paused. A frame's fate is known when it is sent,
// because outages come from a script and bit errors from a random stream of the link's own.
class Wire {
 public:
  struct Setup {
    LinkId id = 0;
    BitRate rate;
    std::vector<Outage> outages;
    double bit_error_rate = 0;
    std::uint64_t seed = 1;          // of the link's random stream
    std::optional<LinkRetry> retry;  // none: damaged frames are lost
    Picoseconds propagation;         // of this link
  };

  Wire(Setup setup, Lane& lane, Recorder& recorder);

  [[nodiscard]] LinkId id() const { return setup_.id; }
  [[nodiscard]] const WireClock& clock() const { return clock_; }
  [[nodiscard]] Lane& lane() const { return lane_; }
  // It never fails, has no errors, loses no ACK, and the far end has paused nothing that is not
  // forgotten yet.
  [[nodiscard]] bool unhindered() const { return perfect_ && pause_mask_ == 0; }
  // When the next first bit may leave.
  [[nodiscard]] Picoseconds freeAt() const { return free_at_; }
  // When the last bit of the last frame has left.
  [[nodiscard]] Picoseconds lastBitAt() const { return last_bit_; }

  // Of the last frame that was sent, what is still to leave at `now`.
  [[nodiscard]] Onwards onwards(Picoseconds now) const;
  // LLR repeats a frame that will not get through: once in 10^9 attempts at most, however often.
  [[nodiscard]] bool hopeless() const;

  // A frame leaves with its first bit at `first_bit`, not before freeAt(). `behind`: bytes that it
  // leaves in its queue, for observers.
  void send(const Packet& packet, Picoseconds first_bit, std::int64_t behind = 0) {
    count(packet, first_bit, behind);
    if (perfect_) {
      lane_.send(packet, first_bit, last_bit_);
    } else {
      transmit(packet, first_bit);
    }
  }
  // The same of the frame that was filled in at lane().place().
  void sendPlaced(Picoseconds first_bit) {
    count(lane_.placed(), first_bit, 0);
    if (perfect_) {
      lane_.sendPlaced(first_bit, last_bit_);
    } else {
      const Packet packet = lane_.placed();
      transmit(packet, first_bit);
    }
  }
  // A packet as it came in leaves on a wire that is unhindered(), while nobody observes departures:
  // it counts one more hop.
  void relay(const Packet& packet, Picoseconds first_bit) {
    count(packet.length, first_bit);
    Packet& relayed = lane_.place();
    relayed = packet;
    relayed.hops = packet.hops + 1U;  // of what is at hand, not of what is on its way to memory
    lane_.sendPlaced(first_bit, last_bit_);
  }
  // Frames that leave one after the other on a wire that is unhindered(), while nobody observes
  // departures. What every frame changes is kept here until end(); nobody else uses the wire.
  // Inlined, by order, lest its members are in memory for somebody else's sake.
  class Burst {
   public:
    explicit Burst(Wire& wire)
        : wire_(wire),
          flights_(wire.lane_.flight),
          free_at_(wire.free_at_),
          last_bit_(wire.last_bit_) {}

    // As of the wire.
    [[nodiscard]] Picoseconds freeAt() const { return free_at_; }
    [[nodiscard]] Picoseconds lastBitAt() const { return last_bit_; }

    [[gnu::always_inline]] void send(const Packet& packet, Picoseconds first_bit) {
      append(packet, first_bit);
    }
    // The same of a packet as it came in: it counts one more hop, and has a mark if it is `marked`.
    [[gnu::always_inline]] void forward(const Packet& packet, bool marked, Picoseconds first_bit) {
      Packet& appended = append(packet, first_bit);
      appended.hops = packet.hops + 1U;  // of what is at hand, not of what is on its way to memory
      if (marked) appended.ce = true;
    }
    // The same without a mark; it counts one more hop if it is `fresh`, and not from a queue.
    [[gnu::always_inline]] void relay(const Packet& packet, bool fresh, Picoseconds first_bit) {
      append(packet, first_bit).hops = packet.hops + unsigned{fresh};
    }
    // send() in two steps: a frame that may be filled in where it will travel, and that it was.
    [[nodiscard, gnu::always_inline]] Packet& place() {
      return flights_.slot(wire_.lane_.flight).packet;
    }
    [[gnu::always_inline]] void sendPlaced(Picoseconds first_bit) {
      Flight& flight = flights_.opened();
      flights_.add();
      leave(flight, flight.packet.length, first_bit);
    }

    [[gnu::always_inline]] void end() {
      if (flights_.size() == 0) return;
      wire_.free_at_ = free_at_;
      wire_.last_bit_ = last_bit_;
      wire_.counters_.packets += flights_.size();
      wire_.counters_.bytes += bytes_;
      wire_.lane_.announcePacket(flights_.first().at);
      flights_.publish(wire_.lane_.flight);
      bytes_ = 0;
    }

   private:
    static constexpr std::size_t kAhead = 3;  // packets for which the link's memory is fetched

    [[gnu::always_inline]] Packet& append(const Packet& packet, Picoseconds first_bit) {
      Flight& flight = flights_.append(wire_.lane_.flight);
      leave(flight, packet.length, first_bit);
      flight.packet = packet;
      return flight.packet;
    }
    // `length`: of the packet in `flight`, which need not be there yet.
    [[gnu::always_inline]] void leave(Flight& flight, std::int64_t length, Picoseconds first_bit) {
      const Picoseconds serialization = wire_.clock_.serialization(length);
      last_bit_ = first_bit + serialization;
      free_at_ = first_bit + wire_.clock_.slotAfter(serialization, length);
      bytes_ += static_cast<std::uint64_t>(length);
      flight.at = wire_.lane_.handedOver(first_bit, last_bit_);
      flights_.prefetch(flight, kAhead);
    }

    Wire& wire_;
    SpscRing<Flight>::Batch flights_;
    Picoseconds free_at_;
    Picoseconds last_bit_;
    std::uint64_t bytes_ = 0;
  };
  // Damaged frames are sent again from now on, if the spec has LLR.
  void useRetry();

  // A frame sent by somebody who keeps his own clock (a tester's port): the next one must only not
  // overlap with frame and preamble.
  void sendUnpaced(const Packet& packet, Picoseconds first_bit);
  // A PAUSE frame leaves.
  void sendPause(const ControlFlight& pause, Picoseconds first_bit);
  // The same by somebody who keeps his own clock.
  void sendPauseUnpaced(const ControlFlight& pause, Picoseconds first_bit);
  // A CC_Update leaves, with what was consumed of `channels`; not while retrying(), since it would
  // overtake the frames that it speaks of. Returns whether it arrives.
  bool sendConsumed(PriorityMask channels, std::span<const SendingCredits, 8> credits,
                    Picoseconds first_bit);
  // The link has failed for good by the end of the last frame: nothing will ever arrive any more.
  [[nodiscard]] bool goneForGood() const;

  // When what would start at `now` may: when the cable is back, if it is down and LLR waits for it.
  Picoseconds startsAt(Picoseconds now) {
    return perfect_ || !goesDown(now, now) || !waitsForCable() ? now
                                                               : setup_.outages[next_outage_].up;
  }

  // LLR: when a replay is due (kNever without), and the replay of its next frame, or the end of
  // replays that came to nothing or are not needed any more.
  [[nodiscard]] Picoseconds replayAt() const { return perfect_ ? kNever : nextReplay(); }
  void replay(Picoseconds first_bit);
  // LLR has no room for another frame before the replay.
  [[nodiscard]] bool full() const { return retry_ && retry_->bytes >= setup_.retry->buffer; }

  // Frames that LLR still holds back.
  [[nodiscard]] std::size_t retrying() const { return retry_ ? retry_->frames.size() : 0; }

  // A PAUSE frame from the far end takes effect.
  void obey(const ControlFlight& pause, Picoseconds now);
  // Priorities paused at `now`; forgets pauses that have run out.
  PriorityMask pausedAt(Picoseconds now) {
    return now < first_resume_ ? pause_mask_ : expirePauses(now);
  }
  // When the pause of a paused priority began, or the last one of another priority ended (time zero
  // if it never was paused).
  [[nodiscard]] Picoseconds pausedFrom(unsigned priority) const { return paused_from_[priority]; }
  [[nodiscard]] Picoseconds resumedFrom(unsigned priority) const { return resumed_from_[priority]; }
  // When the first of `priorities` runs out of its pause; kNever if none is paused.
  [[nodiscard]] Picoseconds resumesAt(PriorityMask priorities) const {
    return (pause_mask_ & ~priorities) == 0 ? first_resume_ : firstOf(priorities);
  }
  // Adds the pauses still going on to the counters.
  void settlePauses(Picoseconds now);

  [[nodiscard]] LinkCounters& counters() { return counters_; }
  [[nodiscard]] const LinkCounters& counters() const { return counters_; }

  // `packet` ends here.
  void drop(const Packet& packet, DropReason reason, Picoseconds now);

 private:
  // Frames that LLR must send again: the damaged one and everything sent behind it. They are sent
  // in rounds, each from the first one on.
  struct Held {
    Packet packet;
    Picoseconds began;  // its first transmission
  };
  struct Retry {
    Ring<Held> frames;
    std::int64_t bytes = 0;      // of `frames`
    std::size_t sent = 0;        // of `frames` in the current round
    bool waiting = false;        // for the next round, since a frame of this one was damaged
    bool unasked = false;        // for the replay timer: no NACK is on its way
    bool unseen = false;         // the receiver knows of no fault: nothing has come since
    Picoseconds due;             // when the next round begins; kNever while this one goes on
    std::uint32_t replays = 0;   // rounds since a frame got through
    Picoseconds damaged_until;   // end of the first transmission of frames.front()
    bool first_damaged = false;  // frames.front() is the frame that damaged_until speaks of
    bool timed = false;          // and it was sent again because of the replay timer
  };
  // Frames that have arrived without the sender's knowing, since their ACKs were lost. The replay
  // timer repeats them, in rounds, each from the first one on, until it hears of them. Put off
  // while there is a Retry, which mostly makes up for it.
  struct Unacked {
    struct Sent {
      std::int64_t length;
      Picoseconds began;  // its first transmission
    };
    Ring<Sent> frames;
    std::size_t sent = 0;        // of `frames` in the current round
    std::uint32_t rounds = 0;    // begun
    Picoseconds since;           // from then on the timer runs
    Picoseconds due;             // when it has run out, or when the next frame of the round goes
    Picoseconds heard = kNever;  // when an ACK comes after all
  };

  void occupy(std::int64_t length, Picoseconds first_bit) {
    const Picoseconds serialization = clock_.serialization(length);
    last_bit_ = first_bit + serialization;
    free_at_ = first_bit + clock_.slotAfter(serialization, length);
  }
  void count(std::int64_t length, Picoseconds first_bit) {
    occupy(length, first_bit);
    ++counters_.packets;
    counters_.bytes += static_cast<std::uint64_t>(length);
  }
  void count(const Packet& packet, Picoseconds first_bit, std::int64_t behind) {
    count(packet.length, first_bit);
    if (recorder_.wants(RecordKind::kDeparture)) noteDeparture(packet, first_bit, behind);
  }
  void noteDeparture(const Packet& packet, Picoseconds first_bit, std::int64_t behind);
  bool sendControl(Picoseconds first_bit);
  void occupyAgain(std::int64_t length, Picoseconds first_bit);
  [[nodiscard]] Picoseconds nextReplay() const;
  [[nodiscard]] Picoseconds retryDue() const;
  [[nodiscard]] Picoseconds dueOrTooOld(Picoseconds due, Picoseconds began) const;
  [[nodiscard]] bool goesDown(Picoseconds from, Picoseconds until);
  // LLR waits for its end.
  [[nodiscard]] bool isWaitedFor(const Outage& outage) const;
  // The same of the outage that goesDown() has found.
  [[nodiscard]] bool waitsForCable() const { return isWaitedFor(setup_.outages[next_outage_]); }
  [[nodiscard]] bool damaged(std::int64_t length);
  void drawError();
  void transmit(const Packet& packet, Picoseconds first_bit);
  void startRetry(const Packet& packet, Picoseconds first_bit, bool cut);
  void ask(Picoseconds now);
  void awaitTimer(Picoseconds now);
  [[nodiscard]] Picoseconds timerEnd(Picoseconds from) const;
  // Whether an ordered set is lost that is under way, there or back, from `sent` to `until`: by an
  // outage, or by bit errors with probability `loss`.
  [[nodiscard]] bool losesSet(Picoseconds sent, Picoseconds until, double loss,
                              RandomStream& random);
  [[nodiscard]] bool tooOld(Picoseconds began, Picoseconds now) const;
  [[nodiscard]] Picoseconds initialised(Picoseconds now);
  void arrived(const Held& frame, Picoseconds first_bit, Picoseconds since);
  [[nodiscard]] bool ackComes();
  void hear(Picoseconds at);
  void awaitAck(Picoseconds since);
  void repeat(Picoseconds first_bit);
  void deliverReplayed(const Packet& packet, Picoseconds first_bit);
  void giveUp(DropReason reason, Picoseconds now);
  void flush(DropReason reason, Picoseconds now);
  PriorityMask expirePauses(Picoseconds now);
  [[nodiscard]] Picoseconds firstOf(PriorityMask priorities) const;
  void endPause(unsigned priority, Picoseconds now);

  // What every frame touches comes first, the first two members of the counters included.
  Picoseconds free_at_{INT64_MIN};
  Picoseconds last_bit_{INT64_MIN};
  WireClock clock_;
  Lane& lane_;
  Picoseconds first_resume_ = kNever;  // when the first pause runs out
  PriorityMask pause_mask_ = 0;
  bool perfect_ = true;   // never fails, has no errors, and loses no ACK
  bool retries_ = false;  // by LLR
  LinkCounters counters_;
  Recorder& recorder_;
  std::unique_ptr<Retry> retry_;
  std::array<Picoseconds, 8> paused_until_{};
  std::array<Picoseconds, 8> paused_since_{};  // up to where `paused` of the counters has got
  std::array<Picoseconds, 8> paused_from_{};
  std::array<Picoseconds, 8> resumed_from_{};
  Setup setup_;
  std::size_t next_outage_ = 0;
  std::int64_t bits_to_error_ = INT64_MAX;
  std::unique_ptr<Unacked> unacked_;
  Picoseconds aside_until_{INT64_MIN};  // last bit of the last frame that is not in counters.bytes
  Picoseconds progress_{INT64_MIN};     // when the sender last hears of a frame's arrival; LLR only
  RandomStream random_;
  RandomStream set_random_;
  RandomStream ack_random_;
};

}  // namespace plumbline::fabric
