#include "suite/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace plumbline::suite {
namespace {

// The bracket: all values up to `passing` pass, all from `failing` on fail.
class Bracket {
 public:
  Bracket(std::uint64_t low, std::uint64_t high, const SearchTrial& trial)
      : low_(low), high_(high), end_(high + 1), trial_(trial) {
    if (low > high) {
      throw Error(ErrorKind::kUsage, fmt::format("nothing to search from {} to {}", low, high));
    }
  }

  // Tries `value`; false when the search is over because the trial was invalid.
  bool tryValue(std::uint64_t value) {
    const Verdict verdict = trial_(value);
    result_.steps.push_back({value, verdict});
    switch (verdict) {
      case Verdict::kPass:
        result_.highest_passing = value;
        break;
      case Verdict::kFail:
        end_ = value;
        break;
      case Verdict::kInvalid:
        result_.valid = false;
        result_.highest_passing.reset();
        break;
    }
    return result_.valid;
  }

  [[nodiscard]] std::optional<std::uint64_t> passing() const { return result_.highest_passing; }
  [[nodiscard]] bool failed() const { return end_ <= high_; }
  // Lowest value known to fail, once one has failed.
  [[nodiscard]] std::uint64_t failing() const { return end_; }

  // Bisects the remaining bracket.
  SearchResult finish() {
    while (result_.valid) {
      const std::uint64_t first = passing() ? *passing() + 1 : low_;  // lowest unknown
      if (first >= end_) break;
      // The middle of the bracket; without a passing value its lower end is below `low`.
      const std::uint64_t middle =
          passing() ? *passing() + (end_ - *passing()) / 2 : first + (end_ - 1 - first) / 2;
      tryValue(std::max(first, middle));
    }
    result_.reached_top = result_.highest_passing == high_;
    return std::move(result_);
  }

 private:
  std::uint64_t low_;
  std::uint64_t high_;
  std::uint64_t end_;  // lowest value known to fail; high + 1 while there is none
  const SearchTrial& trial_;
  SearchResult result_;
};

}  // namespace

SearchResult searchHighestPassing(std::uint64_t low, std::uint64_t high, const SearchTrial& trial) {
  Bracket bracket(low, high, trial);
  bracket.tryValue(high);
  return bracket.finish();
}

SearchResult searchAround(std::uint64_t low, std::uint64_t high, std::uint64_t expected,
                          const SearchTrial& trial) {
  Bracket bracket(low, high, trial);
  expected = std::clamp(expected, low, high);
  if (!bracket.tryValue(expected)) return bracket.finish();
  for (std::uint64_t step = 1;; step *= 2) {
    if (!bracket.failed()) {
      if (*bracket.passing() == high) break;
      if (!bracket.tryValue(*bracket.passing() + std::min(step, high - *bracket.passing()))) break;
    } else if (!bracket.passing()) {
      if (bracket.failing() == low) break;
      if (!bracket.tryValue(bracket.failing() - std::min(step, bracket.failing() - low))) break;
    } else {
      break;
    }
  }
  return bracket.finish();
}

std::uint32_t searchTrials(std::uint64_t low, std::uint64_t high) {
  // After `high` failed, [low, high) is open and has high - low values plus the outcome "none":
  // high - low + 1 outcomes, which each trial halves.
  return 1 + static_cast<std::uint32_t>(std::bit_width(high - low));
}

}  // namespace plumbline::suite
