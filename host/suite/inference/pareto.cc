#include "suite/inference/pareto.h"

#include <algorithm>

namespace plumbline::suite {
namespace {

bool beats(const GainAndCosts& one, const GainAndCosts& other) {
  if (one.gain < other.gain) return false;
  bool better = one.gain > other.gain;
  for (std::size_t i = 0; i < one.costs.size(); ++i) {
    if (one.costs[i] > other.costs[i]) return false;
    better = better || one.costs[i] < other.costs[i];
  }
  return better;
}

}  // namespace

std::vector<std::size_t> paretoSet(const std::vector<GainAndCosts>& points) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool dominated =
        std::any_of(points.begin(), points.end(),
                    [&](const GainAndCosts& other) { return beats(other, points[i]); });
    if (!dominated) places.push_back(i);
  }
  return places;
}

}  // namespace plumbline::suite
