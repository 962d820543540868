// A stored run as files other programs read: one JSON document, or one flat CSV.
#pragma once

#include <string>

#include "results/store.h"

namespace plumbline::results {

// The run and all its test results; histograms sparse as [bucket, count] pairs. Indented, ends with
// a newline.
std::string exportJson(const StoredRun& run);

// One line per cell of every table and per KPI, with the columns of kCsvHeader: RFC 4180 quoting,
// LF line ends, doubles with all their digits.
std::string exportCsv(const StoredRun& run);

inline constexpr const char* kCsvHeader =
    "test,table,row,column,value,unit,observed,repetitions,cv,confidence_low,confidence_high,"
    "statistics,statistical,systematic,coverage_factor,expanded,samples";

}  // namespace plumbline::results
