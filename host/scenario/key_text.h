// What documents say of a declared field.
#pragma once

#include <string>

#include "spec/field.h"

namespace plumbline::scenario {

// "a size, 1B to 1024GiB"
std::string formOf(const spec::Field& field);

// "100KB", or in words what leaving it out means; empty where that goes without saying. `fresh`: a
// specification with its defaults, or null.
std::string defaultOf(const spec::Field& field, const void* fresh);

// All of it in one line: "Queue at which …. A size, 1B to 1024GiB. Default 100KB."
std::string descriptionOf(const spec::Field& field, const void* fresh);

}  // namespace plumbline::scenario
