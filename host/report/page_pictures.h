// The pictures of page one.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace plumbline::report {

// Up to four pictures: the topology, if it is known, and of the tests what they show first (chart,
// distributions, heat map, timeline). Of one test or a few, each gives as many in turn; of many,
// the first test of a chapter ("T5", "T6") stands for it, and chapters are taken from the whole
// report. `anchors` as in overviewHtml().
std::string pagePicturesHtml(const ReportInput& input, const std::vector<std::string>& anchors);

}  // namespace plumbline::report
