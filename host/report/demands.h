// The methodology's demands, as a folded table.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace plumbline::report {

// The demands on `test`, or with an empty name those on every report; empty text if there are none.
// The visible line has their number, and how many the report meets and misses.
std::string demandsHtml(const std::vector<Demand>& demands, const std::string& test);

}  // namespace plumbline::report
