// What a reader must know beside the figures.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::report {

// A list that stands open: what went wrong.
std::string anomaliesHtml(const std::vector<results::Anomaly>& anomalies);

// A list under `title` that folds away, with how many there are: what differs from the methodology
// by intent. Empty text if there are none.
std::string foldedNoticesHtml(const std::string& title,
                              const std::vector<results::Deviation>& notices);

// `content` (HTML) that folds away under `title`, which stays. Print shows it all.
std::string foldedHtml(const std::string& title, const std::string& content);

}  // namespace plumbline::report
