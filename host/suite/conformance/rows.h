// Demands and how a run meets them, for readers of the report.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"
#include "suite/conformance/conformance.h"

namespace plumbline::suite {

// "column “P95” of table “Bus bandwidth”": with titles from `result` if it is given.
std::string placeText(const Place& place, const results::TestResult* result);
// The same for all places of a demand, or the reason why there is none.
std::string answerText(const Demand& demand, const results::TestResult* result);

// A demand on a result, or on a run as a whole.
struct DemandRow {
  const Demand* demand = nullptr;
  std::string test;      // empty: of every report
  bool here = false;     // the run has it, with a value
  bool missing = false;  // the product has it, this run does not
  std::string answer;    // its place, the reason for having none, or what is missing
};

// Demands of the draft on these results, test by test, each once; then those on every report. Empty
// for results of other tests only.
std::vector<DemandRow> demandRows(const std::vector<results::TestResult>& results);

}  // namespace plumbline::suite
