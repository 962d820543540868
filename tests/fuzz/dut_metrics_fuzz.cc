// links: plumbline_suite
// Any text as a DUT's report. Parsing ends with metrics inside their limits, which written out
// again parse to the same, or with a mistake inside the text; series have each metric once per
// time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "suite/framework/dut_metrics.h"

namespace {

using namespace plumbline::suite;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text, DutMetricTimes times) {
  const DutMetrics parsed = parseDutMetrics(text, times);
  require(parsed.first.has_value() == (parsed.lines_not_used > 0));
  if (const auto& error = parsed.first) {
    require(error->line >= 1 && error->column >= 1 && error->column <= text.size() + 1);
    require(!error->what.empty());
  }
  const std::vector<DutMetric>& metrics = parsed.metrics;
  std::string written;
  std::set<std::string> names;
  for (const DutMetric& metric : metrics) {
    require(metric.seconds >= 0 && metric.seconds <= 1e9 &&
            std::abs(metric.value) <= kMaxDutMetricValue);
    require(!metric.name.empty() && metric.name.size() <= kMaxDutMetricName);
    names.insert(metric.name);
    if (times == DutMetricTimes::kGiven) written += fmt::format("{},", metric.seconds);
    written += fmt::format("{},{}\n", metric.name, metric.value);
  }
  const DutMetrics again = parseDutMetrics(written, times);
  require(!again.first && again.metrics == metrics);
  const std::vector<DutSeries> series = seriesOf(metrics);
  require(series.size() == names.size());
  for (const DutSeries& one : series) {
    require(names.count(one.name) == 1 && one.hours.size() == one.values.size());
    require(std::is_sorted(one.hours.begin(), one.hours.end()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, DutMetricTimes::kGiven);
  check(text, DutMetricTimes::kAbsent);
  require(firstComment(text).find('\n') == std::string::npos);
  return 0;
}
