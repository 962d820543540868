// The uncertainty of a quantity in words, for report, terminal and window alike.
#pragma once

#include <array>
#include <string>

#include "results/test_result.h"

namespace plumbline::results {

// Text of `statistics`: "5 repetitions", "20 batches of one trial", "identical in all 3
// repetitions", "deterministic: repetitions add nothing", "not known: one repetition".
std::string statisticsText(const Quantity& quantity);
// Statistical standard uncertainty and its basis: "1.2 ns (5 repetitions)"; only the words without
// a number.
std::string statisticalText(const Quantity& quantity);
// "1.8 ns (timestamp resolution 3.1 ns; histogram bucket 4 ns)"; "none: counted" where no source
// applies, "not known" where none is known.
std::string systematicText(const Quantity& quantity);
// "± 5.2 ns (k = 2.78)"; "0: exact" where nothing is uncertain, "not known" where a part is
// unknown.
std::string expandedText(const Quantity& quantity);
// "P99.9 of 180 samples, 10,000 needed"; empty for other figures.
std::string percentileText(const Quantity& quantity);

// For CSV, each empty where unknown: basis of the statistical part (statisticsName()), its standard
// uncertainty, the systematic one, coverage factor, expanded uncertainty, samples of a percentile.
std::array<std::string, 6> uncertaintyFields(const Quantity& quantity);

// The test's key figures with statistical, systematic and expanded uncertainty; no rows without
// key figures.
Table uncertaintyTable(const TestResult& test);
// Explanation of the "*" of markOf() in one sentence, if the table has it; else empty.
std::string fewSamplesNote(const Table& table);

}  // namespace plumbline::results
