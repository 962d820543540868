// The links of cards with MACs of their own, when a bench opens them.
#pragma once

#include <span>
#include <vector>

#include "card/mac_link.h"

namespace plumbline::bench {

// Leaves the links that are up with a fitting FEC setting as they are and brings up the others.
// Returns all, in the order of `ports`; one that stays down has its reason, and fails the trials
// that use it.
std::vector<card::MacLink> bringUpLinks(std::span<const card::MacPort> ports, card::MacFec fec);

}  // namespace plumbline::bench
