// Exponentially distributed times without floating point, so that they are the same on all
// machines.
#pragma once

#include "base/random.h"
#include "base/units.h"

namespace plumbline {

// An exponentially distributed duration of mean `mean`, rounded down to a picosecond. Von Neumann's
// comparison method on 64-bit uniform numbers: exact, about 4.3 of them each.
Picoseconds exponentialGap(RandomStream& random, Picoseconds mean);

}  // namespace plumbline
