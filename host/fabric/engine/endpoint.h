// What sits on a host's port: the NIC side of the simulated fabric.
#pragma once

#include <span>

#include "base/units.h"
#include "fabric/engine/packet.h"

namespace plumbline::fabric {

// Called by the simulation, always in time order, possibly from another thread than the last time
// but never from two at once. May touch nothing but what belongs to its own host: that, and the
// fact that everything else travels a link, is what makes results independent of threads.
//
// At one instant the order is: pauses taking effect, received packets, wake(), transmit(). So a
// packet that arrives just when the wire becomes free can still be answered in that slot.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // The last bit of `packet` has arrived. To get its first bit's time, subtract its serialisation
  // time on the host's link.
  virtual void receive(const Packet& packet, Picoseconds now) = 0;

  // The host's wire is free: fills in the frame whose first bit (after the SFD) leaves at `now` and
  // returns true, or returns false when there is none. `packet` holds some old one: whoever returns
  // true has filled in all of it but the source. Priorities in `paused` must not be sent.
  // After false it is asked again when something happened to this endpoint: receive(), wake(), or a
  // change of `paused`.
  virtual bool transmit(Picoseconds now, PriorityMask paused, Packet& packet) = 0;

  // The time wakeAt() has come.
  virtual void wake(Picoseconds now) = 0;

  // `packets` will be received next, in this order, and frames sent meanwhile; or, if there are
  // none, something will happen here soon: a chance to fetch memory before it is needed. Must
  // change nothing; may be left out, and need not be complete.
  virtual void expect(std::span<const Packet* const> /*packets*/) const {}
  // Whether expect() does anything.
  [[nodiscard]] bool fetchesAhead() const { return fetches_ahead_; }

  // When wake() is to be called next if nothing else happens before; kNever for not at all. A time
  // that is past means as soon as possible.
  [[nodiscard]] Picoseconds wakeAt() const { return wake_at_; }
  // False: transmit() would return false at any time and change nothing, so that it need not be
  // asked.
  [[nodiscard]] bool hasFrames() const { return has_frames_; }

 protected:
  Endpoint() = default;
  Endpoint(const Endpoint&) = default;
  Endpoint& operator=(const Endpoint&) = default;

  void setWakeAt(Picoseconds time) { wake_at_ = time; }
  void setFetchesAhead(bool fetches_ahead) { fetches_ahead_ = fetches_ahead; }
  // An endpoint that never says so is asked.
  void setHasFrames(bool has_frames) { has_frames_ = has_frames; }

 private:
  Picoseconds wake_at_ = kNever;
  bool has_frames_ = true;
  bool fetches_ahead_ = false;
};

}  // namespace plumbline::fabric
