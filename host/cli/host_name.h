// The name of this host: shown to other users of a server, and part of a clock's identity.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace plumbline::cli {

// Empty when it has none.
inline std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace plumbline::cli
