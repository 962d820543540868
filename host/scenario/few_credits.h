// Credits of CBFC that never let a frame of the scenario leave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "scenario/key_places.h"
#include "scenario/scenario.h"

namespace plumbline::scenario {

struct FewCredits {
  std::string place;  // as of KeyPlaces
  std::uint32_t credits = 0;
  Bytes frame;  // the longest of the data
  std::int32_t needed = 0;
  bool for_all = false;  // no data of the transport, or of the traffic, ever leaves

  // "a frame of 4174 B needs more than 10 credits to leave: no data is ever sent"
  [[nodiscard]] std::string what() const;
  [[nodiscard]] std::string allowed() const;
};

// Of the channels of the transport's data and of the traffic; nothing for a DUT that is not
// simulated.
std::vector<FewCredits> fewCredits(const Scenario& scenario, const KeyPlaces& places);

}  // namespace plumbline::scenario
