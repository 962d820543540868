// Text of fields with commas between them, a line each: what the small parsers of traces and
// metrics have in common. '#' begins a comment; blanks around a field do not count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace plumbline {

struct TextField {
  std::string_view text;   // without blanks around
  std::size_t column = 1;  // where it begins in its line, from 1
};

// `text` without blanks around; it begins in `column` of its line.
inline TextField trimmedField(std::string_view text, std::size_t column) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  if (first == text.size()) return {{}, column};
  return {text.substr(first, text.find_last_not_of(kBlanks) - first + 1), column + first};
}

// The field that begins at offset `begin` of `line`, which goes on to the next one: behind the
// line's size there is none.
inline TextField takeField(std::string_view line, std::size_t& begin) {
  const std::size_t from = begin;
  const std::size_t end = std::min(line.find(',', from), line.size());
  begin = end + 1;
  return trimmedField(line.substr(from, end - from), from + 1);
}

// Calls `visit(number, line)` for each line of `text`, numbered from 1, without its end and its
// comment, until it returns false. Lines in which nothing is left are passed over.
template <typename Visit>
void forEachLineOfFields(std::string_view text, Visit&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    line = line.substr(0, line.find('#'));
    if (!trimmedField(line, 1).text.empty() && !visit(number, line)) return;
  }
}

}  // namespace plumbline
