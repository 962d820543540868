#include "session/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/printable.h"
#include "base/text_width.h"
#include "base/work.h"
#include "results/quantity_text.h"
#include "results/uncertainty_text.h"

namespace plumbline::session {
namespace {

constexpr std::size_t kGap = 2;
// Text is not wrapped into columns narrower than this, unless it is narrower by itself.
constexpr std::size_t kNarrowText = 20;

bool isNumeric(const std::string& text) {
  if (text.empty()) return true;
  const auto first =
      static_cast<unsigned char>(text[0] == '-' && text.size() > 1 ? text[1] : text[0]);
  return std::isdigit(first) != 0;
}

struct Column {
  std::size_t index = 0;  // in the table's rows
  std::size_t width = 0;
  std::size_t narrowest = 0;  // width down to which it may be wrapped
  bool right = true;
};

std::size_t longestWord(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : wrappedText(text, 1'000)) {
    for (std::size_t from = 0; from < line.size();) {
      const std::size_t end = std::min(line.find(' ', from), line.size());
      longest = std::max(longest, displayWidth(std::string_view(line).substr(from, end - from)));
      from = end + 1;
    }
  }
  return longest;
}

// Width down to which a figure may be wrapped: a remark in parentheses behind it goes on below.
std::size_t narrowestFigure(const std::string& text) {
  const std::size_t remark = text.find(" (");
  if (remark == std::string::npos) return displayWidth(text);
  const std::string rest = text.substr(remark + 1);
  return std::max({displayWidth(std::string_view(text).substr(0, remark)), longestWord(rest),
                   std::min(displayWidth(rest), kNarrowText)});
}

std::vector<Column> columnsOf(const TextRow& header, const std::vector<TextRow>& rows) {
  std::vector<Column> columns(header.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    column.index = i;
    column.right = !rows.empty();
    std::size_t widest = 0;
    std::size_t figure = 0;
    for (const TextRow& row : rows) {
      checkWork();
      if (i >= row.size()) continue;
      widest = std::max(widest, displayWidth(row[i]));
      figure = std::max(figure, narrowestFigure(row[i]));
      column.right = column.right && isNumeric(row[i]);
    }
    column.width = std::max(displayWidth(header[i]), widest);
    column.narrowest =
        std::max(longestWord(header[i]), column.right ? figure : std::min(widest, kNarrowText));
  }
  return columns;
}

std::size_t total(const std::vector<Column>& columns) {
  std::size_t sum = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const Column& column : columns) sum += column.width;
  return sum;
}

// Narrows the widest column that can be wrapped, until all fit.
void shrink(std::vector<Column>& columns, std::size_t width) {
  for (std::size_t excess = total(columns); excess > width; --excess) {
    Column* widest = nullptr;
    for (Column& column : columns) {
      const bool can = column.width > column.narrowest;
      if (can && (widest == nullptr || column.width > widest->width)) widest = &column;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

// The columns in blocks that each fit, all beginning with the first `keys`.
std::vector<std::vector<Column>> blocksOf(const std::vector<Column>& columns, std::size_t keys,
                                          std::size_t width) {
  const auto narrow = [](Column column) {
    column.width = column.narrowest;
    return column;
  };
  std::vector<Column> key;
  for (std::size_t i = 0; i < keys; ++i) key.push_back(narrow(columns[i]));
  std::vector<std::vector<Column>> blocks(1, key);
  for (std::size_t i = keys; i < columns.size(); ++i) {
    std::vector<Column> with = blocks.back();
    with.push_back(narrow(columns[i]));
    if (total(with) > width && blocks.back().size() > key.size()) {
      with = key;
      with.push_back(narrow(columns[i]));
      blocks.push_back(std::move(with));
    } else {
      blocks.back() = std::move(with);
    }
  }
  // Distributes the remaining width again.
  for (std::vector<Column>& block : blocks) {
    for (Column& column : block) column.width = columns[column.index].width;
    shrink(block, width);
  }
  return blocks;
}

// One row, in as many lines as its longest cell needs.
std::string rowText(const TextRow& cells, const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> wrapped;
  std::size_t lines = 1;
  for (const Column& column : columns) {
    const std::string cell = column.index < cells.size() ? cells[column.index] : std::string();
    wrapped.push_back(wrappedText(cell, std::max<std::size_t>(1, column.width)));
    lines = std::max(lines, wrapped.back().size());
  }
  std::string text;
  for (std::size_t at = 0; at < lines; ++at) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string part = at < wrapped[i].size() ? wrapped[i][at] : std::string();
      const std::string pad(columns[i].width - std::min(columns[i].width, displayWidth(part)), ' ');
      line += i > 0 ? std::string(kGap, ' ') : "";
      line += columns[i].right ? pad + part : part + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// The columns that identify a row: text columns before the first figure, as long as they leave at
// least half of the width to the figures when they are wrapped.
std::size_t keyColumns(const results::Table& table) {
  std::size_t keys = 0;
  std::size_t width = 0;
  for (; keys < table.columns.size(); ++keys) {
    std::size_t widest = 0;
    bool text = true;
    for (const auto& row : table.rows) {
      const auto* cell = keys < row.size() ? std::get_if<std::string>(&row[keys]) : nullptr;
      text = text && cell != nullptr;
      if (cell != nullptr) widest = std::max(widest, displayWidth(*cell));
    }
    width += kGap + std::max(longestWord(table.columns[keys]), std::min(widest, kNarrowText));
    if (!text || width > kTerminalColumns / 2) break;
  }
  return std::max<std::size_t>(1, keys);
}

std::string figureText(const results::Quantity& quantity, const results::ColumnFormat& format) {
  const results::QuantityText text = results::cellParts(quantity, format);
  return text.number + text.mark + (text.unit.empty() ? "" : " " + text.unit);
}

// Anomalies or deviations under a heading; nothing without any.
template <typename Remark>
std::string remarksText(const char* heading, const std::vector<Remark>& remarks) {
  if (remarks.empty()) return "";
  std::string text = fmt::format("\n{}\n", heading);
  for (const Remark& remark : remarks) text += paragraph(remarkText(remark), "- ", "  ");
  return text;
}

}  // namespace

std::string alignedTable(const TextRow& headings, const std::vector<TextRow>& written,
                         std::size_t keys, std::size_t width) {
  const auto clean = [](TextRow row) {
    for (std::string& cell : row) cell = printable(cell, true);
    return row;
  };
  const TextRow header = clean(headings);
  std::vector<TextRow> rows;
  rows.reserve(written.size());
  for (const TextRow& row : written) rows.push_back(clean(row));
  std::vector<Column> columns = columnsOf(header, rows);
  const std::vector<Column> natural = columns;
  shrink(columns, width);
  std::vector<std::vector<Column>> blocks{columns};
  if (total(columns) > width) {
    blocks = blocksOf(natural, std::min(keys, natural.size()), width);
  }
  std::string text;
  for (const std::vector<Column>& block : blocks) {
    if (!text.empty()) text += "\n";
    text += rowText(header, block);
    for (const TextRow& row : rows) text += rowText(row, block);
  }
  return text;
}

std::string paragraph(const std::string& text, const std::string& first,
                      const std::string& others) {
  std::string lines;
  for (const std::string& line : wrappedText(
           printable(text, true), kTerminalColumns - std::max(first.size(), others.size()))) {
    lines += (lines.empty() ? first : others) + line + "\n";
  }
  return lines;
}

std::string tableText(const results::Table& table) {
  results::Table shown = table;
  shown.rows.resize(table.shownRows());
  const std::vector<results::ColumnFormat> formats = results::columnFormats(shown);
  TextRow header;
  for (std::size_t i = 0; i < shown.columns.size(); ++i) {
    const results::LabelledUnit head = results::columnHead(shown.columns[i], formats[i]);
    header.push_back(head.unit.empty() ? head.text : head.text + " [" + head.unit + "]");
  }
  std::vector<TextRow> rows;
  for (const auto& row : shown.rows) {
    TextRow cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* text = std::get_if<std::string>(&row[i]);
      cells.push_back(
          text != nullptr ? *text : figureText(std::get<results::Quantity>(row[i]), formats[i]));
    }
    rows.push_back(std::move(cells));
  }
  std::string text = paragraph(table.title) + alignedTable(header, rows, keyColumns(shown));
  if (shown.rows.size() < table.rows.size()) {
    text += fmt::format("{} of {} rows; all are in the report's CSV file and in JSON\n",
                        shown.rows.size(), table.rows.size());
  }
  if (!table.note.empty()) text += paragraph(table.note);
  if (const std::string few = results::fewSamplesNote(shown); !few.empty()) text += paragraph(few);
  return text;
}

std::string testText(const results::TestResult& test) {
  std::string text =
      paragraph(fmt::format("{} {} ({} profile)", test.id, test.title, test.profile));
  text += paragraph(test.summary);
  for (const results::Table& table : test.tables) text += "\n" + tableText(table);
  if (!test.primary.empty()) text += "\n" + tableText(results::uncertaintyTable(test));
  if (test.cost) text += "\n" + tableText(*test.cost);
  text += remarksText("Deviations from the methodology", test.deviations);
  text += remarksText("Anomalies", test.anomalies);
  if (!test.valid) text += "\nNOT VALID: do not use these figures\n";
  return text;
}

}  // namespace plumbline::session
