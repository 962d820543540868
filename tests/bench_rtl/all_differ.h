// Checks that every change of a description changes the text under which it is stored.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

namespace plumbline::bench {

// Applies each of `changes` to a copy of `base`; `textOf` must give different texts for it and for
// all of them.
template <typename Spec, typename Changes, typename TextOf>
void expectAllDiffer(const Spec& base, const Changes& changes, const TextOf& textOf) {
  std::set<std::string> seen{textOf(base)};
  std::size_t number = 0;
  for (const auto change : changes) {
    Spec spec = base;
    change(spec);
    EXPECT_TRUE(seen.insert(textOf(spec)).second) << "change " << number;
    ++number;
  }
}

}  // namespace plumbline::bench
