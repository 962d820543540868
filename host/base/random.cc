#include "base/random.h"

#include <bit>

#include "base/hash64.h"

namespace plumbline {

std::uint64_t hash64(std::string_view text) {
  Hash64 hash;
  hash.add(text);
  return hash.value();
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : state_{} {
  std::uint64_t x = mix64(seed) ^ hash64(name);
  for (auto& word : state_) {
    x = mix64(x);
    word = x;
  }
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t value = next();
    if (value >= threshold) return value % bound;
  }
}

}  // namespace plumbline
