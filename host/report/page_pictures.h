// The pictures of page one.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace plumbline::report {

// Up to four pictures: the topology, if it is known, and the first picture of tests (chart,
// distributions, heat map, timeline). One or a few tests contribute equally in turn; of many, the
// first test of a chapter ("T5", "T6") represents it, and chapters are taken from the whole report.
// `anchors` as in overviewHtml().
std::string pagePicturesHtml(const ReportInput& input, const std::vector<std::string>& anchors);

}  // namespace plumbline::report
