#include "workload/request_trace.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text_fields.h"
#include "base/whole_number.h"

namespace plumbline::workload {
namespace {

constexpr std::string_view kHeader = "TIMESTAMP,ContextTokens,GeneratedTokens";
constexpr std::array<std::string_view, 3> kColumns{"TIMESTAMP", "ContextTokens", "GeneratedTokens"};
constexpr std::string_view kTimeForm =
    "a time is written as 2023-11-16 18:17:03.9799600, with or without an offset such as +00:00";
constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr std::int64_t kMaxSeconds = 1'000'000;
constexpr std::size_t kSecondDigits = 12;

struct Time {
  std::int64_t seconds = 0;   // of the calendar
  std::int64_t fraction = 0;  // [ps]

  friend auto operator<=>(const Time&, const Time&) = default;
};

// Seconds that a time with the offset `text` ("Z", "+01", "-0130", "+05:30") is ahead of UTC.
std::optional<std::int64_t> offsetOf(std::string_view text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text == "Z" || text == "z" || text == "UTC" || text == "GMT") return 0;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const std::int64_t sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  std::string digits(text);
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.size() == 2) digits += "00";
  const auto number = wholeNumberUpTo(digits, 2359);
  if (digits.size() != 4 || !number || *number % 100 > 59) return std::nullopt;
  return sign * static_cast<std::int64_t>(*number / 100 * 60 + *number % 100) * 60;
}

// A time, and whether it has an offset.
std::optional<std::pair<Time, bool>> timeOf(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-dd dd:dd:dd";
  constexpr std::size_t kBetween = 10;  // a blank, or T as in ISO 8601
  if (text.size() < kPattern.size()) return std::nullopt;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    const bool between = i == kBetween && (text[i] == 'T' || text[i] == 't');
    if (!between && (kPattern[i] == 'd' ? !digit : text[i] != kPattern[i])) return std::nullopt;
  }
  const auto at = [&](std::size_t first, std::size_t count) {
    return static_cast<std::int64_t>(*wholeNumber(text.substr(first, count)).value);
  };
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(at(0, 4))),
                                        std::chrono::month(static_cast<unsigned>(at(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(at(8, 2)))};
  const std::int64_t hours = at(11, 2);
  const std::int64_t minutes = at(14, 2);
  const std::int64_t seconds = at(17, 2);
  if (!day.ok() || hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  Time time;
  const std::chrono::sys_days days = day;
  time.seconds =
      ((days.time_since_epoch().count() * std::int64_t{24} + hours) * 60 + minutes) * 60 + seconds;
  text.remove_prefix(kPattern.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string digits(text.substr(0, end));
    if (digits.empty() || digits.size() > kSecondDigits) return std::nullopt;
    digits.resize(kSecondDigits, '0');
    time.fraction = static_cast<std::int64_t>(*wholeNumber(digits).value);
    text.remove_prefix(end);
  }
  if (text.empty()) return std::pair(time, false);
  const auto offset = offsetOf(text);
  if (!offset) return std::nullopt;
  time.seconds -= *offset;
  return std::pair(time, true);
}

// One line at a time; the first mistake ends it.
class RequestTraceParser {
 public:
  explicit RequestTraceParser(const RequestRules& rules) : rules_(rules) {}

  std::variant<std::vector<TraceEntry>, TraceError> parse(std::istream& text, TraceExtent* extent) {
    TextTable table(text);
    bool header = true;
    while (!error_ && (header || entries_.size() < rules_.most) && table.next()) {
      line_ = table.lines().number();
      if (table.lines().tooLong()) {
        fail(1, kLineTooLong);
      } else if (table.lines().bytes() > rules_.most_bytes) {
        fail(1, "the requests up to here take more than " + std::to_string(rules_.most_bytes) +
                    " bytes: \"requests\" limits their number");
      } else if (header) {
        parseHeader(table.fields());
      } else {
        parseRequest(table.fields(), table.endColumn());
      }
      header = false;
      if (error_ && table.lines().torn()) error_->what += kTornLine;
    }
    if (header) {
      line_ = 1;
      fail(1, "the file is empty: its first line is " + std::string(kHeader));
    }
    if (extent != nullptr) *extent = {table.lines().bytes(), table.lines().hash()};
    if (!error_) setTimes();
    if (error_) return *error_;
    return std::move(entries_);
  }

 private:
  void fail(std::size_t column, std::string what) {
    if (!error_) error_ = TraceError{line_, column, std::move(what)};
  }

  void parseHeader(std::span<const TextField> fields) {
    fields_ = fields.size();
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      bool found = false;
      for (std::size_t j = 0; j < fields.size(); ++j) {
        if (!sameColumn(fields[j].text, kColumns[i])) continue;
        if (found) {
          fail(fields[j].column, "the column " + std::string(kColumns[i]) + " is here twice");
        }
        column_[i] = j;
        found = true;
      }
      if (!found) {
        fail(1, "the first line is not " + std::string(kHeader) + ": it has no " +
                    std::string(kColumns[i]));
      }
    }
  }

  void parseRequest(std::span<const TextField> fields, std::size_t end_column) {
    if (fields.size() < fields_) {
      fail(end_column, "fewer fields than the first line names");
      return;
    }
    if (fields.size() > fields_) {
      fail(fields[fields_].column, "more fields than the first line names");
      return;
    }
    const TextField& time_field = fields[column_[0]];
    const auto time = timeOf(time_field.text);
    if (!time) fail(time_field.column, std::string(kTimeForm));
    const std::uint64_t most = transport::kMaxMessage / rules_.bytes_per_token;
    const std::uint64_t context =
        number(fields[column_[1]], 1, most, "context tokens, whose KV cache is a message");
    const std::uint64_t generated = number(fields[column_[2]], 0, UINT32_MAX, "generated tokens");
    if (error_) return;
    if (!times_.empty() && time->second != with_offset_) {
      fail(time_field.column, with_offset_
                                  ? "this time has no offset from UTC, but those before have one"
                                  : "this time has an offset from UTC, but those before have none");
      return;
    }
    with_offset_ = time->second;
    const auto index = static_cast<std::uint32_t>(entries_.size());
    TraceEntry& entry = entries_.emplace_back();
    entry.from = index % rules_.prefill;
    entry.to = rules_.prefill + index % (rules_.ranks - rules_.prefill);
    entry.bytes = context * rules_.bytes_per_token;
    entry.tag = static_cast<std::uint32_t>(generated);
    times_.push_back({time->first, line_});
  }

  std::uint64_t number(const TextField& field, std::uint64_t least, std::uint64_t most,
                       const char* what) {
    const WholeNumber parsed = wholeNumber(field.text);
    const std::uint64_t value = parsed.value.value_or(least);
    if (parsed.value && value >= least && value <= most) return value;
    fail(field.column, (parsed.value ? std::string("out of range") : std::string(parsed.fault)) +
                           ": " + std::to_string(least) + " to " + std::to_string(most) + " " +
                           what);
    return least;
  }

  // Times of the calendar into times after the earliest.
  void setTimes() {
    if (times_.empty()) return;
    const Time earliest = std::min_element(times_.begin(), times_.end())->first;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const auto& [time, line] = times_[i];
      const std::int64_t seconds = time.seconds - earliest.seconds;
      if (seconds >= kMaxSeconds) {
        line_ = line;
        fail(1, "10^15 ns or more after the earliest request");
        return;
      }
      entries_[i].time =
          Picoseconds(seconds * kPicosecondsPerSecond + time.fraction - earliest.fraction);
    }
  }

  RequestRules rules_;
  std::size_t fields_ = 0;  // of a line
  std::array<std::size_t, kColumns.size()> column_{};
  bool with_offset_ = false;  // the times so far
  std::size_t line_ = 0;
  std::optional<TraceError> error_;
  std::vector<TraceEntry> entries_;
  std::vector<std::pair<Time, std::size_t>> times_;  // and line, by entry
};

}  // namespace

std::variant<std::vector<TraceEntry>, TraceError> parseRequestTrace(std::istream& text,
                                                                    const RequestRules& rules,
                                                                    TraceExtent* extent) {
  if (rules.prefill < 1 || rules.prefill >= rules.ranks) {
    throw Error(ErrorKind::kUsage,
                std::to_string(rules.prefill) + " prefill ranks of " + std::to_string(rules.ranks),
                "prefill", "1 or more, and one rank or more for decoding");
  }
  if (rules.bytes_per_token < 1 || rules.bytes_per_token > transport::kMaxMessage) {
    throw Error(ErrorKind::kUsage,
                "KV cache of " + std::to_string(rules.bytes_per_token) + " bytes", "kv_per_token",
                "1 to 2^40 - 1 bytes");
  }
  return RequestTraceParser(rules).parse(text, extent);
}

std::variant<std::vector<TraceEntry>, TraceError> parseRequestTrace(std::string_view text,
                                                                    const RequestRules& rules) {
  std::istringstream stream{std::string(text)};
  return parseRequestTrace(stream, rules);
}

}  // namespace plumbline::workload
