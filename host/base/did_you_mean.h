// The suggestion behind "did you mean": for keys of scenarios, verbs, options and names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumbline {

// The closest of `candidates` to a mistyped `word`, when one is close enough to be meant: at most a
// third of its letters (one in any case) inserted, deleted, replaced or swapped with a neighbour.
// Case is ignored.
std::optional<std::string> didYouMean(std::string_view word,
                                      std::span<const std::string> candidates);

}  // namespace plumbline
