#include "suite/framework/dut_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/text_fields.h"

namespace plumbline::suite {
namespace {

constexpr double kMaxSeconds = 1e9;
constexpr std::size_t kLongestNumber = 64;

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.-/").find(c) != std::string_view::npos;
}

// One line at a time; the first mistake of a line ends it.
class MetricParser {
 public:
  explicit MetricParser(DutMetricTimes times) {
    if (times == DutMetricTimes::kGiven) names_.emplace_back("time_s");
    names_.insert(names_.end(), {"metric", "value"});
  }

  DutMetrics parse(std::string_view text) {
    std::istringstream stream{std::string(text)};
    TextTable table(stream);
    while (table.next()) {
      line_ = table.lines().number();
      if (table.lines().tooLong()) {
        fail(1, "the line is too long, and the text is not read beyond it");
      } else {
        parseLine(table.fields(), table.endColumn());
      }
      header_allowed_ = false;
      if (!error_) continue;
      if (parsed_.lines_not_used++ == 0) parsed_.first = std::move(error_);
      error_.reset();
    }
    return std::move(parsed_);
  }

 private:
  void fail(std::size_t column, std::string what) {
    if (!error_) error_ = DutMetricError{line_, column, std::move(what)};
  }

  void parseLine(std::span<const TextField> fields, std::size_t end_column) {
    if (fields.size() > names_.size()) {
      fail(fields[names_.size()].column,
           fmt::format("more fields than {}", fmt::join(names_, ",")));
      return;
    }
    if (fields.size() < names_.size()) {
      fail(end_column, fmt::format("fewer fields than {}", fmt::join(names_, ",")));
      return;
    }
    const bool header =
        std::equal(fields.begin(), fields.end(), names_.begin(),
                   [](const TextField& a, const auto& b) { return sameColumn(a.text, b); });
    if (!header_allowed_ || !header) parseMetric(fields);
  }

  void parseMetric(std::span<const TextField> fields) {
    DutMetric metric;
    if (fields.size() > 2) {
      metric.seconds = number(fields[0], "time");
      if (metric.seconds < 0 || metric.seconds > kMaxSeconds) {
        fail(fields[0].column, "a time is 0 to 1e9 s");
      }
    }
    metric.name = name(fields[fields.size() - 2]);
    metric.value = number(fields.back(), "value");
    if (std::abs(metric.value) > kMaxDutMetricValue) {
      fail(fields.back().column, fmt::format("a value is at most {:g}", kMaxDutMetricValue));
    }
    if (error_) return;
    if (!values_.emplace(metric.name, metric.seconds).second) {
      fail(fields[fields.size() - 2].column, "a second value of the metric for the same time");
      return;
    }
    seen_.insert(metric.name);
    parsed_.metrics.push_back(std::move(metric));
  }

  double number(const TextField& field, std::string_view what) {
    double value = 0;
    const char* const end = field.text.data() + field.text.size();
    if (field.text.empty()) fail(field.column, fmt::format("a {} is missing", what));
    if (field.text.size() > kLongestNumber) fail(field.column, fmt::format("a {} too long", what));
    if (error_) return 0;
    const auto [last, code] = std::from_chars(field.text.data(), end, value);
    if (code != std::errc() || last != end || !std::isfinite(value)) {
      fail(field.column, fmt::format("a {} is a decimal number", what));
      return 0;
    }
    return value;
  }

  std::string name(const TextField& field) {
    if (field.text.empty()) fail(field.column, "a name is missing");
    if (field.text.size() > kMaxDutMetricName) {
      fail(field.column, fmt::format("a name has at most {} characters", kMaxDutMetricName));
    }
    const auto wrong = std::find_if_not(field.text.begin(), field.text.end(), isNameCharacter);
    if (wrong != field.text.end()) {
      fail(field.column + static_cast<std::size_t>(wrong - field.text.begin()),
           "a name has letters, digits and _.-/ only");
    }
    if (error_) return {};
    if (seen_.size() == kMaxDutMetricNames && !seen_.contains(field.text)) {
      fail(field.column, fmt::format("more than {} different names", kMaxDutMetricNames));
    }
    return std::string(field.text);
  }

  std::vector<std::string_view> names_;  // of the fields
  std::size_t line_ = 0;
  bool header_allowed_ = true;
  std::set<std::string, std::less<>> seen_;
  std::set<std::pair<std::string, double>> values_;  // name and time of each
  std::optional<DutMetricError> error_;              // of the line
  DutMetrics parsed_;
};

}  // namespace

DutMetrics parseDutMetrics(std::string_view text, DutMetricTimes times) {
  return MetricParser(times).parse(text);
}

std::vector<DutSeries> seriesOf(std::vector<DutMetric> metrics) {
  std::stable_sort(metrics.begin(), metrics.end(), [](const DutMetric& a, const DutMetric& b) {
    return std::tie(a.name, a.seconds) < std::tie(b.name, b.seconds);
  });
  constexpr double kSecondsPerHour = 3600;
  std::vector<DutSeries> series;
  for (const DutMetric& metric : metrics) {
    if (series.empty() || series.back().name != metric.name)
      series.push_back({metric.name, {}, {}});
    DutSeries& last = series.back();
    last.hours.push_back(metric.seconds / kSecondsPerHour);
    last.values.push_back(metric.value);
  }
  return series;
}

std::optional<MemoryUnit> memoryUnit(std::string_view name) {
  constexpr std::array<std::string_view, 6> kMemory{"memory", "mem", "rss", "heap", "vsz", "pss"};
  constexpr std::array<std::string_view, 3> kShares{"percent", "pct", "ratio"};
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{{{"bytes", 1},
                                                                       {"b", 1},
                                                                       {"kb", 1e3},
                                                                       {"kib", 0x1p10},
                                                                       {"mb", 1e6},
                                                                       {"mib", 0x1p20},
                                                                       {"gb", 1e9},
                                                                       {"gib", 0x1p30}}};
  const auto has = [](const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  std::string plain;
  plain.reserve(name.size());
  for (const char c : name) {
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  bool memory = false;
  MemoryUnit unit;
  for (std::size_t begin = 0; begin <= plain.size();) {
    const std::size_t end = std::min(plain.find_first_of("_.-/", begin), plain.size());
    const std::string_view word = std::string_view(plain).substr(begin, end - begin);
    if (has(kShares, word)) return std::nullopt;
    memory = memory || has(kMemory, word);
    for (const auto& [text, bytes] : kUnits) {
      if (word == text) unit.bytes = bytes;
    }
    begin = end + 1;
  }
  return memory ? std::optional(unit) : std::nullopt;
}

std::string firstComment(std::string_view text) {
  const std::size_t sign = text.find('#');
  if (sign == std::string_view::npos) return "no metrics";
  const std::string_view line = text.substr(sign + 1);
  return std::string(trimmedField(line.substr(0, line.find('\n')), 1).text);
}

}  // namespace plumbline::suite
