// Quantiles of durations of which some had not ended when the observation did.
#pragma once

#include <cstdint>
#include <optional>

#include "stats/histogram.h"

namespace plumbline::stats {

// The product-limit estimate (Kaplan and Meier 1958) for durations that were observed to their end,
// and for open ones, known to be longer than their age at the end of the observation. An open one
// counts as longer than the ended ones up to its age; beyond it the ended ones decide.
//
// Returns the rank, 1 to ended.count(), of the ended duration that is the quantile `q` (0 < q <= 1)
// of all; at q = 1 that is the longest. Nothing if open ones decide it: the quantile is longer than
// all that ended. Without open ones the nearest rank, ceil(q * count). Durations of one bucket are
// not distinguished: an open one of the same age counts as longer. Both histograms have one unit.
std::optional<std::uint64_t> censoredRank(const Histogram& ended, const Histogram& open, double q);

}  // namespace plumbline::stats
