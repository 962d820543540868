// What the readers of text files of this library have in common.
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

// A decimal number without sign or exponent, such as 54.1; nothing if it is none. At most 18 digits
// in front of the point and 18 behind it.
std::optional<double> plainDecimal(std::string_view text);

}  // namespace plumbline::serving
