// The contents of a page: links to its sections, beside a wide window, folded on top of a narrow
// one, not in print. Style sheet only, no script.
#pragma once

#include <string>
#include <vector>

namespace plumbline::report {

struct ContentsEntry {
  std::string anchor;  // id of the target; empty: a heading of the list
  std::string text;
  std::string mark{};  // at the end of the line: "2 anomalies"; may be empty
  bool below = false;  // part of the entry before
};

std::string contentsHtml(const std::vector<ContentsEntry>& entries);

}  // namespace plumbline::report
