// The Pareto-optimal points of a set.
#pragma once

#include <cstddef>
#include <vector>

namespace plumbline::suite {

// Gain and costs of a point. A figure that was not reached is an infinite cost.
struct GainAndCosts {
  double gain = 0;
  std::vector<double> costs;  // of all points as many
};

// Indices of the points that no other point dominates (at least as good in everything, better in
// something); ascending. Equal points are all included.
std::vector<std::size_t> paretoSet(const std::vector<GainAndCosts>& points);

}  // namespace plumbline::suite
