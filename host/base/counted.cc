#include "base/counted.h"

#include <fmt/format.h>

namespace plumbline {

std::string counted(std::uint64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) {
    noun.remove_suffix(1);
    return fmt::format("{} {}ies", count, noun);
  }
  return fmt::format("{} {}s", count, noun);
}

}  // namespace plumbline
