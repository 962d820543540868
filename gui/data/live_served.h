// SPDX-License-Identifier: GPL-3.0-or-later
// Live data of a serving system of the current trial, over time. Memory is bounded however long a
// trial lasts.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "control/live_interval.h"
#include "gui/data/stretches.h"
#include "gui/data/time_series.h"

namespace plumbline::gui {

inline constexpr double kMsPerSecond = 1e3;

// Parts of the time to the first token, in their order. They add up to it.
inline constexpr std::size_t kTtftParts = 5;
using TtftParts = std::array<double, kTtftParts>;
const std::array<const char*, kTtftParts>& ttftPartNames();

TtftParts partsOf(const control::LiveTtft& ttft);  // [s]

// Means and rates in stretches of trial time [s]. A stretch without data has no point.
struct ServedCurve {
  std::vector<double> x;  // middle of the stretch [s]
  std::vector<double> y;
};

class LiveServed {
 public:
  // Adds an interval of the trial, in order.
  void add(const control::LiveServing& system, double time_s);

  [[nodiscard]] const control::LiveServing& latest() const { return latest_; }
  [[nodiscard]] double until() const { return until_s_; }

  // Mean parts of the TTFT [ms] of the requests with their first token in a stretch: a curve for
  // each part, all with the same x.
  [[nodiscard]] std::array<ServedCurve, kTtftParts> ttftParts() const;
  // Per second: generated tokens; tokens, and requests, of answers that ended within the limits.
  [[nodiscard]] ServedCurve tokenRate() const { return rateOf(tokens_); }
  [[nodiscard]] ServedCurve goodTokenRate() const { return rateOf(good_tokens_); }
  [[nodiscard]] ServedCurve goodRequestRate() const { return rateOf(good_requests_); }
  // Of the gaps between tokens that ended within an interval [ms].
  [[nodiscard]] const TimeSeries& itlP50() const { return itl_p50_; }
  [[nodiscard]] const TimeSeries& itlP99() const { return itl_p99_; }
  // Of a pool: pages of KV cache in use [%], waiting requests.
  struct Pool {
    TimeSeries used;
    TimeSeries waiting;
  };
  [[nodiscard]] const Pool& prefill() const { return prefill_; }
  [[nodiscard]] const Pool& decode() const { return decode_; }

 private:
  [[nodiscard]] ServedCurve rateOf(const TimeSeries& total) const;

  control::LiveServing latest_;
  double until_s_ = 0;
  double first_tokens_sum_ = 0;
  TtftParts parts_sum_{};
  // Totals over trial time [s].
  TimeSeries first_tokens_;
  std::array<TimeSeries, kTtftParts> parts_;  // of all first tokens [request s]
  TimeSeries tokens_;
  TimeSeries good_tokens_;
  TimeSeries good_requests_;
  TimeSeries itl_p50_;
  TimeSeries itl_p99_;
  Pool prefill_;
  Pool decode_;
};

// Share of a worker's pages that are in use [%]; nothing if unknown.
std::optional<double> occupancy(const control::LiveServingWorker& worker);

}  // namespace plumbline::gui
