#include "workload/request_trace.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "base/calendar_time.h"
#include "base/error.h"
#include "base/text_fields.h"
#include "base/whole_number.h"

namespace plumbline::workload {
namespace {

constexpr std::string_view kHeader = "TIMESTAMP,ContextTokens,GeneratedTokens";
constexpr std::array<std::string_view, 3> kColumns{"TIMESTAMP", "ContextTokens", "GeneratedTokens"};
constexpr std::string_view kTimeForm =
    "a time is written as 2023-11-16 18:17:03.9799600, with or without an offset such as +00:00";
constexpr std::int64_t kMaxSeconds = 1'000'000;

// One line at a time; the first mistake ends it.
class RequestTraceParser {
 public:
  explicit RequestTraceParser(const RequestRules& rules) : rules_(rules) {}

  std::variant<std::vector<TraceEntry>, TraceError> parse(std::istream& text, TextExtent* extent) {
    TextTable table(text);
    bool header = true;
    while (!error_ && (header || entries_.size() < rules_.max) && table.next()) {
      line_ = table.lines().number();
      if (table.lines().tooLong()) {
        fail(1, kLineTooLong);
      } else if (table.lines().extent().bytes > rules_.max_bytes) {
        fail(1, "the requests up to here take more than " + std::to_string(rules_.max_bytes) +
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
    if (extent != nullptr) *extent = table.lines().extent();
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
          fail(fields[j].column, "the column " + std::string(kColumns[i]) + " appears twice");
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
    const auto time = calendarTime(time_field.text);
    if (!time) fail(time_field.column, std::string(kTimeForm));
    const std::uint64_t max = transport::kMaxMessage / rules_.bytes_per_token;
    const std::uint64_t context =
        number(fields[column_[1]], 1, max, "context tokens, whose KV cache is a message");
    const std::uint64_t generated = number(fields[column_[2]], 0, UINT32_MAX, "generated tokens");
    if (error_) return;
    if (!times_.empty() && time->with_offset != with_offset_) {
      fail(time_field.column, with_offset_
                                  ? "this time has no offset from UTC, but those before have one"
                                  : "this time has an offset from UTC, but those before have none");
      return;
    }
    with_offset_ = time->with_offset;
    const auto index = static_cast<std::uint32_t>(entries_.size());
    TraceEntry& entry = entries_.emplace_back();
    entry.from = index % rules_.prefill;
    entry.to = rules_.prefill + index % (rules_.ranks - rules_.prefill);
    entry.bytes = context * rules_.bytes_per_token;
    entry.tag = static_cast<std::uint32_t>(generated);
    times_.push_back({*time, line_});
  }

  std::uint64_t number(const TextField& field, std::uint64_t min, std::uint64_t max,
                       const char* what) {
    const WholeNumber parsed = wholeNumber(field.text);
    const std::uint64_t value = parsed.value.value_or(min);
    if (parsed.value && value >= min && value <= max) return value;
    fail(field.column, (parsed.value ? std::string("out of range") : std::string(parsed.fault)) +
                           ": " + std::to_string(min) + " to " + std::to_string(max) + " " + what);
    return min;
  }

  // Converts calendar times into times after the earliest one.
  void setTimes() {
    if (times_.empty()) return;
    const auto earlier = [](const auto& a, const auto& b) {
      return std::pair(a.first.seconds, a.first.fraction) <
             std::pair(b.first.seconds, b.first.fraction);
    };
    const CalendarTime earliest = std::min_element(times_.begin(), times_.end(), earlier)->first;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const auto& [time, line] = times_[i];
      if (time.seconds - earliest.seconds >= kMaxSeconds) {
        line_ = line;
        fail(1, "10^15 ns or more after the earliest request");
        return;
      }
      entries_[i].time = between(earliest, time);
    }
  }

  RequestRules rules_;
  std::size_t fields_ = 0;  // of a line
  std::array<std::size_t, kColumns.size()> column_{};
  bool with_offset_ = false;  // the times so far
  std::size_t line_ = 0;
  std::optional<TraceError> error_;
  std::vector<TraceEntry> entries_;
  std::vector<std::pair<CalendarTime, std::size_t>> times_;  // and line, by entry
};

}  // namespace

std::variant<std::vector<TraceEntry>, TraceError> parseRequestTrace(std::istream& text,
                                                                    const RequestRules& rules,
                                                                    TextExtent* extent) {
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
