// Figures of the tests of link failure (T11.2, T11.3) from a trial in which an element fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/trial/trial.h"

namespace plumbline::suite {

// The samples of a trial until its job's end.
struct JobSamples {
  const bench::Samples& samples;
  Picoseconds until;
};

// From the failure until goodput has recovered. Goodput is payload that arrived at all hosts in
// windows of 20 samples, one beginning with every sample. It has recovered with the first window at
// or above the threshold that follows the last fall at or after the failure; the time is that of
// the window's beginning. Threshold: 90 % of the mean from 0 to the failure, or the lowest window
// of that time where that is less, as between two iterations. A fall is a window below the
// threshold and below the same window of the same repetition without failure (`intact`; below its
// last one, where that job was done before), and begins by `fall_by`: a later one, as at the job's
// end, has other reasons. Only windows that end by the job's end count. 0: goodput never fell, as
// where all arrives as without failure. Nothing: it did not recover by then, or what a fall is is
// not known (knowsGoodputBefore()).
std::optional<Picoseconds> goodputBack(const JobSamples& failed, const JobSamples& intact,
                                       Picoseconds failure, Picoseconds fall_by);
// Whether there are windows before the failure, and something arrived in each.
bool knowsGoodputBefore(const JobSamples& failed, Picoseconds failure);

// A frame that is on the wire when its link fails is lost, but its first bit, by which losses are
// dated, has left before: the earliest time of a loss by a failure, see SamplingSpec::losses_from.
Picoseconds lossesFrom(const bench::TrialSpec& spec, Picoseconds failure);
// Time from the first loss to the last, of that after the failure: frames that were on the wire are
// dated before it.
Picoseconds lossDuration(const bench::Samples& samples, Picoseconds failure);
// Time from the failure to the last loss; nothing without a loss.
std::optional<Picoseconds> lastLoss(const bench::Samples& samples, Picoseconds failure);

// Iterations that were under way at some time of an interval.
struct IterationsDuring {
  Picoseconds longest;  // time of the longest
  Picoseconds begin;    // when the first of them began
  Picoseconds end;      // when the last of them ended
};
// From `from` to `to`; nothing without one, or where their beginnings are not known.
std::optional<IterationsDuring> iterationsDuring(const bench::JobOutcome& job, Picoseconds from,
                                                 Picoseconds to);

// Packets lost in the fabric for reasons other than a link that was down or a missing route.
std::uint64_t lostOtherwise(const bench::TrialResult& trial);

// Nearest rank: the smallest of `times` that `quantile` of them do not exceed. `times` must not be
// empty.
Picoseconds nearestRank(std::vector<Picoseconds> times, double quantile);
// Samples that a percentile should rest on: ten beyond it.
std::size_t samplesNeeded(double quantile);

}  // namespace plumbline::suite
