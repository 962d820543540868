// SPDX-License-Identifier: GPL-3.0-or-later
// Time in equal stretches, for rates and means of single events.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/data/time_series.h"

namespace plumbline::gui {

// [0, until) in stretches of equal length, the smallest number of 1, 2 or 5 times a power of ten
// that makes at most `most` of them. The last one may be shorter; one of less than half the length
// is left out, unless it is the only one.
struct Stretches {
  Stretches() = default;
  explicit Stretches(double until, std::size_t max = 40);

  double length = 0;            // [the unit of time]
  std::vector<double> covered;  // of each, the part before `until`

  [[nodiscard]] std::size_t size() const { return covered.size(); }
  [[nodiscard]] double begin(std::size_t i) const { return length * static_cast<double>(i); }
  [[nodiscard]] double middle(std::size_t i) const { return begin(i) + length / 2; }
  // Index of the stretch with `time`; size() for none.
  [[nodiscard]] std::size_t placeOf(double time) const;
};

// Growth of a total, which is 0 at time 0 and never decreases, in each stretch: linear between two
// points.
std::vector<double> growthOf(const TimeSeries& total, const Stretches& stretches);

}  // namespace plumbline::gui
