// Common parts of the soaks of serving systems (I13.1 to I13.3): one long trial at 80 % of the load
// that the system can sustain, divided into windows.
//
// The draft samples a day every 15 minutes. A packet-level simulation of a day takes weeks, so the
// clock is compressed: a window of simulated time represents the interval up to the next sample.
// Unlike the training soak's, windows are not separate trials: requests, queues, pages of KV cache,
// queue pairs and congestion control continue from one to the next. A warm-up of whole windows
// precedes the first one; after the last one no request arrives, and the trial ends when the system
// is empty.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suite/framework/trend.h"
#include "suite/inference/sustained.h"

namespace plumbline::suite {

struct SoakClock {
  Picoseconds duration;  // of the day that it represents
  Picoseconds interval;
  Picoseconds window;         // simulated
  std::uint32_t warmup = 1;   // windows
  std::uint32_t windows = 0;  // after the warm-up

  // Simulated time at which a window begins; `windows`: the end of the last one.
  [[nodiscard]] Picoseconds begin(std::uint32_t number) const {
    return window * (std::int64_t{warmup} + number);
  }
  [[nodiscard]] double hour(std::uint32_t number) const {
    return (interval * std::int64_t{number}).toSeconds() / 3600;
  }
};

// A design with the soak's clock and load, and one point "no event". The clock has no windows if
// the design has refusals.
struct ServingSoakDesign {
  explicit ServingSoakDesign(const TestConfig& config);

  Design design;
  SoakClock clock;
};

// A figure with a value for each window; none for windows without it.
struct WindowFigure {
  std::string column;
  std::string unit;
  std::string kpi;  // empty: none
  bool more_is_better = false;
  std::vector<std::optional<double>> values;
  // Of percentiles: which, and the samples of each value. 0: they are none.
  double quantile = 0;
  std::vector<std::uint64_t> samples{};

  [[nodiscard]] std::vector<double> present() const;
  // `value` of the figure, of window `k`, or of the one with the fewest samples.
  [[nodiscard]] results::Quantity inWindow(std::uint32_t k) const;
  [[nodiscard]] results::Quantity overWindows(double value) const;
};

// Serving and fabric in each window of a trial: requests count in the window of their arrival;
// tokens, gaps, packets and bytes in the window in which they occurred.
std::vector<WindowFigure> servedWindows(const TestConfig& config, const SoakClock& clock,
                                        const bench::TrialSpec& spec,
                                        const bench::TrialResult& trial);
// Pages, transfers and queue pairs in each window.
std::vector<WindowFigure> memoryWindows(const SoakClock& clock, const bench::TrialResult& trial);

// Requests that P99 of an exponential tail needs for a relative standard error `error`: 99 / (error
// ln 100)^2. And the error for a number of requests.
double requestsForP99(double error);
double errorOfP99(double requests);

// Little's law as an identity: the model's mean number of requests in the system in a window,
// against the total time of the requests' records in it. Returns the windows in which they differ.
std::vector<std::uint32_t> littleViolations(const SoakClock& clock,
                                            const serving::ServingResult& result);

// "06:00": of a window, on the day's clock.
std::string windowClock(const SoakClock& clock, std::uint32_t number);

// Adds lines of figures over the day.
void addWindowChart(const SoakClock& clock, const std::vector<WindowFigure>& figures,
                    results::Chart heading, ResultBuilder& builder);

struct WindowTrends {
  std::size_t significant = 0;
  std::size_t judged = 0;  // figures
};
// Adds a row for each figure that has a value in every window: mean, least-squares slope with its
// 95 % interval, Mann-Kendall. A trend is significant at 99 % for all figures together
// (Bonferroni). Significant trends are anomalies. With too few windows for any trend to be
// significant, no figure is judged, which is an anomaly as well.
WindowTrends addWindowTrends(const SoakClock& clock, const std::vector<WindowFigure>& figures,
                             ResultBuilder& builder);

inline constexpr double kSoakFalseAlarm = 0.01;  // of all figures together

}  // namespace plumbline::suite
