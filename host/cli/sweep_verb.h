// Common part of `sweep` and `results merge`.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace plumbline::cli {

// Merges the sweep in `path`, prints tables and limits and writes the report. `partial`: also with
// missing points.
ExitCode mergeAndConclude(const std::string& path, bool partial, bool tables);

}  // namespace plumbline::cli
