// Demands with what a run has to them, as a reader of the report sees them.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"
#include "suite/conformance/conformance.h"

namespace plumbline::suite {

// "column “P95” of table “Bus bandwidth”": with titles of `result` where they are given.
std::string placeText(const Place& place, const results::TestResult* result);
// The same of all places of a demand, or why there is none.
std::string answerText(const Demand& demand, const results::TestResult* result);

// A demand on a result, or on a run as a whole.
struct DemandRow {
  const Demand* demand = nullptr;
  std::string test;      // empty: of every report
  bool here = false;     // the run has it, and a value of it
  bool missing = false;  // the product has it, this run does not
  std::string answer;    // where it is, why it is nowhere, or what is missing
};

// Demands of the draft on these results, test by test, each once; then those on every report.
// Nothing for results of other tests only.
std::vector<DemandRow> demandRows(const std::vector<results::TestResult>& results);

}  // namespace plumbline::suite
