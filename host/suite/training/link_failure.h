// What the tests of link failure (T11.2, T11.3) read from a trial in which an element fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/trial/trial.h"

namespace plumbline::suite {

// From the failure until goodput is back. Goodput is payload that arrived at all hosts in windows
// of 20 samples, one beginning with every sample. It is back with the first window that reaches the
// threshold after one, at or after the failure, that did not; the time is that of the window's
// beginning. Threshold: 90 % of the mean from 0 to the failure, or the lowest window of that time
// where that is less, as between two iterations. Only windows that end by `until` count, when the
// job is done. 0: goodput never fell. Nothing: it was not back by then, or there is no window
// before the failure.
std::optional<Picoseconds> goodputBack(const bench::Samples& samples, Picoseconds failure,
                                       Picoseconds until);

// The last loss at or after the failure, from the failure on; nothing when none was lost then.
std::optional<Picoseconds> lastLoss(const bench::Samples& samples, Picoseconds failure);

// Number of the iteration that `time` falls into, the job having begun at 0; nothing behind the
// last one.
std::optional<std::size_t> iterationAt(const bench::JobOutcome& job, Picoseconds time);

// Packets lost in the fabric for other reasons than that a link was down or there was no route.
std::uint64_t lostOtherwise(const bench::TrialResult& trial);

// Nearest rank: the smallest of `times` that `quantile` of them do not exceed. Not of none.
Picoseconds nearestRank(std::vector<Picoseconds> times, double quantile);
// Samples that a percentile should rest on: ten beyond it.
std::size_t samplesNeeded(double quantile);

}  // namespace plumbline::suite
