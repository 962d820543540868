#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "results/number_text.h"

namespace plumbline::report {
namespace {

// Significant digits at most of the labels of ticks.
constexpr int kLabelDigits = 5;

// mantissa · 10^exponent with mantissa 1, 2 or 5.
struct Step {
  int mantissa = 1;
  int exponent = 0;

  // n · step, correctly rounded: one multiplication or division by an exact power of ten.
  [[nodiscard]] double times(double n) const {
    const double power = std::pow(10.0, std::abs(exponent));
    return exponent < 0 ? n * mantissa / power : n * mantissa * power;
  }
};

Step roundStep(double span, int count) {
  const double ideal = span / count;
  Step step;
  step.exponent = static_cast<int>(std::floor(std::log10(ideal)));
  const double mantissa = ideal / std::pow(10.0, step.exponent);
  // The boundaries are geometric means: whichever step is nearest as a ratio.
  if (mantissa > 7.07) {
    step.exponent += 1;
  } else if (mantissa > 3.16) {
    step.mantissa = 5;
  } else if (mantissa > 1.41) {
    step.mantissa = 2;
  }
  return step;
}

// Ticks that lie on a bound must not be lost to rounding.
constexpr double kSlack = 1e-9;

std::vector<double> multiples(const Step& step, double first, double last) {
  std::vector<double> values;
  const auto end = static_cast<std::int64_t>(std::floor(last));
  for (auto n = static_cast<std::int64_t>(first); n <= end; ++n) {
    values.push_back(step.times(static_cast<double>(n)) + 0.0);
  }
  return values;
}

std::string superscript(int exponent) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(exponent)) text += c == '-' ? "⁻" : kDigits[c - '0'];
  return text;
}

std::string powerLabel(double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + kSlack));
  const double mantissa = value / std::pow(10.0, exponent);
  std::string power = exponent == 0 ? "1" : exponent == 1 ? "10" : "10" + superscript(exponent);
  if (std::abs(mantissa - 1) < 1e-6) return power;
  return results::readableNumber(mantissa) + "·" + power;
}

}  // namespace

std::vector<double> roundTicks(double low, double high, int count) {
  const Step step = roundStep(high - low, count);
  return multiples(step, std::ceil(low / step.times(1) - kSlack),
                   std::floor(high / step.times(1) + kSlack));
}

RoundRange roundRange(double low, double high, int count) {
  if (low == high) {
    const double margin = low == 0 ? 1 : std::abs(low) * 0.01;
    low -= margin;
    high += margin;
  }
  const Step step = roundStep(high - low, count);
  const std::vector<double> ticks = multiples(step, std::floor(low / step.times(1) + kSlack),
                                              std::ceil(high / step.times(1) - kSlack));
  return {{ticks.front(), ticks.back()}, ticks};
}

std::vector<double> decadeTicks(double low, double high, int count) {
  const int first = static_cast<int>(std::floor(std::log10(low) + kSlack));
  const int last = static_cast<int>(std::ceil(std::log10(high) - kSlack));
  const int stride = std::max(1, (last - first + count - 1) / count);
  std::vector<double> ticks;
  for (int exponent = first; exponent <= std::max(last, first); exponent += stride) {
    ticks.push_back(Step{1, exponent}.times(1));
  }
  return ticks;
}

std::vector<Tick> labelled(const std::vector<double>& values) {
  double largest = 0;
  double smallest = INFINITY;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
    if (value != 0) smallest = std::min(smallest, std::abs(value));
  }
  const bool powers = largest >= 1e7 || smallest < 1e-4;
  const int decimals = results::columnDecimals(values, kLabelDigits);
  std::vector<Tick> ticks;
  ticks.reserve(values.size());
  for (const double value : values) {
    ticks.push_back({value, powers && value != 0 ? powerLabel(value)
                                                 : results::groupedNumber(value, decimals)});
  }
  return ticks;
}

std::vector<Tick> labelledDecades(const std::vector<double>& decades) {
  const bool powers = decades.front() < 0.99e-4 || decades.back() > 1.01e6;
  std::vector<Tick> ticks;
  ticks.reserve(decades.size());
  for (const double value : decades) {
    ticks.push_back({value, powers ? powerLabel(value) : results::readableNumber(value)});
  }
  return ticks;
}

Axis::Axis(Scale scale, Range range, std::vector<Tick> ticks, double from, double to)
    : scale_(scale), range_(range), ticks_(std::move(ticks)), from_(from), to_(to) {}

double Axis::scaled(double value) const {
  // Values below the range of a logarithmic axis are drawn at its edge.
  return scale_ == Scale::kLog ? std::log10(std::max(value, range_.low)) : value;
}

double Axis::pixel(double value) const {
  const double low = scaled(range_.low);
  const double high = scaled(range_.high);
  return from_ + (scaled(value) - low) / (high - low) * (to_ - from_);
}

}  // namespace plumbline::report
