// Which nodes of a graph run together, and how far ahead of the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// The nodes are divided into two groups that take turns. In a tree, every link joins nodes of
// different groups: hosts and spines in one group, leaves in the other. Nodes of one group then do
// not affect each other directly, and when the turn of the other group comes it knows everything
// that this one has done. So each turn is as long as the delay there and back, not only as long as
// the shortest link. In a graph with odd cycles the groups are the switches and the hosts.
inline constexpr std::size_t kPhases = 2;

// By node: the group it belongs to, 0 or 1.
std::vector<std::uint8_t> phasesOf(const Topology& topology);

// The time up to which each group has been simulated.
class PhaseClock {
 public:
  // An event at a node of group `from` affects nodes of group `to` after `delay` (> 0) at the
  // earliest.
  void limit(std::size_t from, std::size_t to, Picoseconds delay) {
    reach_[from][to] = earlier(reach_[from][to], delay);
  }

  // Time up to which the group, or every group, has been simulated.
  [[nodiscard]] Picoseconds done(std::size_t phase) const { return done_[phase]; }
  [[nodiscard]] Picoseconds done() const { return earlier(done_[0], done_[1]); }
  void setDone(std::size_t phase, Picoseconds time) { done_[phase] = time; }
  // There are no events before `time`.
  void skipTo(Picoseconds time) {
    for (Picoseconds& done : done_) done = later(done, time);
  }
  // Time up to which the group can be run.
  [[nodiscard]] Picoseconds horizon(std::size_t phase) const {
    Picoseconds horizon = kNever;
    for (std::size_t from = 0; from < kPhases; ++from) {
      if (reach_[from][phase] == kNever) continue;
      horizon = earlier(horizon, done_[from] + reach_[from][phase]);
    }
    return horizon;
  }

 private:
  std::array<Picoseconds, kPhases> done_{};
  std::array<std::array<Picoseconds, kPhases>, kPhases> reach_{
      {{kNever, kNever}, {kNever, kNever}}};
};

}  // namespace plumbline::fabric
