// One test's part of the report.
#pragma once

#include <string>
#include <vector>

#include "report/contents.h"
#include "report/report.h"
#include "results/test_result.h"

namespace plumbline::report {

// Key figures, configuration, tables, charts, distributions, anomalies, deviations, repeatability
// and demands of `test` under a heading with the anchor `anchor`. If elements failed in the test
// and the topology is known, a drawing shows them.
std::string testSectionHtml(const results::TestResult& test, const std::string& anchor,
                            const ReportInput& input);

// Anchor of its anomalies.
std::string anomaliesAnchor(const std::string& anchor);

// The existing parts of the section, for the contents of a report of few tests.
std::vector<ContentsEntry> testParts(const results::TestResult& test, const std::string& anchor);

// All figures of `test` by machine name and point, as a table; empty text if there are none.
std::string kpiTableHtml(const results::TestResult& test);

}  // namespace plumbline::report
