// Shortest paths between switches.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// The way from a neighbouring switch.
struct Arc {
  std::uint32_t from;  // switch number
  LinkId link;
};

// By switch number: the links from switches that end there and are up, ascending. `down`: by link
// id.
std::vector<std::vector<Arc>> arcsBetweenSwitches(const Topology& topology,
                                                  const std::vector<bool>& down);

// Paths of fewest hops from all switches to one, by breadth-first search against the links'
// direction. `arcs` must outlive the search.
class PathSearch {
 public:
  explicit PathSearch(const std::vector<std::vector<Arc>>& arcs)
      : arcs_(arcs), hops_(arcs.size()), first_links_(arcs.size()) {}

  // To switch number `target`.
  void run(std::uint32_t target);

  // Cables of a shortest path from this switch to the target; run() must have found one.
  [[nodiscard]] std::uint32_t hops(std::uint32_t from) const { return hops_[from]; }
  // Where shortest paths from this switch to the target begin, ascending; empty without a path, and
  // of the target itself.
  [[nodiscard]] const std::vector<LinkId>& firstLinks(std::uint32_t from) const {
    return first_links_[from];
  }

 private:
  const std::vector<std::vector<Arc>>& arcs_;
  std::vector<std::uint32_t> hops_;  // by switch number
  std::vector<std::vector<LinkId>> first_links_;
  std::vector<std::uint32_t> frontier_;
};

}  // namespace plumbline::fabric
