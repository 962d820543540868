// Two runs side by side as a page.
#pragma once

#include <string>

#include "results/compare.h"

namespace plumbline::report {

// One self-contained HTML file in the style of the report, also well-formed XML: what the runs are,
// what differs in their scenarios and around the figures, the figures of each test with their
// change and its significance, and what only one of the runs has.
std::string renderComparison(const results::Comparison& comparison);

}  // namespace plumbline::report
