// Seeded random streams: the same scenario seed and stream name give the same numbers on every
// machine and thread count. Distributions are our own because the standard library's differ by
// vendor.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumbline {

// xoshiro256** with its state filled by splitmix64 from (seed, name). Not cryptographic.
class RandomStream {
 public:
  // `name` is the user of the stream ("switch/leaf0/ecmp"), so that adding a user of randomness
  // never changes the numbers of another one.
  RandomStream(std::uint64_t seed, std::string_view name);

  // Uniform over all 64-bit values.
  std::uint64_t next();
  // Uniform in [0, bound); bound > 0. Unbiased (rejection).
  std::uint64_t below(std::uint64_t bound);

 private:
  std::array<std::uint64_t, 4> state_;
};

// 64-bit FNV-1a of `text`, mixed so that every input bit reaches every output bit.
std::uint64_t hash64(std::string_view text);

// One step of splitmix64: a bijective mix of a 64-bit value.
constexpr std::uint64_t mix64(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace plumbline
