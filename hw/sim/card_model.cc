#include "sim/card_model.h"

#include <string>

#include "base/error.h"
#include "sim/simulated_card.h"
#ifdef PLUMBLINE_CARD_SIM_COMPARE
#include "sim/compared_card.h"
#endif

namespace plumbline::sim {

std::unique_ptr<CardModel> makeCardModel(std::uint32_t ports) {
  if (ports < 1 || ports > kMaxCardPorts) {
    throw Error(ErrorKind::kUnsupported,
                "there is no simulated card with " + std::to_string(ports) + " ports", {},
                "1 to " + std::to_string(kMaxCardPorts) + " ports");
  }
#ifdef PLUMBLINE_CARD_SIM_COMPARE
  return makeComparedCard(ports);
#else
  return std::make_unique<SimulatedCard>(ports);
#endif
}

}  // namespace plumbline::sim
