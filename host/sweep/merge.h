// Merges the points of a sweep into one run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "results/store.h"
#include "sweep/sweep_directory.h"

namespace plumbline::sweep {

struct Merged {
  std::filesystem::path directory;  // of the result store, DIR/merged
  results::StoredRun run;           // the only one in it
  std::vector<std::size_t> missing;
};

// Recreates DIR/merged from the finished points: their trials, and one result for each test
// (suite::foldSweep). A point counts once and only when its run is done and no process is working
// on it. With `missing_too`, unfinished points become anomalies and make the results invalid;
// otherwise Error(kUsage) names them.
Merged mergeSweep(const SweepDirectory& directory, bool missing_too);

}  // namespace plumbline::sweep
