#include "sim/host_card.h"

#include "VPlumbHostCard2.h"
#include "sim/verilated_model.h"

namespace plumbline::sim {

std::unique_ptr<CardModel> makeHostCardModel() {
  return std::make_unique<VerilatedCard<VPlumbHostCard2>>();
}

}  // namespace plumbline::sim
