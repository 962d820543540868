// A request as the workload makes it, and the hashes by which its pages are found in a cache.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plumbline::serving {

struct Request {
  Picoseconds arrival;                // scheduled; from the start of the run
  std::uint32_t prompt = 1;           // tokens, 1 or more
  std::uint32_t output = 1;           // tokens, 1 or more; the scheduler never sees it
  std::uint32_t prefix_span = 0;      // tokens that one of the ids below stands for; 0: none
  std::vector<std::uint64_t> prefix;  // equal ids in front: equal tokens in front
};

// Hashes of the pages of `page` tokens in front of the prompt that can be shared: those that the
// ids say everything about, and at most (prompt - 1) / page, since one token at least is computed.
// Equal for two requests as far as their ids, and so their tokens, are.
std::vector<std::uint64_t> pageHashes(const Request& request, std::uint32_t page);

}  // namespace plumbline::serving
