// Table of figures: test and observation point of each.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::report {

// A table: a row for each figure of `tests`, by machine name in the order of first appearance;
// empty if there are none.
std::string kpiMapHtml(const std::vector<results::TestResult>& tests);

}  // namespace plumbline::report
