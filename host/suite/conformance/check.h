// Whether a result meets the demands of the methodology.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"
#include "suite/conformance/conformance.h"

namespace plumbline::suite {

// A fault of one demand in a result.
struct Finding {
  enum class Kind {
    kAbsent,      // no such table, column, KPI …
    kEmpty,       // no value: no row, or "-" and "not observed" only
    kConstant,    // the same at every point, and the data file does not declare it constant
    kVaries,      // declared constant in the data file, but every place varies
    kUnit,        // a value in another unit than the demand's
    kNotDeclared  // a value of the draft's sweep was not run, without a deviation for it
  };

  Kind kind = Kind::kAbsent;
  const Demand* demand = nullptr;
  std::string text;  // place and fault, one clause: "table busbw has no column \"P95\""
};

// Demands of `demands` that `result` does not meet. Only places that a result can have are checked;
// of general demands those of every test and of this one. A value at a single point is not
// constant, nor is a sweep whose missing values are listed as deviations. Where a demand has a
// unit, only numbers are values. Demands that the tester card cannot meet are skipped in its
// results. kVaries depends on the scenario, and matters for the shipped ones.
std::vector<Finding> check(const std::vector<Demand>& demands, const results::TestResult& result);

// Values of the draft's sweep that the result lacks, declared or not.
std::vector<std::string> notRun(const Demand& demand, const results::TestResult& result);

// "host/suite/conformance/training.yaml:120: T9.1, "P95 of BusBW": table busbw has no column "P95""
std::string findingText(const Finding& finding, const std::string& test);

}  // namespace plumbline::suite
