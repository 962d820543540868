// Measures the points of a sweep on this machine, several at a time, each in a process of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sweep/sweep_directory.h"

namespace plumbline::sweep {

struct LocalOptions {
  std::size_t workers = 1;  // at a time
  // Polled continuously; true lets the workers finish their current trials and ends.
  std::function<bool()> stop_requested;
  // Events, one line each.
  std::function<void(const std::string&)> say;
};

struct LocalOutcome {
  bool stopped = false;
  std::vector<std::size_t> failed;  // points whose workers ended without a result
};

// A killed worker is restarted, unless it has died three times without a finished trial in between.
// A worker that ended by itself without a result has failed: its output is in the point's log.
// Throws Error(kUsage) when another process uses this directory in the same way.
LocalOutcome runLocally(const SweepDirectory& directory, const LocalOptions& options);

// The command that measures a point.
std::vector<std::string> workerCommand(const SweepDirectory& directory, std::size_t point);

}  // namespace plumbline::sweep
