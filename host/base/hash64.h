// hash64() of a text that comes in pieces.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/random.h"

namespace plumbline {

class Hash64 {
 public:
  constexpr void add(std::string_view piece) {
    for (const char c : piece) {
      state_ ^= static_cast<unsigned char>(c);
      state_ *= 0x100000001B3ULL;
    }
  }
  // hash64() of all pieces concatenated.
  [[nodiscard]] constexpr std::uint64_t value() const { return mix64(state_); }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace plumbline
