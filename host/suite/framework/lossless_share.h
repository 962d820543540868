// Load that a simulated DUT carries without loss, estimated before the measurement: the expected
// result of a search for it, for a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "suite/framework/trials.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Approximate share of line rate, 1 at most, at which `load` passes the scenario's DUT for
// `duration` without loss. A few frames of every stream and queue pair are sent on simulated hosts,
// far below the capacity of any link; the load of each link shows which one is full first, and the
// buffer in front of it how much longer an overload remains hidden. `load.rate` is ignored.
double losslessShare(const TestConfig& config, Load load, Picoseconds duration);

// Most bytes that a switch of `topology` can buffer for one overloaded port while all others are
// empty: one with the fewest ports, where they share a buffer. The same holds of the functions
// below.
double bufferOfPort(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology);

// Whether a switch trims frames of `format` that find a long queue: for the receiver they are lost.
bool isTrimmed(const fabric::SwitchSpec& switches, const bench::FrameFormat& format);

// Bytes of frames of `format` that may wait for such a port without loss: those that fit, as far as
// they are not trimmed.
double queueOfPort(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology,
                   const bench::FrameFormat& format);

// Whether PFC protects frames of `priority` from loss by pausing their senders.
bool isLossless(const fabric::SwitchSpec& switches, std::uint8_t priority);
// Whether a frame of `priority` needs credits to be sent.
bool hasCredits(const fabric::SwitchSpec& switches, std::uint8_t priority);

// Input of a switch whose sender is held back.
struct ControlledInput {
  double bytes = 0;             // that it may hold, while all others are empty, until it is
  const char* control = "PFC";  // or "CBFC"
  const char* what = "";        // `bytes` is
};
// Input of frames of `priority`; nothing without flow control.
std::optional<ControlledInput> controlledInput(const fabric::SwitchSpec& switches,
                                               const fabric::TopologySpec& topology,
                                               std::uint8_t priority);

// What holds back senders of the traffic's frames: "PFC"; of a simulated DUT also "CBFC", and
// "LLR", whose replays occupy links with bit errors.
const char* flowControlOf(const TestConfig& config);

// The buffer in words: "1000000 B of buffer per port", "64000000 B of buffer shared by all ports,
// alpha 1: 32000000 B for one", or "31000000 to 32000000 B for one" where numbers of ports differ.
std::string bufferText(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology);

}  // namespace plumbline::suite
