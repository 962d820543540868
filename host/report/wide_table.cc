#include "report/wide_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/work.h"

namespace plumbline::report {
namespace {

using results::Cell;
using results::Table;

// Columns of values beside the key columns of a part.
constexpr std::size_t kMaxValues = 7;

Cell cellAt(const Table& table, std::size_t row, std::size_t column) {
  const std::vector<Cell>& cells = table.rows[row];
  return column < cells.size() ? cells[column] : Cell(std::string());
}

bool isBlank(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr && (text->empty() || *text == "-" || *text == "–");
}

bool same(const Cell& a, const Cell& b) {
  if (a.index() != b.index()) return false;
  if (const auto* text = std::get_if<std::string>(&a)) return *text == std::get<std::string>(b);
  const auto& one = std::get<results::Quantity>(a);
  const auto& other = std::get<results::Quantity>(b);
  return one.value == other.value && one.unit == other.unit && one.observed == other.observed &&
         one.repetitions == other.repetitions && one.cv == other.cv &&
         one.confidence_low == other.confidence_low &&
         one.confidence_high == other.confidence_high && one.uncertainty == other.uncertainty &&
         one.percentile == other.percentile;
}

bool isText(const Table& table, std::size_t column) {
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (!std::holds_alternative<std::string>(cellAt(table, row, column))) return false;
  }
  return true;
}

bool isConstant(const Table& table, std::size_t column, const std::vector<std::size_t>& rows) {
  return rows.size() > 1 && std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
           return same(cellAt(table, row, column), cellAt(table, rows.front(), column));
         });
}

// Columns with values in the same rows, and these rows.
struct RowGroup {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
};

std::vector<RowGroup> groupsOf(const Table& table, std::size_t keys) {
  std::vector<RowGroup> groups;
  for (std::size_t column = keys; column < table.columns.size(); ++column) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (!isBlank(cellAt(table, row, column))) rows.push_back(row);
    }
    if (rows.empty()) continue;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const RowGroup& one) { return one.rows == rows; });
    if (group == groups.end()) group = groups.insert(group, RowGroup{std::move(rows), {}});
    group->columns.push_back(column);
  }
  return groups;
}

// The columns that vary, `kMaxValues` at a time and about equally many in each part.
std::vector<std::vector<std::size_t>> chunksOf(const std::vector<std::size_t>& columns) {
  const std::size_t parts =
      std::max<std::size_t>(1, (columns.size() + kMaxValues - 1) / kMaxValues);
  std::vector<std::vector<std::size_t>> chunks(parts);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    chunks[i * parts / columns.size()].push_back(columns[i]);
  }
  return chunks;
}

void addGroup(const Table& table, std::size_t keys, const RowGroup& group,
              std::vector<TablePart>& parts) {
  std::vector<std::size_t> key_columns;
  std::vector<std::size_t> varying;
  std::vector<std::pair<std::string, Cell>> constants;
  const auto sort = [&](std::size_t column, std::vector<std::size_t>& rest) {
    if (!isConstant(table, column, group.rows)) {
      rest.push_back(column);
    } else if (const Cell cell = cellAt(table, group.rows.front(), column); !isBlank(cell)) {
      constants.emplace_back(table.columns[column], cell);
    }
  };
  for (std::size_t column = 0; column < keys; ++column) sort(column, key_columns);
  for (const std::size_t column : group.columns) sort(column, varying);
  for (const std::vector<std::size_t>& chunk : chunksOf(varying)) {
    TablePart part{{table.id, table.title, "", {}, {}}, std::move(constants)};
    constants.clear();
    std::vector<std::size_t> columns = key_columns;
    columns.insert(columns.end(), chunk.begin(), chunk.end());
    for (const std::size_t column : columns) part.table.columns.push_back(table.columns[column]);
    for (const std::size_t row : group.rows) {
      if (chunk.empty()) break;
      checkWork();
      std::vector<Cell> cells;
      cells.reserve(columns.size());
      for (const std::size_t column : columns) cells.push_back(cellAt(table, row, column));
      part.table.rows.push_back(std::move(cells));
    }
    parts.push_back(std::move(part));
  }
}

}  // namespace

std::vector<TablePart> readableParts(const Table& table) {
  if (table.columns.size() <= kMaxColumns || table.rows.empty()) return {{table, {}}};
  std::size_t keys = 0;
  while (keys < table.columns.size() && isText(table, keys)) ++keys;
  std::vector<TablePart> parts;
  for (const RowGroup& group : groupsOf(table, keys)) addGroup(table, keys, group, parts);
  if (parts.empty()) return {{table, {}}};
  for (std::size_t i = 0; parts.size() > 1 && i < parts.size(); ++i) {
    parts[i].table.title = fmt::format("{} ({} of {})", table.title, i + 1, parts.size());
  }
  parts.back().table.note = table.note;
  return parts;
}

}  // namespace plumbline::report
