// Why a trial on a simulated fabric ended with frames inside, in words.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "fabric/engine/fabric.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::bench {

// Of a fabric with frames inside that no pending event moves on.
std::string standstillFault(const fabric::Fabric& fabric, const fabric::SwitchSpec& switches);

// Of a trial that gave up waiting for `frames` after `drain`.
std::string drainFault(std::uint64_t frames, Picoseconds drain);

}  // namespace plumbline::bench
