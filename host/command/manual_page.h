// Manual pages in roff, for man(1): one of the program, and one of each of its verbs with theirs.
#pragma once

#include <string>
#include <vector>

#include "command/help.h"

namespace plumbline::command {

struct ManualPage {
  std::string file;  // "plumbline-run.1"
  std::string text;
};

// `version` stands in the foot of each page: "plumbline 0.1.0".
std::vector<ManualPage> manualPages(const CommandHelp& program, const std::string& version);

}  // namespace plumbline::command
