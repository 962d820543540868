// A request from the workload, and the hashes that identify its pages in a cache.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace plumbline::serving {

struct Request {
  Picoseconds arrival;                // scheduled; from the start of the run
  std::uint32_t prompt = 1;           // tokens, 1 or more
  std::uint32_t output = 1;           // tokens, 1 or more; hidden from the scheduler
  std::uint32_t prefix_span = 0;      // tokens per id below; 0: none
  std::vector<std::uint64_t> prefix;  // equal first ids: equal first tokens
};

// Hashes of the first pages of `page` tokens of the prompt that can be shared: those completely
// covered by ids, and at most (prompt - 1) / page, since at least one token is computed. Equal for
// two requests as far as their ids, and so their tokens, are.
std::vector<std::uint64_t> pageHashes(const Request& request, std::uint32_t page);

}  // namespace plumbline::serving
