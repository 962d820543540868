// The card with its path to the host's memory, Verilated: what a host sees behind PCIe.
#pragma once

#include <memory>

#include "sim/card_model.h"

namespace plumbline::sim {

// A card of two ports for CardSim, beside the memory that it can reach.
std::unique_ptr<CardModel> makeHostCardModel();

}  // namespace plumbline::sim
