#include "serving/text_error.h"

#include <fmt/format.h>

#include "base/decimal.h"

namespace plumbline::serving {

Error textError(const std::string& what, const std::string& file, std::size_t line,
                std::size_t column, const std::string& remedy) {
  return {ErrorKind::kUsage, what, fmt::format("{}:{}:{}", file, line, column), remedy};
}

std::optional<std::uint64_t> wholeDecimal(std::string_view text, std::uint64_t max) {
  const auto decimal = parseReal(text);
  if (!decimal.value) return std::nullopt;
  const auto number = scaled(*decimal.value, 1);
  if (!number || !number->exact) return std::nullopt;
  const auto value = static_cast<std::uint64_t>(number->value);
  return value <= max ? std::optional(value) : std::nullopt;
}

}  // namespace plumbline::serving
