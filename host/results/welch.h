// Whether two means differ significantly, given the scatter of their repetitions.
#pragma once

#include <optional>

#include "results/test_result.h"

namespace plumbline::results {

// Welch's t-test: means of two samples whose variances need not be equal.
struct Welch {
  // (second mean - first mean) / standard error; absent where neither sample has any scatter.
  std::optional<double> t;
  // Of Welch and Satterthwaite; absent with t.
  std::optional<double> degrees_of_freedom;
  // Two-sided: probability of a difference this large if both means are equal. Without scatter 1
  // for equal means and 0 for others.
  double p = 1;
};

// From mean, CV and number of repetitions; where the mean is zero (which has no CV) from the
// confidence interval; after one repetition from the batches within it. Absent when one of the two
// has fewer than two repetitions or no information on its scatter.
std::optional<Welch> welchTest(const Quantity& first, const Quantity& second);

}  // namespace plumbline::results
