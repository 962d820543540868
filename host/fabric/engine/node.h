// What the engine knows of a node, switch or host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/engine/bits.h"
#include "fabric/engine/recorder.h"
#include "fabric/link/propagation_queue.h"

namespace plumbline::fabric {

// A node depends on nothing but what its propagation queues hand over: it can be run through a
// window of time without regard to the others, as long as they hold all that is due in it. How the
// time is cut into windows makes no difference to what happens.
//
// At one instant, at one node: pauses and credits take effect, in the order of the ports; last bits
// leave and give their buffer back; packets are handed over, in the order of the ports; timers;
// frames start. So a frame that gets ready just when the wire is free can be the next one on it.
class NodeModel : public PagedObject {
 public:
  explicit NodeModel(std::uint32_t ports)
      : due_(ports, kNever), busy_(ports), has_control_(ports) {}
  virtual ~NodeModel() = default;
  NodeModel(const NodeModel&) = delete;
  NodeModel& operator=(const NodeModel&) = delete;

  // Does everything before `end`, of which nothing is before `begin`. Returns when there is more to
  // do, as far as it knows: what others send meanwhile is not counted.
  virtual Picoseconds run(Picoseconds begin, Picoseconds end) = 0;

  // It will be run soon: a chance to fetch memory that is needed then. Changes nothing.
  virtual void prefetch() const {}

  // --- Between two runs, when everything up to `now` has happened ---

  // Nothing will happen at this node of its own accord any more but repetitions of its PAUSE
  // frames; what may still come from others, and pauses that nobody repeats, are not judged.
  [[nodiscard]] virtual bool settled(Picoseconds now) = 0;
  // Priorities that the far end of its `port` has paused.
  [[nodiscard]] virtual PriorityMask pausedOn(std::uint32_t port, Picoseconds now) = 0;
  // Priorities for which it repeats PAUSE towards the far end of its `port`.
  [[nodiscard]] virtual PriorityMask pausing(std::uint32_t port) const = 0;

  // Something was sent to this node. Not while it runs.
  void announce(const Outbox::Note& note) {
    due_[note.port] = earlier(due_[note.port], note.time);
    busy_.insert(note.port);
    if (note.control) has_control_.insert(note.port);
  }
  [[nodiscard]] Recorder& recorder() { return recorder_; }

 protected:
  // When each port has the next thing to hand over, as far as it was told; and the ports that have
  // anything. For the node to keep up to date, if it wants to know.
  [[nodiscard]] PagedVector<Picoseconds>& due() { return due_; }
  [[nodiscard]] const PagedVector<Picoseconds>& due() const { return due_; }
  [[nodiscard]] NumberSet& busy() { return busy_; }
  // Whether anything but packets was sent to `port` since this was last asked.
  bool takeControlFlag(std::uint32_t port) {
    const bool any = has_control_.contains(port);
    if (any) has_control_.erase(port);
    return any;
  }

 private:
  PagedVector<Picoseconds> due_;
  NumberSet busy_;
  NumberSet has_control_;  // ports to which anything but packets was sent
  Recorder recorder_;
};

}  // namespace plumbline::fabric
