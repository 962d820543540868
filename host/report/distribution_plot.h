// Plots of latency distributions from their histograms.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"
#include "results/units.h"

namespace plumbline::report {

using DistributionRefs = std::vector<const results::Distribution*>;

// Common display unit of these distributions; factor 1 for their own unit.
results::ScaledUnit displayUnit(const DistributionRefs& distributions);

// Shares of frames per bin of equal width (equal ratio when the values span more than 20:1; the
// buckets themselves when there are few), with dashed marks at P50, P99 and P99.9. The ordinate is
// logarithmic when bars differ by more than 100:1, so that the tail stays visible.
std::string renderHistogram(const results::Distribution& distribution,
                            const results::ScaledUnit& unit);

// Cumulative distributions on a linear ordinate, up to the highest P99.9 among them.
std::string renderCdf(const DistributionRefs& distributions, const std::string& title,
                      const results::ScaledUnit& unit);

// Cumulative distributions on an ordinate of nines: P90, P99, P99.9 … are equally far apart, so
// that tails can be read. A curve ends at its maximum, at the height of one frame. If there is only
// one distribution, its P50, P95, P99 and P99.9 are marked with their values.
std::string renderTail(const DistributionRefs& distributions, const std::string& title,
                       const results::ScaledUnit& unit);

}  // namespace plumbline::report
