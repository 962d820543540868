#include "base/calendar_time.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/whole_number.h"

namespace plumbline {
namespace {

constexpr std::size_t kSecondDigits = 12;

// Seconds by which a time with the offset `text` ("Z", "+01", "-0130", "+05:30") is ahead of UTC.
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

}  // namespace

std::optional<CalendarTime> calendarTime(std::string_view text) {
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
  CalendarTime time;
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
  if (text.empty()) return time;
  const auto offset = offsetOf(text);
  if (!offset) return std::nullopt;
  time.seconds -= *offset;
  time.with_offset = true;
  return time;
}

}  // namespace plumbline
