#include "workload/pattern.h"

#include <fmt/format.h>

#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::workload {
namespace {

// By rejection: a third of all permutations have no fixed point.
std::vector<Rank> derangement(std::uint32_t ranks, RandomStream& random) {
  std::vector<Rank> to(ranks);
  for (bool fixed = true; fixed;) {
    std::iota(to.begin(), to.end(), 0);
    for (std::uint32_t i = ranks; i > 1; --i) std::swap(to[i - 1], to[random.below(i)]);
    fixed = false;
    for (Rank rank = 0; rank < ranks; ++rank) fixed |= to[rank] == rank;
  }
  return to;
}

}  // namespace

std::vector<std::pair<Rank, Rank>> pairsOf(const MessageProgram& program, std::uint32_t ranks,
                                           std::uint64_t seed, const std::string& name) {
  if (ranks < 2) throw Error(ErrorKind::kUsage, "messages among fewer than two ranks");
  std::vector<std::pair<Rank, Rank>> pairs;
  switch (program.pattern) {
    case Pattern::kPairs:
      for (Rank rank = 0; rank + 1 < ranks; rank += 2) pairs.emplace_back(rank, rank + 1);
      break;
    case Pattern::kShift:
      for (Rank rank = 0; rank < ranks; ++rank) {
        pairs.emplace_back(rank, (rank + program.shift % ranks) % ranks);
      }
      break;
    case Pattern::kRandomPermutation: {
      RandomStream random(seed, name + "/permutation");
      const std::vector<Rank> to = derangement(ranks, random);
      for (Rank rank = 0; rank < ranks; ++rank) pairs.emplace_back(rank, to[rank]);
      break;
    }
    case Pattern::kIncast:
      for (Rank rank = 1; rank < ranks; ++rank) pairs.emplace_back(rank, 0);
      break;
    case Pattern::kExplicit:
      pairs = program.pairs;
      break;
  }
  for (const auto& [from, to] : pairs) {
    if (from >= ranks || to >= ranks || from == to) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("messages from rank {} to rank {} of {}", from, to, ranks), {},
                  "two different ranks of the job");
    }
  }
  if (!program.bidirectional) return pairs;
  std::vector<std::pair<Rank, Rank>> both;
  for (const auto& [from, to] : pairs) {
    both.emplace_back(from, to);
    both.emplace_back(to, from);
  }
  return both;
}

}  // namespace plumbline::workload
