// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/axis_ticker.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace plumbline::gui {
namespace {

constexpr double kMaxDecimalValue = 1e9;
constexpr double kMinDecimalValue = 1e-4;

// From this many decades on only these are labelled; below, 1-2-5; below the second constant,
// linear ticks.
constexpr double kDecadesAlone = 3.0;
constexpr double kDecadesInSteps = 0.9;

QVector<double> multiples(const QCPRange& range, const std::vector<double>& of) {
  QVector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(range.lower)));
  const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
  for (int decade = first; decade <= last; ++decade) {
    for (const double factor : of) {
      const double tick = factor * std::pow(10, decade);
      if (tick >= range.lower && tick <= range.upper) ticks.push_back(tick);
    }
  }
  return ticks;
}

double roundStep(double span, int ticks) {
  const double raw = span / std::max(ticks, 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

}  // namespace

QString tickLabel(double value, double step) {
  static const QLocale kLocale(QLocale::English, QLocale::UnitedStates);
  const double size = std::abs(value);
  if (size < step * 1e-6) return QStringLiteral("0");
  if (size >= kMaxDecimalValue || size < kMinDecimalValue) return kLocale.toString(value, 'g', 3);
  const int digits =
      std::clamp(static_cast<int>(std::ceil(-std::log10(std::max(step, 1e-9)) - 1e-9)), 0, 6);
  return kLocale.toString(value, 'f', digits);
}

double LinearTicker::getTickStep(const QCPRange& range) {
  step_ = roundStep(range.size(), mTickCount);
  return step_;
}

QString LinearTicker::getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/,
                                   int /*precision*/) {
  return tickLabel(tick, step_);
}

QVector<double> LogTicker::createTickVector(double /*step*/, const QCPRange& range) {
  if (range.lower <= 0 || range.upper <= range.lower) return {};
  const double decades = std::log10(range.upper / range.lower);
  if (decades >= kDecadesAlone) {
    // Of very many decades only every second, third, … one.
    const int every = std::max(1, static_cast<int>(std::ceil(decades / 10)));
    QVector<double> ticks;
    for (const double tick : multiples(range, {1})) {
      if (static_cast<int>(std::lround(std::log10(tick))) % every == 0) ticks.push_back(tick);
    }
    return ticks;
  }
  if (decades >= kDecadesInSteps) return multiples(range, {1, 2, 5});
  const double step = roundStep(range.size(), mTickCount);
  QVector<double> ticks;
  const auto last = std::llround(std::floor(range.upper / step));
  for (auto number = std::llround(std::ceil(range.lower / step)); number <= last; ++number) {
    ticks.push_back(static_cast<double>(number) * step);
  }
  return ticks;
}

QVector<double> LogTicker::createSubTickVector(int /*count*/, const QVector<double>& ticks) {
  if (ticks.size() < 2 || ticks.back() / ticks.front() < 9) return {};
  return multiples({ticks.front(), ticks.back()}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

QString LogTicker::getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/,
                                int /*precision*/) {
  // As many digits as the number itself needs, at most three: 0.05, 1,250.
  double step = std::pow(10, std::floor(std::log10(tick)) - 2);
  const double digits = tick / step;
  if (std::abs(digits - std::round(digits / 100) * 100) < 1e-6) {
    step *= 100;
  } else if (std::abs(digits - std::round(digits / 10) * 10) < 1e-6) {
    step *= 10;
  }
  return tickLabel(tick, step);
}

}  // namespace plumbline::gui
