// When a trial on simulated hosts may end before its time: as soon as its main figure is known well
// enough (stats/stationarity.h). Plain data; StationarityWatch applies it.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "stats/stationarity.h"

namespace plumbline::bench {

// The figure that is watched. One of the test's: which, its procedure says.
enum class WatchedFigure : std::uint8_t {
  kGoodput,        // payload that arrives at all simulated hosts [Gb/s], over intervals of time
  kMessageTime,    // post to completion [ns], mean of messages that are acknowledged
  kIterationTime,  // of the first job, first rank's start to last rank's finish [us]
};

// With kIterationTime the job ends after the iteration that it is in, as if it had been given so
// many. With the others the trial ends where it is, like one that is over by its duration.
struct EarlyEndSpec {
  WatchedFigure figure = WatchedFigure::kGoodput;
  stats::StationarityRule rule;
  Picoseconds from{};        // what was before is not observed
  Picoseconds not_before{};  // earliest end

  bool operator==(const EarlyEndSpec&) const = default;
};

// What is known of the figure when the trial ends; in the figure's unit.
struct EarlyEndOutcome {
  WatchedFigure figure = WatchedFigure::kGoodput;
  bool stationary = false;  // the trial ended by the rule; else it took all its time
  double confidence = 0;    // of the interval mean - half_width to mean + half_width
  double mean = 0;
  double half_width = 0;
  // Of the batch means that the interval is of; 0: too few observations, nothing is known.
  std::uint64_t batches = 0;
  // Left out at the beginning, and of a batch: iterations, or time.
  std::uint64_t warm_up_iterations = 0;
  std::uint64_t batch_iterations = 0;
  Picoseconds warm_up{};
  Picoseconds batch{};
  double autocorrelation = 0;    // of the batch means, lag 1
  std::uint64_t samples = 0;     // messages or iterations behind the warm-up; 0 for goodput
  std::uint64_t iterations = 0;  // reached; 0 where none are counted
  Picoseconds end{};             // reached
};

}  // namespace plumbline::bench
