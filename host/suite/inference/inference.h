// The tests of KV cache transfer between two endpoints (inference draft, sections 5.1 and 5.2).
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// One test each, of static lifetime; see the .cc file for what it does.
const Procedure& kvTransferTest();

}  // namespace plumbline::suite
