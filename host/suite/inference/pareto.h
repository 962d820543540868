// The points of a set that no other point is better than.
#pragma once

#include <cstddef>
#include <vector>

namespace plumbline::suite {

// What a point gains and what it costs. A figure that was not reached is an infinite cost.
struct GainAndCosts {
  double gain = 0;
  std::vector<double> costs;  // of all points as many
};

// Places of the points that no other is at least as good as in everything and better than in
// something; ascending. Of equal points all are in it.
std::vector<std::size_t> paretoSet(const std::vector<GainAndCosts>& points);

}  // namespace plumbline::suite
