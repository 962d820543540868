// Metrics that a DUT reports during a soak (memory, CPU, occupancy of tables), as CSV text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::suite {

// One value that the DUT reported.
struct DutMetric {
  double seconds = 0;  // since the soak began
  std::string name;    // "memory_bytes": the unit is part of the name
  double value = 0;

  bool operator==(const DutMetric&) const = default;
};

// A mistake in a text of metrics, with its position; line and column count from 1, in bytes.
struct DutMetricError {
  std::size_t line = 0;
  std::size_t column = 0;
  std::string what;
};

inline constexpr std::size_t kMaxDutMetricName = 64;
inline constexpr std::size_t kMaxDutMetricNames = 64;
// Largest magnitude of a value: its squares, summed, are far from the largest number.
inline constexpr double kMaxDutMetricValue = 1e100;

enum class DutMetricTimes {
  kGiven,   // time_s,metric,value
  kAbsent,  // metric,value
};

struct DutMetrics {
  std::vector<DutMetric> metrics;       // in the order of the text
  std::size_t lines_not_used = 0;       // those with a mistake
  std::optional<DutMetricError> first;  // the mistake of the first of them
};

// The metrics of a text, one per line, with the fields above: seconds from 0 to 10^9, a name of 1
// to 64 letters, digits and "_.-/", and a decimal number with optional fraction and exponent, of at
// most 10^100. Also allowed are whatever base/text_fields.h skips (a byte order mark, blanks, empty
// lines, comments, quotes) and a first line with the names of the fields, in any case; at most 64
// different names, each with one value for a time. A line with a mistake has no influence on the
// others. With kAbsent every time is 0. Never throws for any text (except for lack of memory).
DutMetrics parseDutMetrics(std::string_view text, DutMetricTimes times);

// One metric over time.
struct DutSeries {
  std::string name;
  std::vector<double> hours;  // ascending
  std::vector<double> values;
};

// By name, each ordered by time. A metric has one value for a time, as parseDutMetrics() gives it.
std::vector<DutSeries> seriesOf(std::vector<DutMetric> metrics);

// Unit of a metric that is memory by its name: one of its words (separated by "_.-/", in any case)
// is memory, mem, rss, heap, vsz or pss.
struct MemoryUnit {
  // Bytes of one unit, from the name's last word that is a unit: bytes or b 1, kb 1000, kib 1024,
  // mb, mib, gb, gib. 0: no word is a unit.
  double bytes = 0;
};
// Nothing for metrics other than memory and for shares of memory (percent, pct, ratio).
std::optional<MemoryUnit> memoryUnit(std::string_view name);

// The first comment of a text without its '#': the message of a source without metrics. Otherwise
// "no metrics".
std::string firstComment(std::string_view text);

}  // namespace plumbline::suite
