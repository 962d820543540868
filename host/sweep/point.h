// Measures one point of a sweep, for workers on any machine.
#pragma once

#include <cstddef>

#include "session/run_watcher.h"
#include "sweep/sweep_directory.h"

namespace plumbline::sweep {

// Runs the trials of the point that are not stored yet; returns at once when all are. Throws as
// session::executeRun(), and Error(kUsage) when another process is working on the point.
void measurePoint(const SweepDirectory& directory, std::size_t point, session::RunWatcher& watcher);

// Throws Error(kUnsupported) or Error(kUsage) when a point of the sweep cannot run, with the
// point's label and all its reasons. `options` has the overrides of the scenario.
void checkPoints(const scenario::Sweep& sweep, const session::ScenarioOptions& options);

}  // namespace plumbline::sweep
