// The fields of a 32-bit RISC-V instruction (Unprivileged ISA 20191213, section 2.2).
#pragma once

#include <cstdint>

namespace plumbline::iss {

// Major opcodes of RV32IM with Zicsr (table 24.1), with the two low bits 11.
enum Opcode : std::uint32_t {
  kLoad = 0x03,
  kMiscMem = 0x0F,
  kOpImm = 0x13,
  kAuipc = 0x17,
  kStore = 0x23,
  kOp = 0x33,
  kLui = 0x37,
  kBranch = 0x63,
  kJalr = 0x67,
  kJal = 0x6F,
  kSystem = 0x73,
};

// Two's complement of the low `bits` bits of `value`, 1 to 32.
constexpr std::uint32_t signExtend(std::uint32_t value, unsigned bits) {
  const std::uint32_t sign = 1u << (bits - 1);
  const std::uint32_t low = value & (sign | (sign - 1));
  return (low ^ sign) - sign;
}

class Instruction {
 public:
  constexpr explicit Instruction(std::uint32_t word) : word_(word) {}

  [[nodiscard]] constexpr std::uint32_t word() const { return word_; }
  [[nodiscard]] constexpr std::uint32_t opcode() const { return bits(6, 0); }
  [[nodiscard]] constexpr std::uint32_t rd() const { return bits(11, 7); }
  [[nodiscard]] constexpr std::uint32_t funct3() const { return bits(14, 12); }
  [[nodiscard]] constexpr std::uint32_t rs1() const { return bits(19, 15); }
  [[nodiscard]] constexpr std::uint32_t rs2() const { return bits(24, 20); }
  [[nodiscard]] constexpr std::uint32_t funct7() const { return bits(31, 25); }
  [[nodiscard]] constexpr std::uint32_t csr() const { return bits(31, 20); }

  // Immediates (section 2.3), sign extended.
  [[nodiscard]] constexpr std::uint32_t immI() const { return signExtend(bits(31, 20), 12); }
  [[nodiscard]] constexpr std::uint32_t immS() const {
    return signExtend(bits(31, 25) << 5 | bits(11, 7), 12);
  }
  [[nodiscard]] constexpr std::uint32_t immB() const {
    return signExtend(bits(31, 31) << 12 | bits(7, 7) << 11 | bits(30, 25) << 5 | bits(11, 8) << 1,
                      13);
  }
  [[nodiscard]] constexpr std::uint32_t immU() const { return word_ & 0xFFFFF000u; }
  [[nodiscard]] constexpr std::uint32_t immJ() const {
    return signExtend(
        bits(31, 31) << 20 | bits(19, 12) << 12 | bits(20, 20) << 11 | bits(30, 21) << 1, 21);
  }

 private:
  [[nodiscard]] constexpr std::uint32_t bits(unsigned high, unsigned low) const {
    return word_ >> low & (0xFFFFFFFFu >> (31 - (high - low)));
  }

  std::uint32_t word_;
};

}  // namespace plumbline::iss
