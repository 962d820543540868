// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of the window, light and dark. Series have the colours of the report, or on a dark
// background others of about the same hues; readers with any colour vision can tell them apart.
#pragma once

#include <QColor>
#include <QPalette>
#include <QPen>
#include <QString>

namespace plumbline::gui {

struct Theme {
  bool dark = false;
  QColor window;  // behind panels
  QColor base;    // behind tables, texts and plots
  QColor raised;  // buttons, headers
  QColor text;
  QColor soft;  // labels, hints
  QColor grid;
  QColor accent;
  QColor warning;
  QColor failure;
  QColor good;
};

Theme lightTheme();
Theme darkTheme();

// Style of the n-th series: eight colours, then the same with dashes. A reference is grey and
// dashed.
QPen seriesPen(const Theme& theme, std::size_t n);
QPen referencePen(const Theme& theme);

// From the theme's base (0) over yellow to red-purple (1): lightness alone gives the order.
QColor loadColor(const Theme& theme, double share);

QPalette paletteOf(const Theme& theme);
// Style sheet for properties that a palette does not have.
QString styleSheetOf(const Theme& theme);

}  // namespace plumbline::gui
