// Range of a count around its expectation by chance.
#pragma once

#include "stats/summary.h"

namespace plumbline::stats {

// For `trials` independent events, each with `probability`: the numbers, both included, between
// which the count lies with at least `confidence`, each of the tails being at most half of the
// rest. `trials` is a whole number, up to 2^53. Throws Error(kUsage) for a negative number of
// trials, a probability outside 0 to 1, or a confidence that is not between them.
Interval binomialRange(double trials, double probability, double confidence);

}  // namespace plumbline::stats
