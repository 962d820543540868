// Whether a result has what is demanded of it.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"
#include "suite/conformance/conformance.h"

namespace plumbline::suite {

// What is wrong with one demand in a result.
struct Finding {
  enum class Kind {
    kAbsent,      // no such table, column, KPI …
    kEmpty,       // no value in it: no row, or "-" and "not observed" only
    kConstant,    // the same at every point, and the data file does not say why
    kVaries,      // the data file says that it is constant, and each of its places varies
    kUnit,        // a value in another unit than demanded
    kNotDeclared  // a value of the draft's sweep was not run, and no deviation says so
  };

  Kind kind = Kind::kAbsent;
  const Demand* demand = nullptr;
  std::string text;  // what is where, one clause: "table busbw has no column \"P95\""
};

// Demands of `demands` that `result` does not meet. Judged are the places that a result can have;
// of general demands those of every test and of this one. A value at a single point is not
// constant. A sweep is not constant either, if deviations of the result name the values that were
// not run. Where a demand has a unit, only numbers are values. What the tester card does not have
// is not looked for where it measured. kVaries tells of a scenario, and matters for the shipped
// ones.
std::vector<Finding> check(const std::vector<Demand>& demands, const results::TestResult& result);

// Values of the draft's sweep that the result does not have, declared or not.
std::vector<std::string> notRun(const Demand& demand, const results::TestResult& result);

// "host/suite/conformance/training.yaml:120: T9.1, "P95 of BusBW": table busbw has no column "P95""
std::string findingText(const Finding& finding, const std::string& test);

}  // namespace plumbline::suite
