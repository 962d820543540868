// The bus of a simulated processor besides its own memory, and that memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline::iss {

// Device registers. Addresses are multiples of four.
class Bus {
 public:
  virtual ~Bus() = default;
  // The word at `address`, or none if the device refuses: the load ends in an access fault.
  virtual std::optional<std::uint32_t> read(std::uint32_t address) = 0;
  // Writes the bytes of `value` whose bits in `strobe` (3:0) are set. False if the device refuses:
  // the store ends in an access fault.
  virtual bool write(std::uint32_t address, std::uint32_t value, std::uint32_t strobe) = 0;
};

// Memory of code and data. Addresses are multiples of four.
class Memory {
 public:
  // `bytes` is a multiple of four.
  Memory(std::uint32_t base, std::uint32_t bytes) : base_(base), words_(bytes / 4) {}

  [[nodiscard]] bool contains(std::uint32_t address) const {
    return address - base_ < 4 * words_.size();
  }
  // Of an address that the memory contains.
  [[nodiscard]] std::uint32_t read(std::uint32_t address) const {
    return words_[(address - base_) / 4];
  }
  void write(std::uint32_t address, std::uint32_t value, std::uint32_t strobe = 0xF) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i) mask |= (strobe >> i & 1) != 0 ? 0xFFu << (8 * i) : 0;
    std::uint32_t& word = words_[(address - base_) / 4];
    word = (word & ~mask) | (value & mask);
  }
  [[nodiscard]] std::span<std::uint32_t> words() { return words_; }

 private:
  std::uint32_t base_;
  std::vector<std::uint32_t> words_;
};

}  // namespace plumbline::iss
