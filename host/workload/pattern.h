// Who sends to whom in a MessageProgram.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workload/workload_spec.h"

namespace plumbline::workload {

// The pairs (from, to) among `ranks` in the order that phases count them, those of a bidirectional
// program's other direction directly behind their own. kRandomPermutation is drawn from `seed` and
// `name`: uniform over all permutations without fixed points. Throws Error(kUsage) for a pattern
// that does not exist among so many ranks.
std::vector<std::pair<Rank, Rank>> pairsOf(const MessageProgram& program, std::uint32_t ranks,
                                           std::uint64_t seed, const std::string& name);

}  // namespace plumbline::workload
