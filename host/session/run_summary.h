// Text of a finished run: a summary, and all its tables.
#pragma once

#include <string>

#include "results/store.h"
#include "session/run.h"

namespace plumbline::session {

// Up to this many tests are summarised individually; more become a table of a line or two each.
inline constexpr std::size_t kMaxSummarisedTests = 4;
// Most lines for a test that is summarised individually.
inline constexpr std::size_t kMaxSummaryLines = 15;

// Of each test: title, whether it is valid, its main figures with their uncertainty, the first
// anomalies and the number of deviations. Then the limits.
std::string summaryText(const results::StoredRun& run, const Verdict& verdict);

// All tables of all tests, then the limits.
std::string runText(const results::StoredRun& run, const Verdict& verdict);

}  // namespace plumbline::session
