// Whether two means differ by more than their repetitions scatter.
#pragma once

#include <optional>

#include "results/test_result.h"

namespace plumbline::results {

// Welch's t-test: means of two samples whose variances need not be equal.
struct Welch {
  // (second mean - first mean) / standard error; absent where neither sample scatters at all, so
  // that there is no standard error to divide by.
  std::optional<double> t;
  // Of Welch and Satterthwaite; absent with t.
  std::optional<double> degrees_of_freedom;
  // Two-sided: how likely a difference this large is if both means are the same. Without scatter 1
  // for equal means and 0 for others.
  double p = 1;
};

// From mean, CV and number of repetitions, or where the mean is zero (which has no CV) from the
// confidence interval; after one repetition from the batches within it. Absent when one of the two
// has fewer than two repetitions or says nothing of its scatter.
std::optional<Welch> welchTest(const Quantity& first, const Quantity& second);

}  // namespace plumbline::results
