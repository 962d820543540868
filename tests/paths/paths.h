// Where tests find files of the checkout and what was built of it. In a library of its own: the
// names of both folders in other sources would be a reason to compile them anew in every checkout.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

// The file or folder at `below` in the checkout, as in "docs/openapi.yaml".
std::string checkoutPath(std::string_view below);

// The file or folder at `below` in the folder of the build, as in "roce-guest".
std::string builtPath(std::string_view below);

// A program of this build, as in "plumbline-target".
std::string programPath(std::string_view name);

// The command itself.
std::string commandPath();

}  // namespace plumbline
