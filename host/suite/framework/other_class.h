// A traffic class for traffic beside a lossless class.
#pragma once

#include <cstdint>
#include <optional>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::suite {

// The highest priority other than `priority` that these switches do not pause; nothing where they
// pause all others. Not the lowest one: by strict priority it would wait for the other traffic even
// without pauses.
std::optional<std::uint8_t> otherClass(const fabric::SwitchSpec& switches, std::uint8_t priority);

}  // namespace plumbline::suite
