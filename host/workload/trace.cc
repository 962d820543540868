#include "workload/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <sstream>

#include "base/text_fields.h"
#include "base/whole_number.h"

namespace plumbline::workload {
namespace {

constexpr std::uint64_t kMaxNanoseconds = 1'000'000'000'000'000;
constexpr std::size_t kMaxFields = 5;

// One line at a time; the first mistake ends it.
class TraceParser {
 public:
  explicit TraceParser(std::uint32_t ranks) : ranks_(ranks) {}

  std::variant<std::vector<TraceEntry>, TraceError> parse(std::istream& text, TextExtent* extent) {
    TextTable table(text);
    while (!error_ && table.next()) {
      line_ = table.lines().number();
      if (table.lines().tooLong()) {
        fail(1, kLineTooLong);
      } else {
        parseLine(table.fields(), table.endColumn());
      }
      if (error_ && table.lines().torn()) error_->what += kTornLine;
    }
    if (extent != nullptr) *extent = table.lines().extent();
    if (error_) return *error_;
    return std::move(entries_);
  }

 private:
  void fail(std::size_t column, std::string what) {
    if (!error_) error_ = TraceError{line_, column, std::move(what)};
  }

  void parseLine(std::span<const TextField> fields, std::size_t end_column) {
    const bool first = header_allowed_;
    header_allowed_ = false;
    if (first && isHeader(fields)) return;
    if (first && namesColumns(fields)) {
      fail(1, "the columns are not time_ns,from,to,bytes[,tag] in this order");
    } else {
      parseEntry(fields, end_column);
    }
  }

  static bool isHeader(std::span<const TextField> fields) {
    constexpr std::array<std::string_view, kMaxFields> kNames{"time_ns", "from", "to", "bytes",
                                                              "tag"};
    if (fields.size() < kMaxFields - 1 || fields.size() > kMaxFields) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!sameColumn(fields[i].text, kNames[i])) return false;
    }
    return true;
  }

  static bool namesColumns(std::span<const TextField> fields) {
    return std::all_of(fields.begin(), fields.end(), [](const TextField& field) {
      const char first = field.text.empty() ? '\0' : field.text.front();
      return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    });
  }

  void parseEntry(std::span<const TextField> fields, std::size_t end_column) {
    if (fields.size() < kMaxFields - 1) {
      fail(end_column, "fewer than four fields: time_ns,from,to,bytes[,tag]");
      return;
    }
    if (fields.size() > kMaxFields) {
      fail(fields[kMaxFields].column, "more than five fields");
      return;
    }
    TraceEntry entry;
    entry.time = time(fields[0]);
    entry.from = static_cast<Rank>(integer(fields[1], 0, UINT32_MAX, "rank"));
    entry.to = static_cast<Rank>(integer(fields[2], 0, UINT32_MAX, "rank"));
    entry.bytes = integer(fields[3], 1, transport::kMaxMessage, "number of bytes");
    if (fields.size() == kMaxFields) {
      entry.tag = static_cast<std::uint32_t>(integer(fields[4], 0, UINT32_MAX, "tag"));
    }
    for (const std::size_t i : {1U, 2U}) {
      if ((i == 1 ? entry.from : entry.to) >= ranks_) {
        fail(fields[i].column, fmt::format("the job has ranks 0 to {}", ranks_ - 1));
      }
    }
    if (entry.from == entry.to) fail(fields[2].column, "a message from a rank to itself");
    if (!error_) entries_.push_back(entry);
  }

  std::uint64_t integer(const TextField& field, std::uint64_t min, std::uint64_t max,
                        std::string_view name) {
    if (field.text.empty()) {
      fail(field.column, fmt::format("a {} is missing", name));
      return min;
    }
    const auto wrong = std::find_if(field.text.begin(), field.text.end(),
                                    [](char c) { return c < '0' || c > '9'; });
    if (wrong != field.text.end()) {
      fail(field.column + static_cast<std::size_t>(wrong - field.text.begin()),
           fmt::format("a {} has decimal digits only", name));
      return min;
    }
    const auto value = wholeNumberUpTo(field.text, max);
    if (!value) fail(field.column, fmt::format("a {} of more than {}", name, max));
    if (value && *value < min) fail(field.column, fmt::format("a {} of less than {}", name, min));
    return value.value_or(min);
  }

  Picoseconds time(const TextField& field) {
    const std::size_t point = std::min(field.text.find('.'), field.text.size());
    const std::uint64_t whole =
        integer({field.text.substr(0, point), field.column}, 0, kMaxNanoseconds, "time");
    std::uint64_t fraction = 0;
    if (point < field.text.size()) {
      const TextField digits{field.text.substr(point + 1), field.column + point + 1};
      if (digits.text.size() > 3) fail(digits.column, "more than three digits of a nanosecond");
      if (error_) return Picoseconds();
      fraction = integer(digits, 0, 999, "fraction");
      for (std::size_t i = digits.text.size(); i < 3; ++i) fraction *= 10;
    }
    return Picoseconds(static_cast<std::int64_t>(whole * 1000 + fraction));
  }

  std::uint32_t ranks_;
  std::size_t line_ = 0;
  bool header_allowed_ = true;
  std::optional<TraceError> error_;
  std::vector<TraceEntry> entries_;
};

}  // namespace

std::variant<std::vector<TraceEntry>, TraceError> parseTrace(std::istream& text,
                                                             std::uint32_t ranks,
                                                             TextExtent* extent) {
  return TraceParser(ranks).parse(text, extent);
}

std::variant<std::vector<TraceEntry>, TraceError> parseTrace(std::string_view text,
                                                             std::uint32_t ranks) {
  std::istringstream stream{std::string(text)};
  return parseTrace(stream, ranks);
}

}  // namespace plumbline::workload
