// Load that a simulated DUT carries without loss, estimated before the measurement: the expected
// result of a search for it, for a plan.
#pragma once

#include <cstdint>
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

// Bytes that one input may hold before and after it has paused its sender while all others are
// empty: xoff and headroom. Needs PFC.
double inputUnderPfc(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology);

// Whether PFC protects frames of `priority` from loss by pausing their senders.
bool isLossless(const fabric::SwitchSpec& switches, std::uint8_t priority);

// The flow control that holds back senders of such frames: "PFC", or "CBFC" of a simulated DUT.
const char* flowControlOf(const TestConfig& config);

// The buffer in words: "1000000 B of buffer per port", "64000000 B of buffer shared by all ports,
// alpha 1: 32000000 B for one", or "31000000 to 32000000 B for one" where numbers of ports differ.
std::string bufferText(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology);

}  // namespace plumbline::suite
