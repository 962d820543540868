// A simulated card that is compared clock by clock with plumb_card as in hardware, Verilated as one
// model: without clock gates, early pins and other features of simulations only
// (docs/simulation-speed.md).
#pragma once

#include <cstdint>
#include <memory>

#include "sim/card_model.h"

namespace plumbline::sim {

// Every output must be the same at the end of every clock; fall() throws Error(kTester) otherwise.
// Throws Error(kUnsupported) when plumb_card was not built with this number of ports.
std::unique_ptr<CardModel> makeComparedCard(std::uint32_t ports);

}  // namespace plumbline::sim
