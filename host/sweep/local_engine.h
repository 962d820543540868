// Measures the points of a sweep on this machine, some at a time, each in a process of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sweep/sweep_directory.h"

namespace plumbline::sweep {

struct LocalOptions {
  std::size_t workers = 1;  // at a time
  // Asked all the time; true lets the workers finish the trials they have in hand and ends.
  std::function<bool()> stop_requested;
  // What happens, a line each.
  std::function<void(const std::string&)> say;
};

struct LocalOutcome {
  bool stopped = false;
  std::vector<std::size_t> failed;  // points whose workers ended without a result
};

// A worker that was killed is started again, unless it has died three times without a finished
// trial in between. One that ended by itself without a result has failed: what it said is in the
// point's log. Throws Error(kUsage) when another process does the same with this directory.
LocalOutcome runLocally(const SweepDirectory& directory, const LocalOptions& options);

// The command that measures a point.
std::vector<std::string> workerCommand(const SweepDirectory& directory, std::size_t point);

}  // namespace plumbline::sweep
