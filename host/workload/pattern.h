// Pairs of sender and receiver in a MessageProgram.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workload/workload_spec.h"

namespace plumbline::workload {

// The pairs (from, to) among `ranks` in the order in which phases count them, each followed by its
// reverse in a bidirectional program. kRandomPermutation is drawn from `seed` and `name`: uniform
// over all permutations without fixed points. Throws Error(kUsage) for a pattern that does not
// exist for this number of ranks.
std::vector<std::pair<Rank, Rank>> pairsOf(const MessageProgram& program, std::uint32_t ranks,
                                           std::uint64_t seed, const std::string& name);

}  // namespace plumbline::workload
