// What `sweep` and `results merge` share.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace plumbline::cli {

// Merges the sweep in `path`, prints tables and limits and writes the report. `partial`: also when
// points are missing.
ExitCode mergeAndConclude(const std::string& path, bool partial, bool tables);

}  // namespace plumbline::cli
