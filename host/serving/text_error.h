// Common parts of this library's readers of text files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace plumbline::serving {

// Error(kUsage) at file:line:column, the last two from 1.
Error textError(const std::string& what, const std::string& file, std::size_t line,
                std::size_t column, const std::string& remedy);

// A whole number up to `max`, in the form of a fraction too, as pandas writes the numbers of a
// column with gaps: 472, 472.0. Nothing for other text.
std::optional<std::uint64_t> wholeDecimal(std::string_view text, std::uint64_t max);

}  // namespace plumbline::serving
