// Files and names that several verbs share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/compare.h"
#include "results/store.h"

namespace plumbline::session {

// "plumbline 0.1.0"
std::string softwareName();
// "Linux 6.1.0 x86_64, 4 processors"
std::string machineName();

// RESULTS/run-N
std::string defaultReportDirectory(const std::string& results, std::int64_t run);

// Writes the report of a stored run into `directory` and returns the file to open.
std::string writeRunReport(const results::StoredRun& run, const std::string& directory);

// results::compareRuns(), with the differences between the scenarios of the runs.
results::Comparison compareStoredRuns(const results::StoredRun& first,
                                      const results::StoredRun& second);

// The run of this number, or the latest one. Throws Error(kUsage) when there is none.
results::StoredRun loadRunOrLatest(results::ResultStore& store, std::optional<std::int64_t> run);

}  // namespace plumbline::session
