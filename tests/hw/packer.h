// Fields of a packed struct that Verilator keeps in 32-bit words.
#pragma once

#include <cstdint>

namespace plumbline::test {

// Puts fields into one, lowest first.
template <typename Words>
class Packer {
 public:
  explicit Packer(Words& words) : words_(words) {}
  void put(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i, ++at_) {
      const std::uint32_t bit = 1U << (at_ % 32);
      words_[at_ / 32] = (words_[at_ / 32] & ~bit) | (((value >> i) & 1U) != 0 ? bit : 0);
    }
  }

 private:
  Words& words_;
  unsigned at_ = 0;
};

}  // namespace plumbline::test
