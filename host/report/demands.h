// What the methodology demands, as a table that folds away.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace plumbline::report {

// The demands on `test`, or with an empty name those on every report; empty text if there are none.
// The line that stays says how many there are, how many the report has, and how many it has not.
std::string demandsHtml(const std::vector<Demand>& demands, const std::string& test);

}  // namespace plumbline::report
