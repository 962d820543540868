// How much of a load a simulated DUT carries without loss, looked at before anything is measured:
// what a search for it will come to, for a plan.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "suite/framework/trials.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Share of line rate, 1 at most, at which `load` passes the scenario's DUT for `duration` without a
// frame lost, roughly. A few frames of every stream and queue pair are sent on simulated hosts, far
// below what any link carries; what each link had to carry of them says which is full first, and
// the buffer before it how much longer an overload is hidden. `load.rate` does not matter.
double losslessShare(const TestConfig& config, Load load, Picoseconds duration);

// Bytes that a switch keeps for one port which has more to send than it can, others being empty.
double bufferOfPort(const fabric::SwitchSpec& switches);

// PFC keeps frames of `priority` from being lost: senders are paused instead.
bool isLossless(const fabric::SwitchSpec& switches, std::uint8_t priority);

// The buffer in words: "1000000 B of buffer per port", "64000000 B of buffer shared by all ports,
// alpha 1: 32000000 B for one".
std::string bufferText(const fabric::SwitchSpec& switches);

}  // namespace plumbline::suite
