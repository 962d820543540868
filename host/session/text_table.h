// Tables for a terminal: aligned columns, plain UTF-8, at most kTerminalColumns wide.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::session {

// Maximum width of all printed lines.
inline constexpr std::size_t kTerminalColumns = 100;

using TextRow = std::vector<std::string>;

// Cells and paragraphs may contain text of others: printable() (base/printable.h) makes it safe.
//
// Rows of cells under a header, columns two spaces apart and as wide as their widest cell. A column
// whose cells all begin with a digit or minus sign is aligned to the right. Ends with a newline.
//
// A table wider than `width` is made to fit: headers and text are wrapped first; remaining columns
// follow below, in blocks that each repeat the first `keys` columns. Numbers are never wrapped or
// cut, unless one alone is wider than `width`.
std::string alignedTable(const TextRow& header, const std::vector<TextRow>& rows,
                         std::size_t keys = 1, std::size_t width = kTerminalColumns);

// `text` in lines of at most kTerminalColumns, the first after the prefix `first` and the others
// after `others`. Ends with a newline.
std::string paragraph(const std::string& text, const std::string& first = {},
                      const std::string& others = {});

// An anomaly or a deviation: "CV above 5 % (64 B)".
template <typename Remark>
std::string remarkText(const Remark& remark) {
  return remark.where.empty() ? remark.what : remark.what + " (" + remark.where + ")";
}

// Title, header, rows and note of a result table, in units that fit (results/quantity_text.h).
std::string tableText(const results::Table& table);

// A whole test for a terminal: title, summary, tables, deviations, anomalies.
std::string testText(const results::TestResult& test);

}  // namespace plumbline::session
