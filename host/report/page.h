// The frame that every page shares.
#pragma once

#include <string>

#include "report/report.h"

namespace plumbline::report {

// A whole document with the style sheet in it; `contents` and `body`, and nothing else, are HTML
// already. `contents` is contentsHtml(), or empty.
std::string page(const std::string& title, const std::string& contents, const std::string& body,
                 const std::string& footer);

// What a page begins with: what kind of page, its title, and facts about it.
std::string pageHeader(const std::string& kind, const std::string& title, const KeyValues& facts);

}  // namespace plumbline::report
