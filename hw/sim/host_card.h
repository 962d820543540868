// The Verilated card with its interface to the host's memory: a card behind PCIe.
#pragma once

#include <memory>

#include "sim/card_model.h"

namespace plumbline::sim {

// A card of two ports for CardSim, beside the memory that it can access.
std::unique_ptr<CardModel> makeHostCardModel();

}  // namespace plumbline::sim
