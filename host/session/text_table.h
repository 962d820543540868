// Results as a terminal shows them: aligned columns, plain UTF-8.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::session {

// "1234.5 ns", "98.7 %", "3"; six significant digits.
std::string quantityText(const results::Quantity& quantity);

// Rows of cells under a header, columns two spaces apart and as wide as their widest cell. A column
// whose cells all begin with a digit or minus sign is aligned to the right. Ends with a newline.
std::string alignedTable(const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows);

// Title, header, rows and note of a result table.
std::string tableText(const results::Table& table);

// Characters of the longest line of `text`.
std::size_t longestLine(const std::string& text);
// All of a test that fits a terminal: title, summary, tables, deviations, anomalies.
std::string testText(const results::TestResult& test);

}  // namespace plumbline::session
