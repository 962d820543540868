// SPDX-License-Identifier: GPL-3.0-or-later
// Names that have to fit beside a plot. Widths are in characters.
#pragma once

#include <QString>
#include <QStringList>

namespace plumbline::gui {

// At most `most` characters: what is left out in the middle becomes "…".
QString elided(const QString& text, qsizetype most);

// "AllReduce, " of "AllReduce, 8 ranks" and "AllReduce, 16 ranks": the parts that all begin with.
// Empty for fewer than two names.
QString commonParts(const QStringList& names);

// In two lines of at most `most` characters when one does not do, broken behind a comma or else at
// a space; elided when two lines do not do either.
QString inTwoLines(const QString& text, qsizetype most);

}  // namespace plumbline::gui
