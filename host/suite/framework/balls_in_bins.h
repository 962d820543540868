// Distribution of flows over parallel links by uniform hashing: balls thrown into bins.
#pragma once

#include <cstdint>

namespace plumbline::suite {

// Expected ratio of the fullest bin's balls to the mean, when `balls` balls are thrown into `bins`
// bins, `groups` times independently, and the fullest bin of all groups is taken: the MMR of ECMP
// with `balls` flows of equal size on each of `groups` switches with `bins` uplinks. Exact except
// for rounding: P(no bin has more than m) = n! / k^n * [x^n] (sum_{i <= m} x^i / i!)^k, to the
// power of `groups`. All arguments 1 or more; up to 100,000 balls.
double expectedMaxMeanRatio(std::uint32_t balls, std::uint32_t bins, std::uint32_t groups);

}  // namespace plumbline::suite
