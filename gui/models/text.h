// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as the window writes them: English, thousands separated, units with a space.
#pragma once

#include <QString>
#include <cstdint>
#include <string>

namespace plumbline::gui {

QString text(const std::string& utf8);

// "1,234,567"
QString countText(std::uint64_t count);
// "12.3 Gb/s", from bits per second.
QString rateText(double bps);
// "1.234 µs", from nanoseconds, to four figures.
QString durationText(double ns);
// "1:02:03" or "2:03", from seconds.
QString clockText(double seconds);
// To `figures` significant digits, without an exponent up to a billion.
QString numberText(double value, int figures = 4);

}  // namespace plumbline::gui
