// The tests of the inference draft.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// One test each, of static lifetime; see the .cc file for what it does.
const Procedure& kvTransferTest();

const Procedure& disaggregatedTtftTest();  // I6.1
const Procedure& promptLengthTest();       // I10.1

}  // namespace plumbline::suite
