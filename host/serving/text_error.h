// Common parts of this library's readers of text files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace plumbline::serving {

// Error(kUsage) at file:line:column, the last two from 1.
Error textError(const std::string& what, const std::string& file, std::size_t line,
                std::size_t column, const std::string& remedy);

// A decimal number without sign or exponent, such as 54.1; nothing for other text. At most 18
// digits before and 18 after the point.
std::optional<double> plainDecimal(std::string_view text);

}  // namespace plumbline::serving
