#include "serving/text_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/whole_number.h"

namespace plumbline::serving {
namespace {
constexpr std::size_t kMaxDigits = 18;
}  // namespace

Error textError(const std::string& what, const std::string& file, std::size_t line,
                std::size_t column, const std::string& remedy) {
  return {ErrorKind::kUsage, what, fmt::format("{}:{}:{}", file, line, column), remedy};
}

std::optional<double> plainDecimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view rest = text.substr(std::min(point + 1, text.size()));
  if (whole.size() > kMaxDigits || rest.size() > kMaxDigits) return std::nullopt;
  const auto above = wholeNumber(whole).value;
  if (!above) return std::nullopt;
  if (point == text.size()) return static_cast<double>(*above);
  const auto below = wholeNumber(rest).value;
  if (!below) return std::nullopt;
  return static_cast<double>(*above) +
         static_cast<double>(*below) / std::pow(10.0, static_cast<double>(rest.size()));
}

}  // namespace plumbline::serving
