// The common frame of all pages.
#pragma once

#include <string>

#include "report/report.h"

namespace plumbline::report {

// A whole document including the style sheet; only `contents` and `body` are HTML already.
// `contents` is contentsHtml(), or empty.
std::string page(const std::string& title, const std::string& contents, const std::string& body,
                 const std::string& footer);

// The head of a page: kind of page, title, and facts.
std::string pageHeader(const std::string& kind, const std::string& title, const KeyValues& facts);

}  // namespace plumbline::report
