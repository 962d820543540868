#include "results/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumbline::results {
namespace {

constexpr int kMaxDecimals = 6;
// Rounding errors of computed values, relative to the largest: not measured digits.
constexpr double kNoise = 1e-9;

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

std::string withCommas(std::string digits) {
  const std::size_t start = digits.front() == '-' ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > start + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace

std::string exactNumber(double value) {
  // Adding zero turns a negative zero into zero.
  return fmt::format("{}", value + 0.0);
}

std::string groupedNumber(double value, int decimals) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double shown = rounded(value, decimals) + 0.0;
  if (decimals >= 0 && value != 0 && std::abs(value) < 10 * std::pow(10.0, -decimals) &&
      std::abs(shown - value) > 0.005 * std::abs(value)) {
    return fmt::format("{:.2g}", value);
  }
  if (std::abs(shown) >= 1e15) return fmt::format("{:.6g}", value);
  return withCommas(fmt::format("{:.{}f}", shown, std::max(decimals, 0)));
}

int columnDecimals(const std::vector<double>& values, int digits) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) return 0;
  const int whole_digits = static_cast<int>(std::floor(std::log10(largest))) + 1;
  const int max = std::clamp(digits - whole_digits, 0, kMaxDecimals);
  for (int decimals = 0; decimals < max; ++decimals) {
    const bool exact = std::all_of(values.begin(), values.end(), [&](double value) {
      return !std::isfinite(value) ||
             std::abs(rounded(value, decimals) - value) <= kNoise * largest;
    });
    if (exact) return decimals;
  }
  return max;
}

int measuredDecimals(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double size = std::abs(value);
  const double first = size / std::pow(10.0, std::floor(std::log10(size)));
  return columnDecimals({value}, first < 2 ? 4 : 3);
}

std::string measuredNumber(double value) { return groupedNumber(value, measuredDecimals(value)); }

std::string readableNumber(double value) {
  constexpr int kSettingDigits = 6;
  return groupedNumber(value, columnDecimals({value}, kSettingDigits));
}

}  // namespace plumbline::results
