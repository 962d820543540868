// Counts what a test program allocates.
#pragma once

#include <cstdint>

namespace plumbline::transport_test {

// Calls of operator new since the program began.
std::uint64_t allocations();

}  // namespace plumbline::transport_test
