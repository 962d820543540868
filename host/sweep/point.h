// Measures one point of a sweep: what every worker does, on whatever machine.
#pragma once

#include <cstddef>

#include "session/run_watcher.h"
#include "sweep/sweep_directory.h"

namespace plumbline::sweep {

// Runs what of the point is not stored yet; at once when all is. Throws as session::executeRun(),
// and Error(kUsage) when another process has the point in hand.
void measurePoint(const SweepDirectory& directory, std::size_t point, session::RunWatcher& watcher);

// Throws Error(kUnsupported) or Error(kUsage) when a point of the sweep cannot run, with the
// point's label and all its reasons. `options` has what overrides the scenario.
void checkPoints(const scenario::Sweep& sweep, const session::ScenarioOptions& options);

}  // namespace plumbline::sweep
