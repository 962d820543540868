#include "workload/request_trace.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::workload {
namespace {

constexpr std::string_view kHeader = "TIMESTAMP,ContextTokens,GeneratedTokens";
constexpr std::string_view kTimeForm = "a time is written as 2023-11-16 18:17:03.9799600";
constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr std::int64_t kMaxSeconds = 1'000'000;
constexpr std::size_t kSecondDigits = 12;

// All of `text`, digits only.
template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool digits = !text.empty() && text.front() >= '0' && text.front() <= '9';
  return digits && stop == end && error == std::errc() ? std::optional(value) : std::nullopt;
}

struct Time {
  std::int64_t seconds = 0;   // of the calendar
  std::int64_t fraction = 0;  // [ps]

  friend auto operator<=>(const Time&, const Time&) = default;
};

std::optional<Time> timeOf(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-dd dd:dd:dd";
  if (text.size() < kPattern.size()) return std::nullopt;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kPattern[i] == 'd' ? !digit : text[i] != kPattern[i]) return std::nullopt;
  }
  const auto at = [&](std::size_t first, std::size_t count) {
    return *number<std::int64_t>(text.substr(first, count));
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
  if (text.size() == kPattern.size()) return time;
  std::string digits(text.substr(kPattern.size() + 1));
  if (text[kPattern.size()] != '.' || digits.empty() || digits.size() > kSecondDigits) {
    return std::nullopt;
  }
  digits.resize(kSecondDigits, '0');
  const auto fraction = number<std::int64_t>(digits);
  if (!fraction) return std::nullopt;
  time.fraction = *fraction;
  return time;
}

// One line at a time; the first mistake ends it.
class RequestTraceParser {
 public:
  explicit RequestTraceParser(const RequestRules& rules) : rules_(rules) {}

  std::variant<std::vector<TraceEntry>, TraceError> parse(std::string_view text) {
    for (bool header = true; !error_ && (header || !text.empty()); header = false) {
      if (!header && entries_.size() == rules_.most) break;
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (header && line != kHeader) fail(1, "the first line is not " + std::string(kHeader));
      if (!header && !line.empty()) parseRequest(line);
    }
    if (!error_) setTimes();
    if (error_) return *error_;
    return std::move(entries_);
  }

 private:
  void fail(std::size_t column, std::string what) {
    if (!error_) error_ = TraceError{line_, column, std::move(what)};
  }

  void parseRequest(std::string_view line) {
    const std::size_t first = line.find(',');
    const std::size_t second = first == line.npos ? line.npos : line.find(',', first + 1);
    if (second == line.npos) {
      fail(line.size() + 1, "fewer than three fields: " + std::string(kHeader));
      return;
    }
    const auto time = timeOf(line.substr(0, first));
    const auto context = number<std::uint64_t>(line.substr(first + 1, second - first - 1));
    const auto generated = number<std::uint32_t>(line.substr(second + 1));
    if (!time) fail(1, std::string(kTimeForm));
    if (!context || *context == 0 || *context > transport::kMaxMessage / rules_.bytes_per_token) {
      fail(first + 2, "context tokens are 1 to " +
                          std::to_string(transport::kMaxMessage / rules_.bytes_per_token) +
                          ", whose KV cache is a message");
    }
    if (!generated) fail(second + 2, "generated tokens are a number below 2^32");
    if (error_) return;
    const auto index = static_cast<std::uint32_t>(entries_.size());
    TraceEntry& entry = entries_.emplace_back();
    entry.from = index % rules_.prefill;
    entry.to = rules_.prefill + index % (rules_.ranks - rules_.prefill);
    entry.bytes = *context * rules_.bytes_per_token;
    entry.tag = *generated;
    times_.push_back({*time, line_});
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
  std::size_t line_ = 0;
  std::optional<TraceError> error_;
  std::vector<TraceEntry> entries_;
  std::vector<std::pair<Time, std::size_t>> times_;  // and line, by entry
};

}  // namespace

std::variant<std::vector<TraceEntry>, TraceError> parseRequestTrace(std::string_view text,
                                                                    const RequestRules& rules) {
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
  return RequestTraceParser(rules).parse(text);
}

}  // namespace plumbline::workload
