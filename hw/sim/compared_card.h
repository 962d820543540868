// A simulated card held, clock by clock, against plumb_card as it is in hardware, Verilated as one
// model: without clock gates, early pins and the rest that only simulations have
// (docs/simulation-speed.md).
#pragma once

#include <cstdint>
#include <memory>

#include "sim/card_model.h"

namespace plumbline::sim {

// Every output must be the same at the end of every clock; fall() throws Error(kTester) otherwise.
// Throws Error(kUnsupported) when plumb_card was not built with so many ports.
std::unique_ptr<CardModel> makeComparedCard(std::uint32_t ports);

}  // namespace plumbline::sim
