// Suggestions for a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::fabric {

// The up to three of `known` that look most like `wanted`, best first and otherwise in their order,
// as "a, b, c"; names that share too little are left out. Empty when nothing is near.
std::string similarNames(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace plumbline::fabric
