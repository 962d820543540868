// How much PFC headroom a link needs so that nothing is lost behind a PAUSE (docs/model/switch.md,
// "PFC").
#pragma once

#include <cstddef>
#include <optional>

#include "base/units.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Of the switch input at the far end of `link`, for frames of at most `longest` bytes (with FCS):
// (L+20) + 84 + R·(2d + λ + response)/8 + (L+20), rounded up. `switches.pfc` must be set.
Bytes headroomNeed(const Link& link, const SwitchSpec& switches, Bytes longest);

struct HeadroomNeed {
  LinkId link = kNoLink;        // into a switch; of several alike the first
  Bytes bytes;                  // that it needs
  std::size_t short_of_it = 0;  // links into switches that need more than the spec's headroom
  std::size_t links = 0;        // links into switches
};

// The link that needs the most. Nothing without PFC or without switches.
std::optional<HeadroomNeed> largestHeadroomNeed(const Topology& topology,
                                                const SwitchSpec& switches, Bytes longest);

}  // namespace plumbline::fabric
