// The NIC side of a host's port.
#pragma once

#include <span>

#include "base/units.h"
#include "fabric/engine/packet.h"

namespace plumbline::fabric {

// Called by the simulation in time order, possibly from different threads but never from two at
// once. It may only access data of its own host. As hosts affect each other only over links,
// results are then independent of threads.
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
  // returns true, or returns false when there is none. `packet` holds an old frame: before it
  // returns true, transmit() must fill in all of it but the source. Priorities in `paused` must not
  // be sent. After false it is called again after receive(), wake(), or a change of `paused`, not
  // before that.
  virtual bool transmit(Picoseconds now, PriorityMask paused, Packet& packet) = 0;

  // The time of wakeAt() has been reached.
  virtual void wake(Picoseconds now) = 0;

  // `packets` will be received next, in this order, and frames sent meanwhile; or, if there are
  // none, the endpoint will be called soon. Serves to fetch memory ahead; must change nothing, and
  // may be called with a part of the packets or not at all.
  virtual void expect(std::span<const Packet* const> /*packets*/) const {}
  // Whether expect() does anything.
  [[nodiscard]] bool fetchesAhead() const { return fetches_ahead_; }

  // When wake() is to be called next if there is no event before; kNever for not at all. A time in
  // the past means as soon as possible.
  [[nodiscard]] Picoseconds wakeAt() const { return wake_at_; }
  // False: transmit() would return false at any time and change nothing, so that it is not
  // called.
  [[nodiscard]] bool hasFrames() const { return has_frames_; }

 protected:
  Endpoint() = default;
  Endpoint(const Endpoint&) = default;
  Endpoint& operator=(const Endpoint&) = default;

  void setWakeAt(Picoseconds time) { wake_at_ = time; }
  void setFetchesAhead(bool fetches_ahead) { fetches_ahead_ = fetches_ahead; }
  // Without an override transmit() is called.
  void setHasFrames(bool has_frames) { has_frames_ = has_frames; }

 private:
  Picoseconds wake_at_ = kNever;
  bool has_frames_ = true;
  bool fetches_ahead_ = false;
};

}  // namespace plumbline::fabric
