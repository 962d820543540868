// The links of the cards' ports during a trial, of cards with MACs of their own: none may be lost,
// and their errors belong to the result.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/card/card_set.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

class TrialLinks {
 public:
  // Port p of the cards is host hosts[p]. Both arguments must outlive the object. For cards without
  // MACs all functions do nothing.
  TrialLinks(CardSet& cards, const std::vector<std::uint32_t>& hosts);

  // Begins to count. Throws Error(kTester) with the reason when a link is not up.
  void begin();
  // Adds the links to the ports of `result`. Faults: a link that was lost, a MAC that ran dry or
  // over, frames that a MAC damaged.
  void collect(TrialResult& result);

 private:
  CardSet& cards_;
  const std::vector<std::uint32_t>& hosts_;
};

}  // namespace plumbline::bench
