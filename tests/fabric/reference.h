// A second, deliberately naive simulator of the same models: every change of state is an event of
// its own in one sorted set, queues are lists that are searched, nothing is computed ahead. It
// shares no code with the fabric but the unit types.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {

// Runs `traffic` at 100 Gb/s. Supported are single switches and leaf–spine fabrics with one spine,
// where there is no choice of path. Losses carry no reason other than kBufferFull.
Log referenceRun(const FabricSpec& spec, const std::vector<Sending>& traffic);

}  // namespace plumbline::fabric::testing
