// The engine's interface to a node, switch or host.
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

// A node depends only on what its propagation queues hand over: it can be run through a window of
// time independently of other nodes if the queues hold everything that is due in the window. The
// division of time into windows does not influence results.
//
// At one instant, at one node: pauses and credits take effect, in the order of the ports; last bits
// leave and release their buffer; packets are handed over, in the order of the ports; timers;
// frames start. So a frame that is queued at the instant at which the wire becomes free can be the
// next frame.
class NodeModel : public PagedObject {
 public:
  explicit NodeModel(std::uint32_t ports)
      : due_(ports, kNever), busy_(ports), has_control_(ports) {}
  virtual ~NodeModel() = default;
  NodeModel(const NodeModel&) = delete;
  NodeModel& operator=(const NodeModel&) = delete;

  // Executes all events in [begin, end); there are none before `begin`. Returns the time of the
  // next event known to the node, without what other nodes send meanwhile.
  virtual Picoseconds run(Picoseconds begin, Picoseconds end) = 0;

  // Called shortly before run(), to fetch memory. Changes nothing.
  virtual void prefetch() const {}

  // --- Between two runs, when everything up to `now` has happened ---

  // This node has no events any more except repetitions of its PAUSE frames. What other nodes may
  // still send, and pauses that are not repeated, are not considered.
  [[nodiscard]] virtual bool settled(Picoseconds now) = 0;
  // Frames at links whose LLR repeats them for ever (Transmitter::retriesInVain()).
  [[nodiscard]] virtual std::uint64_t retriedInVain() const = 0;
  // Priorities that the far end of its `port` has paused.
  [[nodiscard]] virtual PriorityMask pausedOn(std::uint32_t port, Picoseconds now) = 0;
  // Priorities for which it repeats PAUSE towards the far end of its `port`.
  [[nodiscard]] virtual PriorityMask pausing(std::uint32_t port) const = 0;

  // A packet or control message was sent to this node. Not to be called while the node runs.
  void announce(const Outbox::Note& note) {
    due_[note.port] = earlier(due_[note.port], note.time);
    busy_.insert(note.port);
    if (note.control) has_control_.insert(note.port);
  }
  [[nodiscard]] Recorder& recorder() { return recorder_; }

 protected:
  // When each port hands over its next packet or message, as far as announced; and the ports that
  // have any. To be kept up to date by the node.
  [[nodiscard]] PagedVector<Picoseconds>& due() { return due_; }
  [[nodiscard]] const PagedVector<Picoseconds>& due() const { return due_; }
  [[nodiscard]] NumberSet& busy() { return busy_; }
  // Whether control messages were sent to `port` since the last call.
  bool readControlFlag(std::uint32_t port) {
    const bool any = has_control_.contains(port);
    if (any) has_control_.erase(port);
    return any;
  }

 private:
  PagedVector<Picoseconds> due_;
  NumberSet busy_;
  NumberSet has_control_;  // ports to which control messages were sent
  Recorder recorder_;
};

}  // namespace plumbline::fabric
