// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of a latency histogram. They agree with Histogram::quantile() and with the charts of the
// report: a bucket's values are at its middle, clamped to the extremes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "stats/histogram.h"

namespace plumbline::gui {

struct Curve {
  std::vector<double> x;
  std::vector<double> y;
};

// (value [ns], share of frames up to it [%]) as a staircase from 0 to 100. Empty for no frames.
Curve cdfCurve(const stats::Histogram& histogram);

// (value [ns], share of frames above it [%]): the tail, for a logarithmic ordinate, and so without
// the last step to zero.
Curve tailCurve(const stats::Histogram& histogram);

// Share of frames [%] in bins of equal width on a logarithmic axis, at most `max_bins` of them and
// none narrower than the widest bucket: (lower edge [ns], share), closed by the last upper edge
// with share 0. A staircase whose value holds until the next x.
Curve histogramCurve(const stats::Histogram& histogram, std::size_t max_bins);

struct PercentileMark {
  std::string name;  // "P99.9", or "P99.9*" where it rests on too few frames
  double share = 0;  // 0.999
  double value_ns = 0;
};

// P50, P95, P99 and P99.9, in this order. Nothing for no frames.
std::vector<PercentileMark> percentileMarks(const stats::Histogram& histogram);

}  // namespace plumbline::gui
