#include "tests/paths/paths.h"

#include <filesystem>

namespace plumbline {

std::string checkoutPath(std::string_view below) {
  return std::filesystem::path(PLUMBLINE_CHECKOUT) / below;
}

std::string builtPath(std::string_view below) {
  return std::filesystem::path(PLUMBLINE_BUILD) / below;
}

std::string programPath(std::string_view name) {
  return std::filesystem::path(PLUMBLINE_PROGRAMS) / name;
}

std::string commandPath() { return programPath("plumbline"); }

}  // namespace plumbline
