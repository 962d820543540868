// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace plumbline::gui {

Theme lightTheme() {
  return {false,
          QColor("#f4f6f9"),
          QColor("#ffffff"),
          QColor("#e9edf2"),
          QColor("#1c2430"),
          QColor("#5b6675"),
          QColor("#e3e8ee"),
          QColor("#0b4a78"),
          QColor("#9a5b00"),
          QColor("#a32020"),
          QColor("#1c6b3c")};
}

Theme darkTheme() {
  return {true,
          QColor("#1b2027"),
          QColor("#12161b"),
          QColor("#2a313b"),
          QColor("#e6eaf0"),
          QColor("#9aa6b5"),
          QColor("#2c343e"),
          QColor("#6cb6ef"),
          QColor("#f0b45a"),
          QColor("#ff8a80"),
          QColor("#6fd09a")};
}

QPen seriesPen(const Theme& theme, std::size_t n) {
  static constexpr std::array<const char*, 8> kLight = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                        "#e69f00", "#56b4e9", "#4d4d4d", "#8c6d31"};
  static constexpr std::array<const char*, 8> kDark = {"#7099f3", "#f2740d", "#11d248", "#c86899",
                                                       "#f0dc25", "#9ee0f2", "#fdfff5", "#ac9d85"};
  static constexpr std::array<Qt::PenStyle, 3> kStyles = {Qt::SolidLine, Qt::DashLine, Qt::DotLine};
  const auto& colors = theme.dark ? kDark : kLight;
  return {QColor(colors[n % colors.size()]), 2.0, kStyles[n / colors.size() % kStyles.size()],
          Qt::FlatCap, Qt::RoundJoin};
}

QPen referencePen(const Theme& theme) {
  return {theme.soft, 1.5, Qt::DashLine, Qt::FlatCap, Qt::RoundJoin};
}

QColor loadColor(const Theme& theme, double share) {
  struct Stop {
    double at;
    QColor color;
  };
  // On a dark background more is lighter, on a light one darker.
  static const std::array<Stop, 4> kLight = {
      Stop{0, QColor("#b9c4d0")}, Stop{0.35, QColor("#e69f00")}, Stop{0.7, QColor("#d55e00")},
      Stop{1, QColor("#7a1040")}};
  static const std::array<Stop, 4> kDark = {
      Stop{0, QColor("#4a5563")}, Stop{0.35, QColor("#c06a10")}, Stop{0.7, QColor("#f0b429")},
      Stop{1, QColor("#fff3b0")}};
  const auto& stops = theme.dark ? kDark : kLight;
  const double at = std::clamp(share, 0.0, 1.0);
  for (std::size_t i = 1; i < stops.size(); ++i) {
    if (at > stops[i].at) continue;
    const double part = (at - stops[i - 1].at) / (stops[i].at - stops[i - 1].at);
    const auto mix = [part](int a, int b) {
      return static_cast<int>(std::lround(a + part * (b - a)));
    };
    const QColor& a = stops[i - 1].color;
    const QColor& b = stops[i].color;
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
  }
  return stops.back().color;
}

QPalette paletteOf(const Theme& theme) {
  QPalette palette;
  palette.setColor(QPalette::Window, theme.window);
  palette.setColor(QPalette::WindowText, theme.text);
  palette.setColor(QPalette::Base, theme.base);
  palette.setColor(QPalette::AlternateBase, theme.window);
  palette.setColor(QPalette::Text, theme.text);
  palette.setColor(QPalette::Button, theme.raised);
  palette.setColor(QPalette::ButtonText, theme.text);
  palette.setColor(QPalette::BrightText, theme.failure);
  palette.setColor(QPalette::ToolTipBase, theme.raised);
  palette.setColor(QPalette::ToolTipText, theme.text);
  palette.setColor(QPalette::PlaceholderText, theme.soft);
  palette.setColor(QPalette::Link, theme.accent);
  palette.setColor(QPalette::Highlight, theme.accent);
  palette.setColor(QPalette::HighlightedText, theme.dark ? theme.base : QColor(Qt::white));
  palette.setColor(QPalette::Light, theme.dark ? theme.raised.lighter(120) : QColor(Qt::white));
  palette.setColor(QPalette::Mid, theme.grid.darker(theme.dark ? 100 : 115));
  palette.setColor(QPalette::Dark, theme.dark ? theme.base : QColor("#b5bfca"));
  palette.setColor(QPalette::Shadow, theme.dark ? QColor(Qt::black) : QColor("#8a96a6"));
  const QColor faint = theme.dark ? QColor("#667282") : QColor("#9aa4b1");
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, faint);
  }
  return palette;
}

QString styleSheetOf(const Theme& theme) {
  const QString line = theme.dark ? "#39424e" : "#d7dde5";
  return QStringLiteral(
             "QLabel#hint { color: %1; }"
             "QLabel#value { font-weight: 600; }"
             "QLabel#headline { font-size: 15pt; font-weight: 600; color: %2; }"
             "QToolTip { color: %4; background: %5; border: 1px solid %3; padding: 4px; }"
             "QHeaderView::section { background: %5; color: %4; border: 0; border-right: 1px solid "
             "%3;"
             " border-bottom: 1px solid %3; padding: 4px 6px; }"
             "QTabWidget::pane { border-top: 1px solid %3; }"
             // The style draws their outline darker than the window, which is invisible on a dark
             // one.
             "QTreeView::indicator:unchecked, QCheckBox::indicator:unchecked {"
             " border: 1px solid %1; background: transparent; }"
             "QDockWidget::title { background: %5; padding: 5px 8px; }")
      .arg(theme.soft.name(), theme.accent.name(), line, theme.text.name(), theme.raised.name());
}

}  // namespace plumbline::gui
