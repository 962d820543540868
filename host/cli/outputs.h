// The files and directories that a run writes besides its results.
#pragma once

#include "cli/run_options.h"

namespace plumbline::cli {

// Throws Error(kUsage) when one of the files that `options` names cannot be written to, or two of
// them are the same one: before anything is measured.
void checkOutputFiles(const RunOptions& options);

// The same of the directories, which are made.
void makeOutputDirectories(const RunOptions& options);

}  // namespace plumbline::cli
