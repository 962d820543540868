#include "base/csv_field.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "base/printable.h"

namespace plumbline {

namespace {

// Spreadsheets compute text that begins like a formula, unless it is a number.
bool isSpreadsheetFormula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos) {
    return false;
  }
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec != std::errc() || read.ptr != end;
}

}  // namespace

std::string csvField(const std::string& given) {
  std::string text = printable(given, true);
  if (isSpreadsheetFormula(text)) text.insert(text.begin(), '\'');
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace plumbline
