// Two runs side by side as a page.
#pragma once

#include <string>

#include "results/compare.h"

namespace plumbline::report {

// One self-contained HTML file in the style of the report, also well-formed XML: the runs,
// differences of their scenarios and conditions, the figures of each test with their change and its
// significance, and figures of only one of the runs.
std::string renderComparison(const results::Comparison& comparison);

}  // namespace plumbline::report
