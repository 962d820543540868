// The tests of the inference draft.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// One test each, of static lifetime; see the .cc file for what it does.
const Procedure& kvTransferTest();
const Procedure& expertDispatchTest();
const Procedure& expertRoutingTest();
const Procedure& wideExpertsTest();
const Procedure& expertContentionTest();

}  // namespace plumbline::suite
