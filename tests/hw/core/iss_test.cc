// The instruction-set simulator against values worked out by hand from the RISC-V specification.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/iss/processor.h"
#include "tests/hw/core/assembler.h"

namespace plumbline::hw_test {
namespace {

using namespace rv;  // NOLINT(google-build-using-namespace)

constexpr Word kBase = 0x10000000;
constexpr Word kBytes = 4096;
constexpr Word kBusBase = 0x80000000;
constexpr Word kHandler = kBase + 0x800;

// Refuses addresses with bit 12 set; keeps one word.
class OneWord : public iss::Bus {
 public:
  std::optional<Word> read(Word address) override {
    if ((address & 0x1000) != 0) return std::nullopt;
    return word;
  }
  bool write(Word address, Word value, Word strobe) override {
    last_strobe = strobe;
    if ((address & 0x1000) != 0) return false;
    word = value;
    return true;
  }
  Word word = 0x89ABCDEF;
  Word last_strobe = 0;
};

class IssTest : public testing::Test {
 protected:
  IssTest() { cpu.csrs().write(iss::kMtvec, kHandler); }

  // Executes `instruction` at the current place.
  iss::Step run(Word instruction) {
    memory.write(cpu.pc(), instruction);
    return cpu.step();
  }
  // x1 = a, x2 = b; the instruction writes x3.
  Word result(Word instruction, Word a, Word b = 0) {
    cpu.setReg(1, a);
    cpu.setReg(2, b);
    cpu.setReg(3, 0xDEADBEEF);
    const iss::Step step = run(instruction);
    EXPECT_FALSE(step.trap);
    EXPECT_EQ(step.rd, 3u);
    EXPECT_EQ(step.value, cpu.reg(3));
    return cpu.reg(3);
  }
  Word csr(Word number) { return cpu.csrs().read(number).value(); }
  // The step trapped so, and everything says so.
  void expectTrap(const iss::Step& step, Word cause, Word value) {
    ASSERT_TRUE(step.trap);
    EXPECT_EQ(step.trap->cause, cause);
    EXPECT_EQ(step.trap->value, value);
    EXPECT_EQ(step.rd, 0u);
    EXPECT_FALSE(step.store);
    EXPECT_EQ(csr(iss::kMcause), cause);
    EXPECT_EQ(csr(iss::kMtval), value);
    EXPECT_EQ(csr(iss::kMepc), step.pc);
    EXPECT_EQ(cpu.pc(), kHandler);
    cpu.setPc(step.pc);
  }

  iss::Memory memory{kBase, kBytes};
  OneWord bus;
  iss::Processor cpu{memory, bus, kBase, kBusBase};
};

struct Case {
  const char* name;
  Word instruction;
  Word a, b, expected;
};

TEST_F(IssTest, OperationsOfTwoRegisters) {
  const Case cases[] = {
      {"add wraps", op(0, 0, 3, 1, 2), 0xFFFFFFFF, 2, 1},
      {"add overflows without a trap", op(0, 0, 3, 1, 2), 0x7FFFFFFF, 1, 0x80000000},
      {"sub", op(0x20, 0, 3, 1, 2), 3, 5, 0xFFFFFFFE},
      {"sub most negative", op(0x20, 0, 3, 1, 2), 0, 0x80000000, 0x80000000},
      {"sll", op(0, 1, 3, 1, 2), 0x12345678, 4, 0x23456780},
      {"sll by 31", op(0, 1, 3, 1, 2), 3, 31, 0x80000000},
      {"sll by 32 is by 0", op(0, 1, 3, 1, 2), 0x12345678, 32, 0x12345678},
      {"sll takes five bits", op(0, 1, 3, 1, 2), 1, 0xFFFFFFE1, 2},
      {"slt signed", op(0, 2, 3, 1, 2), 0xFFFFFFFF, 0, 1},
      {"slt most negative", op(0, 2, 3, 1, 2), 0x80000000, 0x7FFFFFFF, 1},
      {"slt not", op(0, 2, 3, 1, 2), 0x7FFFFFFF, 0x80000000, 0},
      {"slt equal", op(0, 2, 3, 1, 2), 7, 7, 0},
      {"sltu", op(0, 3, 3, 1, 2), 0xFFFFFFFF, 0, 0},
      {"sltu one", op(0, 3, 3, 1, 2), 0x7FFFFFFF, 0x80000000, 1},
      {"xor", op(0, 4, 3, 1, 2), 0xF0F0F0F0, 0xFF00FF00, 0x0FF00FF0},
      {"srl", op(0, 5, 3, 1, 2), 0x80000000, 31, 1},
      {"srl by 33 is by 1", op(0, 5, 3, 1, 2), 0x80000000, 33, 0x40000000},
      {"sra", op(0x20, 5, 3, 1, 2), 0x80000000, 31, 0xFFFFFFFF},
      {"sra of a positive number", op(0x20, 5, 3, 1, 2), 0x40000000, 30, 1},
      {"sra by 32 is by 0", op(0x20, 5, 3, 1, 2), 0x80000001, 32, 0x80000001},
      {"or", op(0, 6, 3, 1, 2), 0xF0F00000, 0x00FF00FF, 0xF0FF00FF},
      {"and", op(0, 7, 3, 1, 2), 0xF0F0FFFF, 0x00FF00FF, 0x00F000FF},
  };
  for (const Case& c : cases) EXPECT_EQ(result(c.instruction, c.a, c.b), c.expected) << c.name;
}

TEST_F(IssTest, MultiplicationAndDivision) {
  // Products by hand: (2^32-1)^2 = 2^64 - 2^33 + 1; -1 * (2^32-1) = -2^32 + 1.
  const Case cases[] = {
      {"mul", op(1, 0, 3, 1, 2), 0xFFFFFFFF, 0xFFFFFFFF, 1},
      {"mul low", op(1, 0, 3, 1, 2), 0x00010001, 0x00010001, 0x00020001},
      {"mulh of -1 and -1", op(1, 1, 3, 1, 2), 0xFFFFFFFF, 0xFFFFFFFF, 0},
      {"mulh of most negative", op(1, 1, 3, 1, 2), 0x80000000, 0x80000000, 0x40000000},
      {"mulh mixed", op(1, 1, 3, 1, 2), 0x80000000, 2, 0xFFFFFFFF},
      {"mulhsu of -1 and 2^32-1", op(1, 2, 3, 1, 2), 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
      {"mulhsu takes b unsigned", op(1, 2, 3, 1, 2), 1, 0xFFFFFFFF, 0},
      {"mulhsu most negative", op(1, 2, 3, 1, 2), 0x80000000, 0x80000000, 0xC0000000},
      {"mulhu", op(1, 3, 3, 1, 2), 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE},
      {"mulhu half", op(1, 3, 3, 1, 2), 0x80000000, 0x80000000, 0x40000000},
      {"div towards zero", op(1, 4, 3, 1, 2), 0xFFFFFFF9, 2, 0xFFFFFFFD},
      {"div by negative", op(1, 4, 3, 1, 2), 7, 0xFFFFFFFE, 0xFFFFFFFD},
      {"div by zero", op(1, 4, 3, 1, 2), 7, 0, 0xFFFFFFFF},
      {"div of a negative number by zero", op(1, 4, 3, 1, 2), 0x80000000, 0, 0xFFFFFFFF},
      {"div overflow", op(1, 4, 3, 1, 2), 0x80000000, 0xFFFFFFFF, 0x80000000},
      {"divu", op(1, 5, 3, 1, 2), 0xFFFFFFF9, 2, 0x7FFFFFFC},
      {"divu by zero", op(1, 5, 3, 1, 2), 7, 0, 0xFFFFFFFF},
      {"divu has no overflow", op(1, 5, 3, 1, 2), 0x80000000, 0xFFFFFFFF, 0},
      {"rem has the dividend's sign", op(1, 6, 3, 1, 2), 0xFFFFFFF9, 2, 0xFFFFFFFF},
      {"rem by negative", op(1, 6, 3, 1, 2), 7, 0xFFFFFFFE, 1},
      {"rem by zero", op(1, 6, 3, 1, 2), 0xFFFFFFF9, 0, 0xFFFFFFF9},
      {"rem overflow", op(1, 6, 3, 1, 2), 0x80000000, 0xFFFFFFFF, 0},
      {"remu", op(1, 7, 3, 1, 2), 0xFFFFFFF9, 10, 9},  // 4294967289 mod 10
      {"remu by zero", op(1, 7, 3, 1, 2), 0xFFFFFFF9, 0, 0xFFFFFFF9},
  };
  for (const Case& c : cases) EXPECT_EQ(result(c.instruction, c.a, c.b), c.expected) << c.name;
}

TEST_F(IssTest, OperationsOfRegisterAndImmediate) {
  const Case cases[] = {
      {"addi", addi(3, 1, -1), 0, 0, 0xFFFFFFFF},
      {"addi largest", addi(3, 1, 2047), 1, 0, 0x800},
      {"addi least", addi(3, 1, -2048), 0, 0, 0xFFFFF800},
      {"slti", slti(3, 1, -1), 0xFFFFFFFE, 0, 1},
      {"slti equal", slti(3, 1, -1), 0xFFFFFFFF, 0, 0},
      {"sltiu sign extends, then compares unsigned", sltiu(3, 1, -1), 5, 0, 1},
      {"sltiu 1 is seqz", sltiu(3, 1, 1), 0, 0, 1},
      {"xori -1 is not", xori(3, 1, -1), 0x0F0F0F0F, 0, 0xF0F0F0F0},
      {"ori", ori(3, 1, -2048), 1, 0, 0xFFFFF801},
      {"andi", andi(3, 1, -2048), 0x12345FFF, 0, 0x12345800},
      {"slli", slli(3, 1, 31), 3, 0, 0x80000000},
      {"srli", srli(3, 1, 31), 0x80000000, 0, 1},
      {"srai", srai(3, 1, 4), 0x80000000, 0, 0xF8000000},
      {"lui", lui(3, 0xFFFFF), 0, 0, 0xFFFFF000},
  };
  for (const Case& c : cases) EXPECT_EQ(result(c.instruction, c.a), c.expected) << c.name;
  cpu.setPc(kBase + 8);
  EXPECT_EQ(result(auipc(3, 0xFFFFF), 0), kBase + 8 - 0x1000);
}

TEST_F(IssTest, RegisterZeroStaysZero) {
  const iss::Step step = run(addi(0, 0, 5));
  EXPECT_EQ(step.rd, 0u);
  EXPECT_EQ(step.value, 0u);
  EXPECT_EQ(cpu.reg(0), 0u);
  cpu.setReg(1, kBase);
  run(lw(0, 1, 0));
  EXPECT_EQ(cpu.reg(0), 0u);
}

TEST_F(IssTest, Branches) {
  struct {
    Word (*encode)(Word, Word, std::int32_t);
    Word a, b;
    bool taken;
  } const cases[] = {
      {beq, 5, 5, true},           {beq, 5, 6, false},          {bne, 5, 6, true},
      {bne, 5, 5, false},          {blt, 0xFFFFFFFF, 0, true},  {blt, 0, 0xFFFFFFFF, false},
      {blt, 4, 4, false},          {bge, 4, 4, true},           {bge, 0, 0xFFFFFFFF, true},
      {bge, 0x80000000, 0, false}, {bltu, 0, 0xFFFFFFFF, true}, {bltu, 0xFFFFFFFF, 0, false},
      {bgeu, 0xFFFFFFFF, 0, true}, {bgeu, 0, 1, false},
  };
  for (const auto& c : cases) {
    for (const std::int32_t offset : {-4096, -4, 8, 4092}) {
      cpu.setPc(kBase + 0x100);
      cpu.setReg(1, c.a);
      cpu.setReg(2, c.b);
      EXPECT_FALSE(run(c.encode(1, 2, offset)).trap);
      EXPECT_EQ(cpu.pc(), kBase + 0x100 + (c.taken ? static_cast<Word>(offset) : 4));
    }
  }
  // A target that is not a multiple of four: a fault of the branch, but only if it is taken.
  cpu.setPc(kBase + 0x100);
  cpu.setReg(1, 1);
  cpu.setReg(2, 2);
  EXPECT_FALSE(run(beq(1, 2, 6)).trap);
  expectTrap(run(bne(1, 2, 6)), iss::kInstructionMisaligned, kBase + 0x104 + 6);
}

TEST_F(IssTest, Jumps) {
  iss::Step step = run(jal(3, 0x7FE - 2));
  EXPECT_EQ(cpu.reg(3), kBase + 4);
  EXPECT_EQ(cpu.pc(), kBase + 0x7FC);
  step = run(jal(0, -0x7FC));
  EXPECT_EQ(step.rd, 0u);
  EXPECT_EQ(cpu.pc(), kBase);
  // JALR clears the target's lowest bit, and reads its source before it writes.
  cpu.setReg(1, kBase + 0x41);
  run(jalr(1, 1, 4));
  EXPECT_EQ(cpu.pc(), kBase + 0x44);
  EXPECT_EQ(cpu.reg(1), kBase + 4);
  // Neither writes its register when the target is bad.
  cpu.setReg(1, kBase + 0x41);
  cpu.setReg(3, 9);
  expectTrap(run(jalr(3, 1, 1)), iss::kInstructionMisaligned, kBase + 0x42);
  EXPECT_EQ(cpu.reg(3), 9u);
  expectTrap(run(jal(3, 2)), iss::kInstructionMisaligned, kBase + 0x46);
  EXPECT_EQ(cpu.reg(3), 9u);
}

TEST_F(IssTest, LoadsExtendTheirValue) {
  memory.write(kBase + 0x200, 0x80C2F17E);
  struct {
    Word instruction, expected;
  } const cases[] = {
      {lb(3, 1, 0), 0x7E},       {lb(3, 1, 1), 0xFFFFFFF1}, {lb(3, 1, 2), 0xFFFFFFC2},
      {lb(3, 1, 3), 0xFFFFFF80}, {lbu(3, 1, 1), 0xF1},      {lbu(3, 1, 3), 0x80},
      {lh(3, 1, 0), 0xFFFFF17E}, {lh(3, 1, 2), 0xFFFF80C2}, {lhu(3, 1, 0), 0xF17E},
      {lhu(3, 1, 2), 0x80C2},    {lw(3, 1, 0), 0x80C2F17E},
  };
  for (const auto& c : cases) EXPECT_EQ(result(c.instruction, kBase + 0x200), c.expected);
  EXPECT_EQ(result(lw(3, 1, -2048), kBase + 0x200 + 2048), 0x80C2F17Eu);
  // A device's word is cut the same way.
  EXPECT_EQ(result(lb(3, 1, 3), kBusBase), 0xFFFFFF89u);
  EXPECT_EQ(result(lhu(3, 1, 0), kBusBase), 0xCDEFu);
}

TEST_F(IssTest, StoresWriteTheirLanes) {
  memory.write(kBase + 0x200, 0x11223344);
  cpu.setReg(1, kBase + 0x200);
  cpu.setReg(2, 0xA1B2C3D4);
  EXPECT_EQ(run(sb(2, 1, 1)).store, (iss::StoreAccess{kBase + 0x200, 0x0000D400, 0b0010}));
  EXPECT_EQ(memory.read(kBase + 0x200), 0x1122D444u);
  EXPECT_EQ(run(sh(2, 1, 2)).store, (iss::StoreAccess{kBase + 0x200, 0xC3D40000, 0b1100}));
  EXPECT_EQ(memory.read(kBase + 0x200), 0xC3D4D444u);
  EXPECT_EQ(run(sw(2, 1, 0)).store, (iss::StoreAccess{kBase + 0x200, 0xA1B2C3D4, 0b1111}));
  EXPECT_EQ(memory.read(kBase + 0x200), 0xA1B2C3D4u);
  cpu.setReg(1, kBusBase + 4);
  EXPECT_EQ(run(sw(2, 1, 0)).store, (iss::StoreAccess{kBusBase + 4, 0xA1B2C3D4, 0b1111}));
  EXPECT_EQ(bus.word, 0xA1B2C3D4u);
}

TEST_F(IssTest, BadAccesses) {
  cpu.setReg(1, kBase + 0x201);
  cpu.setReg(2, 0x55);
  cpu.setReg(3, 9);
  memory.write(kBase + 0x200, 0x11223344);
  for (const Word in : {lh(3, 1, 0), lhu(3, 1, 2), lw(3, 1, 0), lw(3, 1, 1)}) {
    const Word address = kBase + 0x201 + (in >> 20);
    expectTrap(run(in), iss::kLoadMisaligned, address);
  }
  expectTrap(run(sh(2, 1, 0)), iss::kStoreMisaligned, kBase + 0x201);
  expectTrap(run(sw(2, 1, 1)), iss::kStoreMisaligned, kBase + 0x202);
  EXPECT_EQ(memory.read(kBase + 0x200), 0x11223344u);
  for (const Word address : {0u, kBase - 4, kBase + kBytes, kBusBase - 4, kBusBase + 0x1000}) {
    cpu.setReg(1, address);
    expectTrap(run(lw(3, 1, 0)), iss::kLoadFault, address);
    expectTrap(run(sw(2, 1, 0)), iss::kStoreFault, address);
  }
  // Misalignment is found first.
  cpu.setReg(1, 2);
  expectTrap(run(lw(3, 1, 0)), iss::kLoadMisaligned, 2);
  EXPECT_EQ(cpu.reg(3), 9u);
  cpu.setPc(kBase + kBytes);
  const iss::Step step = cpu.step();
  EXPECT_EQ(step.instruction, 0u);
  expectTrap(step, iss::kInstructionFault, kBase + kBytes);
}

TEST_F(IssTest, IllegalInstructions) {
  const Word words[] = {
      0x00000000,
      0xFFFFFFFF,
      0x00000001,  // 16 bits long
      load(3, 3, 1, 0),
      load(6, 3, 1, 0),
      load(7, 3, 1, 0),
      typeS(0, 2, 1, 3),
      typeB(8, 2, 1, 2),
      typeB(8, 2, 1, 3),
      typeI(0, 1, 1, 3, 0x67),  // JALR with funct3 1
      op(0x20, 1, 3, 1, 2),
      op(0x20, 7, 3, 1, 2),
      op(2, 0, 3, 1, 2),
      op(0x21, 0, 3, 1, 2),
      typeR(1, 2, 1, 1, 3, 0x13),  // SLLI by 32 and more
      typeR(0x20, 2, 1, 1, 3, 0x13),
      typeR(1, 2, 1, 5, 3, 0x13),
      typeR(0x21, 2, 1, 5, 3, 0x13),
      0x0000100F,  // FENCE.I
      0x10200073,  // SRET
      0x00200073,
      0x000000F3,
      0x30200173,
      rv::csr(4, 3, iss::kMscratch, 1),  // funct3 4
      csrrs(3, 0x7C0, 0),
      csrrs(3, 0xC00, 0),
      csrrs(3, 0x306, 0),
      csrrs(3, 0xB01, 0),
      csrrs(3, 0xB20, 0),
      csrrs(3, 0x322, 0),
      csrrw(0, iss::kMhartid, 0),
      csrrs(3, iss::kMimpid, 1),
      rv::csr(7, 3, iss::kMvendorid, 1),
      0x0000002F,  // atomics
      0x00002007,  // FLW
  };
  for (const Word word : words) {
    SCOPED_TRACE(testing::Message() << std::hex << word);
    expectTrap(run(word), iss::kIllegalInstruction, word);
  }
}

TEST_F(IssTest, FenceDoesNothing) {
  EXPECT_FALSE(run(kFence).trap);
  EXPECT_FALSE(run(0x8330000F).trap);  // FENCE.TSO
  EXPECT_FALSE(run(0x0FF58F8F).trap);  // reserved fields are ignored
  EXPECT_EQ(cpu.pc(), kBase + 12);
}

TEST_F(IssTest, CsrOperations) {
  cpu.setReg(1, 0xF0F0F0F0);
  cpu.setReg(2, 0x0000FFFF);
  EXPECT_EQ(run(csrrw(3, iss::kMscratch, 1)).value, 0u);
  EXPECT_EQ(csr(iss::kMscratch), 0xF0F0F0F0u);
  EXPECT_EQ(run(csrrs(3, iss::kMscratch, 2)).value, 0xF0F0F0F0u);
  EXPECT_EQ(csr(iss::kMscratch), 0xF0F0FFFFu);
  EXPECT_EQ(run(csrrc(3, iss::kMscratch, 2)).value, 0xF0F0FFFFu);
  EXPECT_EQ(csr(iss::kMscratch), 0xF0F00000u);
  EXPECT_EQ(run(rv::csr(5, 3, iss::kMscratch, 31)).value, 0xF0F00000u);
  EXPECT_EQ(csr(iss::kMscratch), 31u);
  run(rv::csr(7, 3, iss::kMscratch, 5));
  EXPECT_EQ(csr(iss::kMscratch), 26u);
  run(rv::csr(6, 3, iss::kMscratch, 1));
  EXPECT_EQ(csr(iss::kMscratch), 27u);
  // Set and clear by nothing write nothing, so that what is read only may be read; the source is
  // read before the destination is written.
  EXPECT_EQ(run(csrrs(3, iss::kMimpid, 0)).value, 1u);
  cpu.setReg(3, 77);
  run(csrrw(3, iss::kMscratch, 3));
  EXPECT_EQ(csr(iss::kMscratch), 77u);
  EXPECT_EQ(cpu.reg(3), 27u);
}

TEST_F(IssTest, WhatCsrsKeep) {
  struct {
    Word number, reset, written;  // what all ones leave
  } const cases[] = {
      {iss::kMstatus, 0x1800, 0x1888},
      {iss::kMisa, 0x40001100, 0x40001100},
      {iss::kMie, 0, 0x880},
      {iss::kMip, 0, 0},
      {iss::kMtvec, kHandler, ~3u},
      {iss::kMscratch, 0, ~0u},
      {iss::kMepc, 0, ~3u},
      {iss::kMcause, 0, 0x8000000F},
      {iss::kMtval, 0, ~0u},
      {iss::kMstatush, 0, 0},
      {0xB03, 0, 0},
      {0xB9F, 0, 0},
      {0x323, 0, 0},
      {0x33F, 0, 0},
  };
  cpu.setReg(1, ~0u);
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << std::hex << c.number);
    EXPECT_EQ(run(csrrw(3, c.number, 1)).value, c.reset);
    EXPECT_EQ(csr(c.number), c.written);
  }
  EXPECT_EQ(run(csrrs(3, iss::kMimpid, 0)).value, 1u);
  for (const Word fixed : {iss::kMvendorid, iss::kMarchid, iss::kMhartid, iss::kMconfigptr}) {
    EXPECT_EQ(run(csrrs(3, fixed, 0)).value, 0u);
  }
}

TEST_F(IssTest, Counters) {
  for (int i = 0; i < 5; ++i) run(kNop);
  EXPECT_EQ(run(csrrs(3, iss::kMinstret, 0)).value, 5u);
  run(kEcall);  // does not retire
  cpu.setPc(kBase);
  EXPECT_EQ(run(csrrs(3, iss::kMinstret, 0)).value, 6u);
  // An instruction writes instead of counting itself: the next one reads what was written.
  cpu.setReg(1, 0xFFFFFFFF);
  run(csrrw(0, iss::kMinstret, 1));
  EXPECT_EQ(run(csrrs(3, iss::kMinstret, 0)).value, 0xFFFFFFFFu);
  EXPECT_EQ(run(csrrs(3, iss::kMinstreth, 0)).value, 1u);
  EXPECT_EQ(run(csrrs(3, iss::kMinstret, 0)).value, 1u);
  cpu.csrs().countClocks(0x1'0000'0003);
  EXPECT_EQ(run(csrrs(3, iss::kMcycle, 0)).value, 3u);
  EXPECT_EQ(run(csrrw(3, iss::kMcycleh, 0)).value, 1u);
  EXPECT_EQ(run(csrrs(3, iss::kMcycleh, 0)).value, 0u);
}

TEST_F(IssTest, TrapsAndReturn) {
  run(rv::csr(6, 0, iss::kMstatus, 8));  // MIE
  expectTrap(run(kEbreak), iss::kBreakpoint, kBase + 4);
  EXPECT_EQ(csr(iss::kMstatus), 0x1880u);  // MIE went to MPIE
  expectTrap(run(kEcall), iss::kEnvironmentCall, 0);
  EXPECT_EQ(csr(iss::kMstatus), 0x1800u);  // and was clear now
  cpu.setPc(kHandler);
  run(kMret);
  EXPECT_EQ(cpu.pc(), kBase + 4);
  EXPECT_EQ(csr(iss::kMstatus), 0x1880u);
  cpu.setPc(kHandler);
  run(kMret);
  EXPECT_EQ(csr(iss::kMstatus), 0x1888u);
}

TEST_F(IssTest, Interrupts) {
  auto& csrs = cpu.csrs();
  csrs.setTimerInterrupt(true);
  csrs.setExternalInterrupt(true);
  EXPECT_EQ(csr(iss::kMip), 0x880u);
  EXPECT_FALSE(csrs.wakes());
  csrs.write(iss::kMie, 0x80);
  EXPECT_TRUE(csrs.wakes());
  EXPECT_FALSE(csrs.interrupt());
  csrs.write(iss::kMstatus, 8);
  EXPECT_EQ(csrs.interrupt(), iss::kTimerInterrupt);
  csrs.write(iss::kMie, 0x880);
  EXPECT_EQ(csrs.interrupt(), iss::kExternalInterrupt);
  run(kNop);
  const iss::Step step = cpu.takeInterrupt();
  EXPECT_EQ(step.pc, kBase + 4);
  expectTrap(step, iss::kExternalInterrupt, 0);
  EXPECT_FALSE(csrs.interrupt());
  csrs.setExternalInterrupt(false);
  EXPECT_EQ(csr(iss::kMip), 0x80u);
  EXPECT_EQ(csr(iss::kMinstret), 1u);
}

TEST_F(IssTest, WaitForInterrupt) {
  run(kWfi);
  EXPECT_TRUE(cpu.waiting());
  EXPECT_FALSE(cpu.csrs().wakes());
  cpu.csrs().write(iss::kMie, 0x800);
  cpu.csrs().setTimerInterrupt(true);
  EXPECT_FALSE(cpu.csrs().wakes());
  cpu.csrs().setExternalInterrupt(true);
  EXPECT_TRUE(cpu.csrs().wakes());  // whatever mstatus says
  run(kNop);
  EXPECT_FALSE(cpu.waiting());
}

}  // namespace
}  // namespace plumbline::hw_test
