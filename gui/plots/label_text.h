// SPDX-License-Identifier: GPL-3.0-or-later
// Names that have to fit beside a plot. Widths are in characters.
#pragma once

#include <QString>
#include <QStringList>

namespace plumbline::gui {

// At most `most` characters: the omitted middle becomes "…".
QString elided(const QString& text, qsizetype max);

// "AllReduce, " for "AllReduce, 8 ranks" and "AllReduce, 16 ranks": the common first parts. Empty
// for fewer than two names.
QString commonParts(const QStringList& names);

// In two lines of at most `most` characters if one is not enough, broken after a comma or else at a
// space; elided if two lines are not enough either.
QString inTwoLines(const QString& text, qsizetype max);

}  // namespace plumbline::gui
