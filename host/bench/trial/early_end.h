// When a trial on simulated hosts may end early: as soon as its main figure is known well enough
// (stats/stationarity.h). Plain data; StationarityWatch applies it.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "stats/stationarity.h"

namespace plumbline::bench {

// The watched figure: one of the procedure's figures, which the procedure selects.
enum class WatchedFigure : std::uint8_t {
  kGoodput,        // payload that arrives at all simulated hosts [Gb/s], over intervals of time
  kMessageTime,    // post to completion [ns], mean of messages that are acknowledged
  kIterationTime,  // of the first job, first rank's start to last rank's finish [us]
};

// With kIterationTime the job ends after its current iteration, as if it had been configured with
// that number. With the others the trial ends immediately, as at the end of its duration.
struct EarlyEndSpec {
  WatchedFigure figure = WatchedFigure::kGoodput;
  stats::StationarityRule rule;
  Picoseconds from{};        // earlier samples are ignored
  Picoseconds not_before{};  // earliest end

  bool operator==(const EarlyEndSpec&) const = default;
};

// What is known of the figure when the trial ends, in the figure's unit.
struct EarlyEndOutcome {
  WatchedFigure figure = WatchedFigure::kGoodput;
  bool stationary = false;  // the trial ended by this rule; false: after its full time
  double confidence = 0;    // of the interval mean - half_width to mean + half_width
  double mean = 0;
  double half_width = 0;
  // Number of batch means of the interval; 0: too few observations for an estimate.
  std::uint64_t batches = 0;
  // Warm-up that was left out, and length of a batch: in iterations, or in time.
  std::uint64_t warm_up_iterations = 0;
  std::uint64_t batch_iterations = 0;
  Picoseconds warm_up{};
  Picoseconds batch{};
  double autocorrelation = 0;    // of the batch means, lag 1
  std::uint64_t samples = 0;     // messages or iterations after the warm-up; 0 for goodput
  std::uint64_t iterations = 0;  // reached; 0 where none are counted
  Picoseconds end{};             // reached
};

}  // namespace plumbline::bench
