// Which nodes of a graph are run together, and how far ahead of the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// The nodes fall into two groups that take turns. In a tree, every link joins a node of one group
// and a node of the other: hosts and spines, say, and leaves. Then nobody in a group does anything
// to another one in it, and what a group has been run through the other one knows of when its turn
// comes: each turn goes as far as a whole way there and back takes, not only as far as the shortest
// link. In a graph with odd cycles the groups are the switches and the hosts.
inline constexpr std::size_t kPhases = 2;

// By node: the group it belongs to, 0 or 1.
std::vector<std::uint8_t> phasesOf(const Topology& topology);

// How far time has come in each group.
class PhaseClock {
 public:
  // What a node of group `from` does at some time is of no consequence to any of group `to` until
  // `delay` (> 0) later, at the earliest.
  void limit(std::size_t from, std::size_t to, Picoseconds delay) {
    reach_[from][to] = earlier(reach_[from][to], delay);
  }

  // Everything before this has happened in the group, or everywhere.
  [[nodiscard]] Picoseconds done(std::size_t phase) const { return done_[phase]; }
  [[nodiscard]] Picoseconds done() const { return earlier(done_[0], done_[1]); }
  void setDone(std::size_t phase, Picoseconds time) { done_[phase] = time; }
  // Nothing happens anywhere before `time`.
  void skipTo(Picoseconds time) {
    for (Picoseconds& done : done_) done = later(done, time);
  }
  // How far the group can be run, given how far each has come.
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
