// Files and directories that a run writes in addition to its results.
#pragma once

#include "cli/run_options.h"

namespace plumbline::cli {

// Throws Error(kUsage) when one of the files that `options` names cannot be written, or two of them
// are the same: before anything is measured.
void checkOutputFiles(const RunOptions& options);

// The same for the directories, which are created.
void makeOutputDirectories(const RunOptions& options);

}  // namespace plumbline::cli
