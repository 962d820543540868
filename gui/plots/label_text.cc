// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/label_text.h"

#include <algorithm>

namespace plumbline::gui {

QString elided(const QString& text, qsizetype max) {
  if (text.size() <= max) return text;
  return text.left((max - 1) / 2) + QStringLiteral("…") + text.right(max / 2);
}

QString commonParts(const QStringList& names) {
  static const QString kBetween = QStringLiteral(", ");
  if (names.size() < 2) return {};
  QString common;
  for (;;) {
    const qsizetype end = names.front().indexOf(kBetween, common.size());
    if (end < 0) return common;
    const QString longer = names.front().left(end + kBetween.size());
    if (!std::all_of(names.begin(), names.end(),
                     [&](const QString& name) { return name.startsWith(longer); })) {
      return common;
    }
    common = longer;
  }
}

QString inTwoLines(const QString& text, qsizetype max) {
  if (text.size() <= max) return text;
  // The space where the first line ends; a comma before it belongs to the first line.
  qsizetype end = text.lastIndexOf(QStringLiteral(", "), max - 1);
  end = end < 0 ? text.lastIndexOf(QLatin1Char(' '), max) : end + 1;
  if (end <= 0) return elided(text, max);
  return text.left(end) + QLatin1Char('\n') + elided(text.mid(end + 1), max);
}

}  // namespace plumbline::gui
