// Counts allocations of a test program.
#pragma once

#include <cstdint>

namespace plumbline::transport_test {

// Calls of operator new since the program began.
std::uint64_t allocations();

}  // namespace plumbline::transport_test
