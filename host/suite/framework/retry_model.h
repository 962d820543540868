// What link-level retry should do on a hop, to put next to what it did: closed forms that the tests
// of the card's own link and of the fabric's links share.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "bench/card/retry_time.h"
#include "stats/histogram.h"
#include "stats/summary.h"

namespace plumbline::suite {

// Probability that a frame of `bytes` is damaged where bits are wrong independently, `ratio` of
// them.
double damageProbability(double ratio, double bytes);

// Attempts in vain for each good frame: p / (1 - p) of the probability above.
double failuresPerFrame(double ratio, double bytes);

// Share of the frames that go-back-N leaves for good ones when what is sent takes `load` of the
// line, 0 to 1. A failure costs the frames that began until the repetition did, which is `wasted`
// later: the damaged one at least, and half of one more where there are several, as the last one is
// finished. `failures` for each good frame, frames taking `slot` each.
double goBackNShareAt(double load, double failures, Picoseconds slot, Picoseconds wasted);

// Largest distance [ns] of any of `times` [ps] from the times of one, two, three and more attempts,
// each of which takes `one`. Shortest and longest time are exact, those between known to a bucket.
// Attempts are not counted retry by retry, but there are no more further ones than `nacks` beyond
// one for each retry. 0 without times.
double retryMisfit(const stats::Histogram& times, const bench::RetryTime& one, std::uint64_t nacks);

}  // namespace plumbline::suite
