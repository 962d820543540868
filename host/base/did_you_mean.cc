#include "base/did_you_mean.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace plumbline {
namespace {

// Longer words are not compared: they are not typing errors, and the cost is quadratic.
constexpr std::size_t kMaxCompared = 64;
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Insertions, deletions, replacements and swaps of neighbours that make `a` into `b`, ignoring
// case.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differs = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

}  // namespace

std::optional<std::string> didYouMean(std::string_view word,
                                      std::span<const std::string> candidates) {
  if (word.size() < 2 || word.size() > kMaxCompared) return std::nullopt;
  std::optional<std::string> best;
  // A third of the word may be wrong; one letter in any case.
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < limit || (distance == limit && !best)) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace plumbline
