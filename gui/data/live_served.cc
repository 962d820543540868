// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/live_served.h"

namespace plumbline::gui {
namespace {

// Smallest number of first tokens in a stretch for which figures are shown; a count may be divided
// between two intervals.
constexpr double kMinCount = 1e-6;

void addPool(const control::LiveServingPool& pool, double time_s, LiveServed::Pool& over_time) {
  if (const auto used = occupancy(pool.all)) over_time.used.add(time_s, *used);
  if (pool.all.waiting) over_time.waiting.add(time_s, static_cast<double>(*pool.all.waiting));
}

}  // namespace

const std::array<const char*, kTtftParts>& ttftPartNames() {
  static constexpr std::array<const char*, kTtftParts> kNames = {"Router", "Queue", "Prefill",
                                                                 "KV transfer", "Decode init"};
  return kNames;
}

TtftParts partsOf(const control::LiveTtft& ttft) {
  return {ttft.router_s, ttft.queue_s, ttft.prefill_s, ttft.transfer_s, ttft.decode_init_s};
}

std::optional<double> occupancy(const control::LiveServingWorker& worker) {
  if (!worker.pages_used || worker.pages == 0) return std::nullopt;
  return 100 * static_cast<double>(*worker.pages_used) / static_cast<double>(worker.pages);
}

void LiveServed::add(const control::LiveServing& system, double time_s) {
  latest_ = system;
  // The last interval of a trial may repeat the previous time.
  if (time_s <= until_s_) return;
  until_s_ = time_s;
  if (system.ttft) {
    const auto count = static_cast<double>(system.ttft->count);
    const TtftParts parts = partsOf(*system.ttft);
    first_tokens_sum_ += count;
    for (std::size_t i = 0; i < kTtftParts; ++i) parts_sum_[i] += count * parts[i];
  }
  first_tokens_.add(time_s, first_tokens_sum_);
  for (std::size_t i = 0; i < kTtftParts; ++i) parts_[i].add(time_s, parts_sum_[i]);
  tokens_.add(time_s, static_cast<double>(system.tokens));
  good_tokens_.add(time_s, static_cast<double>(system.tokens_within_limits));
  good_requests_.add(time_s, static_cast<double>(system.within_limits));
  if (system.itl_p50_s) itl_p50_.add(time_s, *system.itl_p50_s * kMsPerSecond);
  if (system.itl_p99_s) itl_p99_.add(time_s, *system.itl_p99_s * kMsPerSecond);
  addPool(system.prefill, time_s, prefill_);
  addPool(system.decode, time_s, decode_);
}

std::array<ServedCurve, kTtftParts> LiveServed::ttftParts() const {
  std::array<ServedCurve, kTtftParts> curves;
  const Stretches stretches(until_s_);
  const std::vector<double> counts = growthOf(first_tokens_, stretches);
  for (std::size_t part = 0; part < kTtftParts; ++part) {
    const std::vector<double> sums = growthOf(parts_[part], stretches);
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      if (counts[i] < kMinCount) continue;
      curves[part].x.push_back(stretches.middle(i));
      curves[part].y.push_back(sums[i] / counts[i] * kMsPerSecond);
    }
  }
  return curves;
}

ServedCurve LiveServed::rateOf(const TimeSeries& total) const {
  ServedCurve curve;
  const Stretches stretches(until_s_);
  const std::vector<double> growth = growthOf(total, stretches);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    curve.x.push_back(stretches.middle(i));
    curve.y.push_back(growth[i] / stretches.covered[i]);
  }
  return curve;
}

}  // namespace plumbline::gui
