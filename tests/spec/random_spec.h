// Specifications with random values, and their text in a scenario, from their declarations.
#pragma once

#include <random>
#include <string>

#include "spec/field.h"

namespace plumbline::spec {

// Gives every field that a scenario may give a random value in its range, or leaves it as it is;
// switches parts on or leaves them off; makes up to two items of each list.
void randomise(const Fields& fields, void* specification, std::mt19937_64& random);

// "xoff: 40KB, watchdog: {poll: 1ms}", without fields that have no value.
std::string scenarioText(const Fields& fields, const void* specification);

}  // namespace plumbline::spec
