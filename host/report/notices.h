// Remarks that a reader must know besides the figures.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::report {

// An unfolded list of errors.
std::string anomaliesHtml(const std::vector<results::Anomaly>& anomalies);

// A folded list under `title` with its length: intended differences from the methodology. Empty
// text if there are none.
std::string foldedNoticesHtml(const std::string& title,
                              const std::vector<results::Deviation>& notices);

// `content` (HTML) that folds away under `title`. Print shows all of it.
std::string foldedHtml(const std::string& title, const std::string& content);

}  // namespace plumbline::report
