// Instructions of RV32IM with Zicsr as words, for programs of the tests. Fields are placed as the
// tables of the specification have them (Unprivileged ISA, chapter 24), independently of how
// simulator and RTL take them apart.
#pragma once

#include <cstdint>

namespace plumbline::hw_test::rv {

using Word = std::uint32_t;

constexpr Word typeR(Word funct7, Word rs2, Word rs1, Word funct3, Word rd, Word opcode) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word typeI(std::int32_t imm, Word rs1, Word funct3, Word rd, Word opcode) {
  return static_cast<Word>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word typeS(std::int32_t imm, Word rs2, Word rs1, Word funct3) {
  const Word i = static_cast<Word>(imm);
  return (i >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (i & 0x1F) << 7 | 0x23;
}
constexpr Word typeB(std::int32_t offset, Word rs2, Word rs1, Word funct3) {
  const Word i = static_cast<Word>(offset);
  return (i >> 12 & 1) << 31 | (i >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         (i >> 1 & 0xF) << 8 | (i >> 11 & 1) << 7 | 0x63;
}

constexpr Word lui(Word rd, Word imm20) { return imm20 << 12 | rd << 7 | 0x37; }
constexpr Word auipc(Word rd, Word imm20) { return imm20 << 12 | rd << 7 | 0x17; }
constexpr Word jal(Word rd, std::int32_t offset) {
  const Word i = static_cast<Word>(offset);
  return (i >> 20 & 1) << 31 | (i >> 1 & 0x3FF) << 21 | (i >> 11 & 1) << 20 |
         (i >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}
constexpr Word jalr(Word rd, Word rs1, std::int32_t imm) { return typeI(imm, rs1, 0, rd, 0x67); }

constexpr Word beq(Word a, Word b, std::int32_t offset) { return typeB(offset, b, a, 0); }
constexpr Word bne(Word a, Word b, std::int32_t offset) { return typeB(offset, b, a, 1); }
constexpr Word blt(Word a, Word b, std::int32_t offset) { return typeB(offset, b, a, 4); }
constexpr Word bge(Word a, Word b, std::int32_t offset) { return typeB(offset, b, a, 5); }
constexpr Word bltu(Word a, Word b, std::int32_t offset) { return typeB(offset, b, a, 6); }
constexpr Word bgeu(Word a, Word b, std::int32_t offset) { return typeB(offset, b, a, 7); }

constexpr Word load(Word funct3, Word rd, Word base, std::int32_t imm) {
  return typeI(imm, base, funct3, rd, 0x03);
}
constexpr Word lb(Word rd, Word base, std::int32_t imm) { return load(0, rd, base, imm); }
constexpr Word lh(Word rd, Word base, std::int32_t imm) { return load(1, rd, base, imm); }
constexpr Word lw(Word rd, Word base, std::int32_t imm) { return load(2, rd, base, imm); }
constexpr Word lbu(Word rd, Word base, std::int32_t imm) { return load(4, rd, base, imm); }
constexpr Word lhu(Word rd, Word base, std::int32_t imm) { return load(5, rd, base, imm); }
constexpr Word sb(Word src, Word base, std::int32_t imm) { return typeS(imm, src, base, 0); }
constexpr Word sh(Word src, Word base, std::int32_t imm) { return typeS(imm, src, base, 1); }
constexpr Word sw(Word src, Word base, std::int32_t imm) { return typeS(imm, src, base, 2); }

constexpr Word opImm(Word funct3, Word rd, Word rs1, std::int32_t imm) {
  return typeI(imm, rs1, funct3, rd, 0x13);
}
constexpr Word addi(Word rd, Word rs1, std::int32_t imm) { return opImm(0, rd, rs1, imm); }
constexpr Word slti(Word rd, Word rs1, std::int32_t imm) { return opImm(2, rd, rs1, imm); }
constexpr Word sltiu(Word rd, Word rs1, std::int32_t imm) { return opImm(3, rd, rs1, imm); }
constexpr Word xori(Word rd, Word rs1, std::int32_t imm) { return opImm(4, rd, rs1, imm); }
constexpr Word ori(Word rd, Word rs1, std::int32_t imm) { return opImm(6, rd, rs1, imm); }
constexpr Word andi(Word rd, Word rs1, std::int32_t imm) { return opImm(7, rd, rs1, imm); }
constexpr Word slli(Word rd, Word rs1, Word by) { return typeR(0, by, rs1, 1, rd, 0x13); }
constexpr Word srli(Word rd, Word rs1, Word by) { return typeR(0, by, rs1, 5, rd, 0x13); }
constexpr Word srai(Word rd, Word rs1, Word by) { return typeR(0x20, by, rs1, 5, rd, 0x13); }

constexpr Word op(Word funct7, Word funct3, Word rd, Word a, Word b) {
  return typeR(funct7, b, a, funct3, rd, 0x33);
}
constexpr Word add(Word rd, Word a, Word b) { return op(0, 0, rd, a, b); }
constexpr Word sub(Word rd, Word a, Word b) { return op(0x20, 0, rd, a, b); }

constexpr Word kFence = 0x0FF0000F;
constexpr Word kEcall = 0x00000073;
constexpr Word kEbreak = 0x00100073;
constexpr Word kMret = 0x30200073;
constexpr Word kWfi = 0x10500073;
constexpr Word kNop = 0x00000013;

// funct3: 1 write, 2 set, 3 clear, of a register; + 4 of `source` itself.
constexpr Word csr(Word funct3, Word rd, Word number, Word source) {
  return number << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73;
}
constexpr Word csrrw(Word rd, Word number, Word rs1) { return csr(1, rd, number, rs1); }
constexpr Word csrrs(Word rd, Word number, Word rs1) { return csr(2, rd, number, rs1); }
constexpr Word csrrc(Word rd, Word number, Word rs1) { return csr(3, rd, number, rs1); }

}  // namespace plumbline::hw_test::rv
