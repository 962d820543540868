// Text of documents for a declared field.
#pragma once

#include <string>

#include "spec/field.h"

namespace plumbline::scenario {

// "a size, 1B to 1024GiB"
std::string formOf(const spec::Field& field);

// "100KB", or the meaning of leaving it out in words; empty where that is obvious. `fresh`: a
// specification with its defaults, or null.
std::string defaultOf(const spec::Field& field, const void* fresh);

// All of it in one line: "Queue at which …. A size, 1B to 1024GiB. Default 100KB."
std::string descriptionOf(const spec::Field& field, const void* fresh);

}  // namespace plumbline::scenario
