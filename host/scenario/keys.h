// Declarations of all keys of a scenario, from which schema and documents are generated.
#pragma once

#include "spec/field.h"

namespace plumbline::scenario {

// The keys of the file itself; sections among them refer to their own (Field::fields, variants).
const spec::Fields& scenarioKeys();

}  // namespace plumbline::scenario
