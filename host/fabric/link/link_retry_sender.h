// Link-level retry (LLR) at the sending end of a link (docs/model/switch.md, "Bit errors and LLR").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/random.h"
#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/ring.h"
#include "fabric/engine/schedule.h"
#include "fabric/link/link_retry.h"

namespace plumbline::fabric {

class LinkFaults;
class Transmitter;

// Holds the frames that the receiver has not taken, and says when they are sent again. What it
// sends leaves through the transmitter that owns it, which is passed to each call that sends.
class LinkRetrySender {
 public:
  // `seed`: of the link's random streams.
  LinkRetrySender(const LinkRetry& spec, std::uint64_t seed);

  // The last frame of `transmitter` was cut off by an outage that LLR bridges, was damaged, or
  // neither.
  void noteSent(Transmitter& transmitter, const Packet& packet, Picoseconds first_bit, bool cut,
                bool damaged);
  // Sends the next frame of a replay, or ends a replay that is no longer needed. replayAt() is not
  // later than `first_bit`.
  void replay(Transmitter& transmitter, Picoseconds first_bit);

  // When the next replay is due on a wire that is free at `free_at`; kNever without one.
  [[nodiscard]] Picoseconds replayAt(Picoseconds free_at) const;
  // The replay buffer has no room for another frame.
  [[nodiscard]] bool full() const { return replay_ && replay_->bytes >= spec_.buffer; }
  // Frames in the replay buffer that the receiver has not taken.
  [[nodiscard]] std::size_t held() const { return replay_ ? replay_->frames.size() : 0; }
  // With that rate of errors per bit, the first of these frames gets through with a probability
  // below 10^-9, and LLR never gives it up.
  [[nodiscard]] bool retriesInVain(double bit_error_rate) const;

 private:
  struct ReplayFrame {
    Packet packet;
    Picoseconds began;  // its first transmission
  };
  // The frames to be sent again: the damaged one and all frames sent after it. They are sent in
  // rounds, each from the first frame on.
  struct Replay {
    Ring<ReplayFrame> frames;
    std::int64_t bytes = 0;      // of `frames`
    std::size_t sent = 0;        // of `frames` in the current round
    bool waiting = false;        // for the next round, because a frame of this one was damaged
    bool on_timer = false;       // the replay timer starts that round: no NACK is on its way
    bool unseen = false;         // the receiver knows of no fault: nothing has arrived since
    Picoseconds due;             // when the next round begins; kNever during a round
    std::uint32_t rounds = 0;    // since a frame got through
    Picoseconds damaged_until;   // end of the first transmission of frames.front()
    bool first_damaged = false;  // frames.front() is the frame that damaged_until refers to
    bool timed = false;          // and it was sent again because of the replay timer
  };
  // Frames that have arrived while the sender does not know it, because their ACKs were lost. The
  // replay timer repeats them, in rounds from the first one on, until an ACK arrives. They wait
  // during a Replay, whose ACKs mostly cover them.
  struct Unacked {
    struct Sent {
      std::int64_t length;
      Picoseconds began;  // its first transmission
    };
    Ring<Sent> frames;
    std::size_t sent = 0;           // of `frames` in the current round
    std::uint32_t rounds = 0;       // begun
    Picoseconds since;              // start of the replay timer
    Picoseconds due;                // its expiry, or the next frame of the round
    Picoseconds acked_at = kNever;  // when an ACK arrives after all
  };

  void startReplay(Transmitter& transmitter, const Packet& packet, Picoseconds first_bit, bool cut);
  void deliverReplayed(Transmitter& transmitter, const Packet& packet, Picoseconds first_bit);
  void repeatUnacked(Transmitter& transmitter, Picoseconds first_bit);
  static void occupyAgain(Transmitter& transmitter, std::int64_t length, Picoseconds first_bit);
  void deliver(Transmitter& transmitter, const ReplayFrame& frame, Picoseconds first_bit,
               Picoseconds since);
  void requestReplay(Transmitter& transmitter, Picoseconds now);
  void startReplayTimer(const LinkFaults& faults, Picoseconds now);
  void startAckTimer(const LinkFaults& faults, Picoseconds since);
  [[nodiscard]] Picoseconds timerExpiry(const LinkFaults& faults, Picoseconds start) const;
  void acknowledge(Picoseconds at);
  [[nodiscard]] bool ackArrives(const Transmitter& transmitter);
  [[nodiscard]] static bool losesOrderedSet(const LinkFaults& faults, Picoseconds sent,
                                            Picoseconds until, double loss, RandomStream& random);
  [[nodiscard]] Picoseconds dueOrTooOld(Picoseconds due, Picoseconds began) const;
  [[nodiscard]] bool tooOld(Picoseconds began, Picoseconds now) const;
  void giveUp(Transmitter& transmitter, DropReason reason, Picoseconds now);
  void flush(Transmitter& transmitter, DropReason reason, Picoseconds now);
  [[nodiscard]] Picoseconds initialised(Transmitter& transmitter, Picoseconds now);

  LinkRetry spec_;
  std::unique_ptr<Replay> replay_;
  std::unique_ptr<Unacked> unacked_;
  Picoseconds progress_{INT64_MIN};  // when the sender last learns of a frame's arrival
  RandomStream set_random_;
  RandomStream ack_random_;
};

}  // namespace plumbline::fabric
