// Expected behaviour of link-level retry on a hop: closed forms that the tests of the card's own
// link and of the fabric's links share.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "bench/card/retry_time.h"
#include "stats/histogram.h"
#include "stats/summary.h"

namespace plumbline::suite {

// Probability that a frame of `bytes` is damaged by independent bit errors with ratio `ratio`.
double damageProbability(double ratio, double bytes);

// Failed attempts for each good frame: p / (1 - p) of the probability above.
double failuresPerFrame(double ratio, double bytes);

// Share of the frames that go-back-N leaves for good ones when the traffic takes `load` of the
// line, 0 to 1. A failure costs the frames that began before the repetition, which is `wasted`
// later: at least the damaged one, and half of one more where there are several, as the last one is
// finished. `failures` for each good frame; a frame takes `slot`.
double goBackNShareAt(double load, double failures, Picoseconds slot, Picoseconds wasted);

// Largest distance [ns] of any of `times` [ps] from the times of one, two, three and more attempts,
// each of which takes `one`. Shortest and longest time are exact, the others known to a bucket.
// Attempts are not counted per retry, but `nacks` beyond one for each retry bounds the number of
// further attempts. 0 without times.
double retryResidual(const stats::Histogram& times, const bench::RetryTime& one,
                     std::uint64_t nacks);

}  // namespace plumbline::suite
