#include "control/live_interval.h"

#include "control/json_fields.h"
#include "control/live_fields.h"

namespace plumbline::control {

std::string LiveInterval::toJson() const { return dump(jsonOf(*this)); }

std::optional<LiveInterval> LiveInterval::fromJson(std::string_view text) {
  LiveInterval interval;
  if (!readJson(text, JsonRole::kAnswer, interval).empty()) return std::nullopt;
  return interval;
}

void addLatency(const LiveLatency& delta, std::vector<std::uint64_t>& counts) {
  counts.resize(stats::kHistogramBuckets);
  for (const stats::Histogram::Cell& cell : delta.delta) counts.at(cell.bucket) += cell.count;
}

}  // namespace plumbline::control
