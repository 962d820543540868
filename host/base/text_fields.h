// Tables as text: fields separated by commas, one row per line, as written by people, spreadsheets
// and programs (RFC 4180 without line breaks in fields). Common part of the parsers of traces and
// metrics. '#' begins a comment; blanks around a field are ignored; a field may be quoted.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/text_lines.h"

namespace plumbline {

struct TextField {
  std::string_view text;   // without quotes and blanks around
  std::size_t column = 1;  // where it begins in its line, from 1
};

// `text` without blanks around; it begins in `column` of its line.
TextField trimmedField(std::string_view text, std::size_t column);

// Whether both are the same column name, ignoring case.
bool sameColumn(std::string_view a, std::string_view b);

// The lines of a table that are not empty.
class TextTable {
 public:
  explicit TextTable(std::istream& text) : lines_(text) {}

  // Advances to the next line that is not empty and not only a comment; false at the end.
  bool next();

  // Its fields, at least one.
  [[nodiscard]] std::span<const TextField> fields() const { return fields_; }
  // Column after its last field, from 1.
  [[nodiscard]] std::size_t endColumn() const { return end_column_; }
  [[nodiscard]] const TextLines& lines() const { return lines_; }

 private:
  TextLines lines_;
  std::vector<TextField> fields_;
  std::size_t end_column_ = 1;
};

}  // namespace plumbline
