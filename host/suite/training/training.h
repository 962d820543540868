// The tests of the training draft, one file each.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

const Procedure& throughputTest();  // T5.1
const Procedure& latencyTest();     // T5.2
const Procedure& burstTest();       // T5.3

}  // namespace plumbline::suite
