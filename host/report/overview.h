// Page one of a report.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace plumbline::report {

// The DUT, the verdict of the limits, validity and anomalies, the main figures of each test and
// some pictures. `anchors` are the ids of the tests' sections, one for each test; a test's
// anomalies are at anomaliesAnchor() of it.
std::string overviewHtml(const ReportInput& input, const std::vector<std::string>& anchors);

}  // namespace plumbline::report
