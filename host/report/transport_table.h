// UET beside RoCEv2, where a test measured both at the same points.
#pragma once

#include <optional>

#include "results/test_result.h"

namespace plumbline::report {

// A row for each figure and point, a column for each service. What a point's label says from the
// first word of a transport on (RC, UC, RoCEv2; ROD, RUD, RUDI, UUD, UET) is the service, what it
// says before is the point: "8 MiB, 32 ranks, RUD, packet spray" is RUD with packet spray at 8 MiB
// and 32 ranks. Nothing unless services of both transports met at some point. Of tests with very
// many figures only the main one is in the table.
std::optional<results::Table> transportTable(const results::TestResult& test);

}  // namespace plumbline::report
