#include "base/text_fields.h"

#include <algorithm>

namespace plumbline {
namespace {

char lowerLetter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Offset of the comment of `line`, or its size: a '#' in quotes begins none.
std::size_t commentOf(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] == '#' && !quoted) return at;
  }
  // An unmatched quote has no effect.
  return quoted ? std::min(line.find('#'), line.size()) : line.size();
}

// Offset of the end of the field that begins at `from` of `line`: of its comma, or the line's size.
std::size_t endOfField(std::string_view line, std::size_t from) {
  const std::size_t first = line.find_first_not_of(" \t", from);
  if (first != std::string_view::npos && line[first] == '"') {
    for (std::size_t at = line.find('"', first + 1); at != std::string_view::npos;
         at = line.find('"', at + 2)) {
      const bool doubled = at + 1 < line.size() && line[at + 1] == '"';
      if (!doubled) return std::min(line.find(',', at), line.size());
    }
  }
  return std::min(line.find(',', from), line.size());
}

TextField unquoted(TextField field) {
  const bool quotes =
      field.text.size() >= 2 && field.text.front() == '"' && field.text.back() == '"';
  if (!quotes) return field;
  return trimmedField(field.text.substr(1, field.text.size() - 2), field.column + 1);
}

}  // namespace

TextField trimmedField(std::string_view text, std::size_t column) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  if (first == text.size()) return {{}, column};
  return {text.substr(first, text.find_last_not_of(kBlanks) - first + 1), column + first};
}

bool sameColumn(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lowerLetter(x) == lowerLetter(y); });
}

bool TextTable::next() {
  fields_.clear();
  while (lines_.next()) {
    std::string_view line = lines_.line();
    line = line.substr(0, commentOf(line));
    if (trimmedField(line, 1).text.empty() && !lines_.tooLong()) continue;
    end_column_ = line.size() + 1;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = endOfField(line, begin);
      fields_.push_back(unquoted(trimmedField(line.substr(begin, end - begin), begin + 1)));
      begin = end + 1;
    }
    return true;
  }
  return false;
}

}  // namespace plumbline
