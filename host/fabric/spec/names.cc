#include "fabric/spec/names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace plumbline::fabric {
namespace {

constexpr std::size_t kMaxSuggestions = 3;

// Levenshtein distance: characters to insert, delete or replace.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::string similarNames(std::string_view wanted, const std::vector<std::string>& known) {
  const std::size_t furthest = std::max<std::size_t>(1, wanted.size() / 3);
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, position
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::size_t distance = editDistance(wanted, known[i]);
    if (distance <= furthest) ranked.emplace_back(distance, i);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > kMaxSuggestions) ranked.resize(kMaxSuggestions);
  std::string text;
  for (const auto& [distance, position] : ranked) {
    if (!text.empty()) text += ", ";
    text += known[position];
  }
  return text;
}

}  // namespace plumbline::fabric
