// What the engine knows of a node, switch or host.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/lane.h"
#include "fabric/recorder.h"

namespace plumbline::fabric {

// A node depends on nothing but what its lanes hand it: it can be run through a window of time
// without regard to the others, as long as the window is no longer than the shortest link. How the
// time is cut into windows makes no difference to what happens.
//
// At one instant, at one node: pauses and credits take effect, in the order of the ports; last bits
// leave and give their buffer back; packets are handed over, in the order of the ports; timers;
// frames start. So a frame that gets ready just when the wire is free can be the next one on it.
class NodeModel {
 public:
  explicit NodeModel(std::uint32_t ports) : fresh_((ports + 63) / 64) {}
  virtual ~NodeModel() = default;
  NodeModel(const NodeModel&) = delete;
  NodeModel& operator=(const NodeModel&) = delete;

  // Does everything before `end`, of which nothing is before `begin`. Returns when there is more to
  // do, as far as it knows: what others send meanwhile is not counted.
  virtual Picoseconds run(Picoseconds begin, Picoseconds end) = 0;

  // Lanes into which this node sent since the engine last emptied it.
  [[nodiscard]] std::vector<Lane*>& outbox() { return outbox_; }
  // Something was sent to `port`. Not while the node runs.
  void announce(std::uint32_t port) { fresh_[port / 64] |= std::uint64_t{1} << (port % 64); }
  [[nodiscard]] Recorder& recorder() { return recorder_; }

 protected:
  // Ports to which something was sent, bit each; whoever looks clears them.
  [[nodiscard]] std::vector<std::uint64_t>& fresh() { return fresh_; }

 private:
  std::vector<std::uint64_t> fresh_;
  std::vector<Lane*> outbox_;
  Recorder recorder_;
};

}  // namespace plumbline::fabric
