// One test's part of the report.
#pragma once

#include <optional>
#include <string>

#include "fabric/fabric_spec.h"
#include "results/test_result.h"

namespace plumbline::report {

// Key figures, configuration, tables, charts, distributions, anomalies, deviations and
// repeatability of `test` under a heading with the anchor `anchor`. Where the test let something
// fail and `topology` is known, a drawing shows what.
std::string testSectionHtml(const results::TestResult& test, const std::string& anchor,
                            const std::optional<fabric::TopologySpec>& topology);

// All figures of `test` by machine name and point, as a table; empty text if there are none.
std::string kpiTableHtml(const results::TestResult& test);

}  // namespace plumbline::report
