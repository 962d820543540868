// Manual pages in roff, for man(1): one of the program, and one of each of its verbs with their
// verbs.
#pragma once

#include <string>
#include <vector>

#include "command/help.h"

namespace plumbline::command {

struct ManualPage {
  std::string file;  // "plumbline-run.1"
  std::string text;
};

// `version` is in the footer of each page: "plumbline 0.1.0".
std::vector<ManualPage> manualPages(const CommandHelp& program, const std::string& version);

}  // namespace plumbline::command
