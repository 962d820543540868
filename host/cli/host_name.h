// The name of this host, as it goes by in queues and clock identities.
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
