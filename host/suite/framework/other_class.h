// A traffic class for traffic beside a lossless class.
#pragma once

#include <cstdint>
#include <optional>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::suite {

// The highest priority that these switches serve before `priority`, one without PFC where there is
// such. Nothing where there is none: another class would wait for the traffic of `priority` even
// without pauses.
std::optional<std::uint8_t> classServedBefore(const fabric::SwitchSpec& switches,
                                              std::uint8_t priority);

// The same, but only one that they do not pause.
std::optional<std::uint8_t> otherClass(const fabric::SwitchSpec& switches, std::uint8_t priority);

}  // namespace plumbline::suite
