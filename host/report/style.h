// The look of the report.
#pragma once

#include <string_view>

namespace plumbline::report {

// The style sheet, for screen and paper.
std::string_view styleSheet();

}  // namespace plumbline::report
