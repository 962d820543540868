// UET compared with RoCEv2, where a test measured both at the same points.
#pragma once

#include <optional>

#include "results/test_result.h"

namespace plumbline::report {

// A row for each figure and point, a column for each service. In a point's label the service begins
// with the first word of a transport (RC, UC, RoCEv2; ROD, RUD, RUDI, UUD, UET), and the text
// before is the point: "8 MiB, 32 ranks, RUD, packet spray" is RUD with packet spray at 8 MiB and
// 32 ranks. Nothing unless some point has services of both transports. For tests with very many
// figures only the main one is in the table.
std::optional<results::Table> transportTable(const results::TestResult& test);

}  // namespace plumbline::report
