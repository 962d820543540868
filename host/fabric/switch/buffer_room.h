// How many bytes a switch can hold, by its SwitchSpec (docs/model/switch.md, "Buffer").
#pragma once

#include <cstdint>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// Z of a switch with `ports` ports: its shared buffer without reserves and headrooms. Needs a
// shared buffer.
Bytes sharedPart(const SwitchSpec& switches, std::uint32_t ports);

// Longest queue of a lossy priority at one output of such a switch while all others are empty: the
// buffer of a port; q <= alpha * (Z - (q - reserve)) of a shared one, or its reserve.
Bytes longestLossyQueue(const SwitchSpec& switches, std::uint32_t ports);

// Bytes of a lossless priority from one input at which such a switch pauses its sender while all
// others are empty: xoff; a dynamic one is alpha * (Z - xoff). Needs PFC.
Bytes pauseThreshold(const SwitchSpec& switches, std::uint32_t ports);

}  // namespace plumbline::fabric
