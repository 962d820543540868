// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/text.h"

#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace plumbline::gui {
namespace {

const QLocale& english() {
  static const QLocale kEnglish(QLocale::English, QLocale::UnitedStates);
  return kEnglish;
}

}  // namespace

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

QString countText(std::uint64_t count) {
  return english().toString(static_cast<qulonglong>(count));
}

QString numberText(double value, int figures) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e9 || size < 1e-5)) return english().toString(value, 'g', figures);
  const int before = size < 1e-9 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  QString out = english().toString(value, 'f', std::clamp(figures - before, 0, 9));
  if (out.contains(QLatin1Char('.'))) {
    while (out.endsWith(QLatin1Char('0'))) out.chop(1);
    if (out.endsWith(QLatin1Char('.'))) out.chop(1);
  }
  return out;
}

QString rateText(double bps) {
  static constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1e12, "Tb/s"}, {1e9, "Gb/s"}, {1e6, "Mb/s"}, {1e3, "kb/s"}}};
  if (!std::isfinite(bps) || bps <= 0) return QStringLiteral("0");
  for (const auto& [factor, unit] : kUnits) {
    if (bps >= factor) return numberText(bps / factor) + QLatin1Char(' ') + QLatin1String(unit);
  }
  return numberText(bps) + QStringLiteral(" b/s");
}

QString durationText(double ns) {
  static const std::array<std::pair<double, QString>, 3> kUnits = {
      {{1e9, QStringLiteral("s")}, {1e6, QStringLiteral("ms")}, {1e3, QStringLiteral("µs")}}};
  for (const auto& [factor, unit] : kUnits) {
    if (std::abs(ns) >= factor) return numberText(ns / factor) + QLatin1Char(' ') + unit;
  }
  return numberText(ns) + QStringLiteral(" ns");
}

QString clockText(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, std::floor(seconds)));
  const QString minutes_and_seconds =
      QStringLiteral("%1:%2")
          .arg(whole / 60 % 60, whole >= 3600 ? 2 : 1, 10, QLatin1Char('0'))
          .arg(whole % 60, 2, 10, QLatin1Char('0'));
  return whole >= 3600 ? QStringLiteral("%1:%2").arg(whole / 3600).arg(minutes_and_seconds)
                       : minutes_and_seconds;
}

}  // namespace plumbline::gui
