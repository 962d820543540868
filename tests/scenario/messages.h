// Messages about an invalid scenario, in the form that tests compare word for word.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "scenario/parse.h"

namespace plumbline::scenario {

// All problems, in the order of the file, which is called "s".
inline std::vector<std::string> messages(const ParseResult& result) {
  std::vector<std::string> all;
  for (const Problem& problem : result.problems) all.push_back(problem.text("s"));
  return all;
}

// An invalid scenario, and all its messages.
struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> expected;
};

// By its name alone, for GoogleTest.
inline void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

}  // namespace plumbline::scenario
