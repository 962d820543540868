// Headings of percentiles that rest on too few samples.
#pragma once

#include <cstdint>
#include <string>

namespace plumbline::suite {

// The heading of a column: "P99", or "P99 (of 3)" where it rests on too few samples.
std::string quantileColumn(double q, std::uint64_t samples);

}  // namespace plumbline::suite
