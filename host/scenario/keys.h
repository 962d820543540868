// Every key of a scenario, as it is declared: what schema and documents are written from.
#pragma once

#include "spec/field.h"

namespace plumbline::scenario {

// The keys of the file itself; the sections among them lead to their own (Field::fields, variants).
const spec::Fields& scenarioKeys();

}  // namespace plumbline::scenario
