// Whether the campaigns of the card's tests are run in full: scripts/test --long.
#pragma once

#include <cstdlib>

namespace plumbline {

inline bool longRun() { return std::getenv("PLUMBLINE_LONG") != nullptr; }

}  // namespace plumbline
