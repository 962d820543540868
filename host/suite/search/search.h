// Searches over an integer grid, with trials that pass, fail or are invalid.
//
// RFC 2544 section 26.1 leaves the search open ("binary search is common"); this one bisects a grid
// of equal steps, so that the number of trials is known beforehand and the result is a grid point:
// the highest value that passed while the next one failed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace plumbline::suite {

enum class Verdict {
  kPass,
  kFail,
  kInvalid,  // the trial cannot be trusted: the search ends without a result
};

struct SearchStep {
  std::uint64_t value;
  Verdict verdict;
};

struct SearchResult {
  // Highest value that passed; absent when even the lowest failed or a trial was invalid.
  std::optional<std::uint64_t> highest_passing;
  // The top of the range passed: the true limit may lie above it.
  bool reached_top = false;
  bool valid = true;
  std::vector<SearchStep> steps;  // in the order they were tried, each value once
};

using SearchTrial = std::function<Verdict(std::uint64_t value)>;

// Highest value in [low, high] that passes, for a trial that passes up to some value and fails from
// there on. Tries `high` first, then bisects; at most 2 + ceil(log2(high - low)) trials.
// Throws Error(kUsage) when low > high.
SearchResult searchHighestPassing(std::uint64_t low, std::uint64_t high, const SearchTrial& trial);

// The same, beginning at an expected value: tries `expected` and its upper neighbour; if the limit
// is elsewhere, widens the bracket by doubling steps before it bisects. Two trials when the
// expectation holds, at most about twice the plain search when it is far off.
SearchResult searchAround(std::uint64_t low, std::uint64_t high, std::uint64_t expected,
                          const SearchTrial& trial);

// Trials that searchHighestPassing() needs at most.
std::uint32_t searchTrials(std::uint64_t low, std::uint64_t high);

}  // namespace plumbline::suite
