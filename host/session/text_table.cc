#include "session/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace plumbline::session {
namespace {

std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool looksNumeric(const std::string& text) {
  if (text.empty()) return true;
  const auto first =
      static_cast<unsigned char>(text[0] == '-' && text.size() > 1 ? text[1] : text[0]);
  return std::isdigit(first) != 0;
}

struct Column {
  std::size_t width = 0;
  bool right = true;
};

std::string lineOf(const std::vector<std::string>& cells, const std::vector<Column>& columns) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string cell = i < cells.size() ? cells[i] : std::string();
    const std::string pad(columns[i].width - widthOf(cell), ' ');
    line += i > 0 ? "  " : "";
    line += columns[i].right ? pad + cell : cell + pad;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string quantityText(const results::Quantity& quantity) {
  const std::string number = fmt::format("{:.6g}", quantity.value);
  return quantity.unit.empty() ? number : number + " " + quantity.unit;
}

std::string alignedTable(const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows) {
  std::vector<Column> columns(header.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].width = widthOf(header[i]);
    columns[i].right = !rows.empty();
    for (const auto& row : rows) {
      if (i >= row.size()) continue;
      columns[i].width = std::max(columns[i].width, widthOf(row[i]));
      columns[i].right = columns[i].right && looksNumeric(row[i]);
    }
  }
  std::string text = lineOf(header, columns);
  for (const auto& row : rows) text += lineOf(row, columns);
  return text;
}

std::string tableText(const results::Table& table) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < table.shownRows(); ++i) {
    const auto& row = table.rows[i];
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const results::Cell& cell : row) {
      const auto* text = std::get_if<std::string>(&cell);
      cells.push_back(text != nullptr ? *text : quantityText(std::get<results::Quantity>(cell)));
    }
    rows.push_back(std::move(cells));
  }
  std::string text = table.title + "\n" + alignedTable(table.columns, rows);
  if (table.shownRows() < table.rows.size()) {
    text += fmt::format("{} of {} rows; all are in the report's CSV file and in JSON\n",
                        table.shownRows(), table.rows.size());
  }
  if (!table.note.empty()) text += table.note + "\n";
  return text;
}

std::string testText(const results::TestResult& test) {
  std::string text =
      fmt::format("{} {} ({} profile)\n{}\n", test.id, test.title, test.profile, test.summary);
  for (const results::Table& table : test.tables) text += "\n" + tableText(table);
  if (!test.anomalies.empty()) text += "\nAnomalies\n";
  for (const results::Anomaly& anomaly : test.anomalies) {
    text += "- " + anomaly.what + (anomaly.where.empty() ? "" : " (" + anomaly.where + ")") + "\n";
  }
  if (!test.valid) text += "\nNOT VALID: do not use these figures\n";
  return text;
}

}  // namespace plumbline::session
