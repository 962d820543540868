#include "workload/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text_fields.h"

namespace plumbline::workload {
namespace {

constexpr std::uint64_t kMaxNanoseconds = 1'000'000'000'000'000;
constexpr std::size_t kMaxFields = 5;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// One line at a time; the first mistake ends it.
class TraceParser {
 public:
  explicit TraceParser(std::uint32_t ranks) : ranks_(ranks) {}

  std::variant<std::vector<TraceEntry>, TraceError> parse(std::string_view text) {
    forEachLineOfFields(text, [this](std::size_t number, std::string_view line) {
      line_ = number;
      parseLine(line);
      return !error_;
    });
    if (error_) return *error_;
    return std::move(entries_);
  }

 private:
  void fail(std::size_t column, std::string what) {
    if (!error_) error_ = TraceError{line_, column, std::move(what)};
  }

  void parseLine(std::string_view line) {
    std::array<TextField, kMaxFields> fields;
    const std::size_t count = split(line, fields);
    if (error_) return;
    if (!header_allowed_ || !isHeader(fields, count)) parseEntry(fields, count, line.size() + 1);
    header_allowed_ = false;
  }

  std::size_t split(std::string_view line, std::array<TextField, kMaxFields>& fields) {
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= line.size();) {
      if (count == kMaxFields) {
        fail(begin + 1, "more than five fields");
        return count;
      }
      fields[count++] = takeField(line, begin);
    }
    return count;
  }

  static bool isHeader(const std::array<TextField, kMaxFields>& fields, std::size_t count) {
    constexpr std::array<std::string_view, kMaxFields> kNames{"time_ns", "from", "to", "bytes",
                                                              "tag"};
    if (count < kMaxFields - 1) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (fields[i].text != kNames[i]) return false;
    }
    return true;
  }

  void parseEntry(const std::array<TextField, kMaxFields>& fields, std::size_t count,
                  std::size_t end_column) {
    if (count < kMaxFields - 1) {
      fail(end_column, "fewer than four fields: time_ns,from,to,bytes[,tag]");
      return;
    }
    TraceEntry entry;
    entry.time = time(fields[0]);
    entry.from = static_cast<Rank>(integer(fields[1], 0, UINT32_MAX, "rank"));
    entry.to = static_cast<Rank>(integer(fields[2], 0, UINT32_MAX, "rank"));
    entry.bytes = integer(fields[3], 1, transport::kMaxMessage, "number of bytes");
    if (count == kMaxFields) {
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

  std::uint64_t integer(const TextField& field, std::uint64_t least, std::uint64_t most,
                        std::string_view name) {
    std::uint64_t value = 0;
    if (field.text.empty()) fail(field.column, fmt::format("a {} is missing", name));
    for (std::size_t i = 0; i < field.text.size(); ++i) {
      if (!isDigit(field.text[i])) {
        fail(field.column + i, fmt::format("a {} has decimal digits only", name));
        return least;
      }
      const auto digit = static_cast<std::uint64_t>(field.text[i] - '0');
      if (value > (most - digit) / 10) {
        fail(field.column, fmt::format("a {} of more than {}", name, most));
        return least;
      }
      value = value * 10 + digit;
    }
    if (value < least) fail(field.column, fmt::format("a {} of less than {}", name, least));
    return value;
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

std::variant<std::vector<TraceEntry>, TraceError> parseTrace(std::string_view text,
                                                             std::uint32_t ranks) {
  return TraceParser(ranks).parse(text);
}

}  // namespace plumbline::workload
