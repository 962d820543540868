// Tables with more columns than fit on a page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/test_result.h"

namespace plumbline::report {

// Most columns of a table that is not split.
inline constexpr std::size_t kMaxColumns = 12;

struct TablePart {
  results::Table table;
  // Columns with the same value in every row: their names and the cell.
  std::vector<std::pair<std::string, results::Cell>> constants;
};

// `table` in parts that fit a page; unchanged if it has at most kMaxColumns. Leading columns of
// text are repeated in each part. Columns that have values in the same rows stay together, without
// the rows in which they have none; constant columns are shown once beside the part. Each quantity
// of `table` is in exactly one part.
std::vector<TablePart> readableParts(const results::Table& table);

}  // namespace plumbline::report
