// The look of the report.
#pragma once

#include <string_view>

namespace plumbline::report {

// Pixels of a letter of style "small".
inline constexpr double kSmallFont = 12;

// The style sheet, for screen and paper.
std::string_view styleSheet();

}  // namespace plumbline::report
