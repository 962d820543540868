// The control processor as a whole, by its pins: the host loads, runs, halts and looks into it;
// timer, mailbox, interrupts and the card's registers; how many clocks instructions take.
#include <gtest/gtest.h>

#include <vector>

#include "Vplumb_core.h"
#include "card/registers.h"
#include "sim/iss/csr_file.h"
#include "tests/hw/core/assembler.h"

namespace plumbline::hw_test {
namespace {

using namespace rv;  // NOLINT(google-build-using-namespace)

constexpr Word kBase = 0x10000000;
constexpr Word kLocal = 0x40000;  // upper 20 bits of the local devices' address
constexpr Word kCard = 0x80000;

namespace host = card::regs::core;
constexpr Word kHalt = host::kControlHalt.mask();
constexpr Word kReset = host::kControlReset.mask();
constexpr Word kHalted = host::kStatusHalted.mask();
constexpr Word kAsleep = host::kStatusAsleep.mask();
constexpr Word kExecError = host::kStatusExecError.mask();
constexpr Word kMailInWaits = host::kStatusMailInFull.mask();
constexpr Word kMailOutWaits = host::kStatusMailOutValid.mask();

class CoreTest : public testing::Test {
 protected:
  CoreTest() {
    rtl.rst_ni = 0;
    clocks(3);
    rtl.rst_ni = 1;
    clocks(3);
  }

  // One clock. A device of the card answers `wait` clocks after the request with its address.
  void clock() {
    rtl.clk_i = 0;
    rtl.eval();
    waited = rtl.bus_req_o != 0 ? waited + 1 : 0;
    rtl.bus_ack_i = waited > wait ? 1 : 0;
    rtl.bus_error_i = (rtl.bus_addr_o & 0x400) != 0 ? 1 : 0;
    rtl.bus_rdata_i = rtl.bus_addr_o << 2;
    rtl.eval();
    if (rtl.bus_ack_i != 0 && rtl.bus_write_o != 0) {
      last_address = rtl.bus_addr_o << 2;
      last_value = rtl.bus_wdata_o;
    }
    rtl.clk_i = 1;
    rtl.eval();
  }
  void clocks(int n) {
    for (int i = 0; i < n; ++i) clock();
  }
  void write(Word reg, Word value) {
    rtl.reg_addr_i = reg / 4;
    rtl.reg_wdata_i = value;
    rtl.reg_wen_i = 1;
    clock();
    rtl.reg_wen_i = 0;
    answer();
  }
  Word read(Word reg) {
    rtl.reg_addr_i = reg / 4;
    rtl.reg_ren_i = 1;
    clock();
    rtl.reg_ren_i = 0;
    return answer();
  }
  // Waits for the end of a register access; what was read.
  Word answer() {
    for (int i = 0; i < 8 && rtl.reg_ack_o == 0; ++i) {
      EXPECT_EQ(rtl.reg_rdata_o, 0u);
      clock();
    }
    EXPECT_EQ(rtl.reg_ack_o, 1);
    const Word value = rtl.reg_rdata_o;
    clock();
    return value;
  }
  void load(Word offset, const std::vector<Word>& words) {
    write(host::kMemAddress, offset);
    for (const Word word : words) write(host::kMemWrite, word);
  }
  Word memory(Word offset) {
    write(host::kMemAddress, offset);
    return read(host::kMemRead);
  }
  void exec(Word instruction) {
    write(host::kExecInstr, instruction);
    write(host::kCommand, 2);
    clocks(60);
    ASSERT_EQ(read(host::kStatus) & kHalted, kHalted);
  }
  Word reg(Word index) {
    exec(csrrw(0, 0x7B2, index));
    return read(host::kDebugData);
  }
  void setReg(Word index, Word value) {
    write(host::kDebugData, value);
    exec(csrrs(index, 0x7B2, 0));
  }
  Word csr(Word number) {
    const Word saved = reg(1);
    exec(csrrs(1, number, 0));
    const Word value = reg(1);
    setReg(1, saved);
    return value;
  }
  // Resets the processor, loads `program` and lets it go.
  void run(const std::vector<Word>& program) {
    write(host::kControl, kHalt | kReset);
    load(0, program);
    write(host::kControl, kHalt);
    write(host::kControl, 0);
  }
  void halt() {
    write(host::kControl, kHalt);
    for (int i = 0; i < 100 && (read(host::kStatus) & kHalted) == 0; ++i) clock();
    ASSERT_EQ(read(host::kStatus) & kHalted, kHalted);
  }

  Vplumb_core rtl;
  int wait = 0;
  int waited = 0;
  Word last_address = 0;
  Word last_value = 0;
};

TEST_F(CoreTest, IsHaltedAfterReset) {
  EXPECT_EQ(read(host::kStatus), kHalted);
  EXPECT_EQ(read(host::kPc), kBase);
  EXPECT_EQ(read(host::kControl), kHalt);
  EXPECT_EQ(read(host::kCoreId), host::kCoreIdValue);
  EXPECT_EQ(read(host::kMemoryBytes), 0x18000u);
  EXPECT_EQ(read(host::kMapVersion), card::regs::global::kVersionValue);
  // The model's clock: 102400/33 ps.
  EXPECT_EQ(read(host::kClockHz), 322'265'625u);
  setReg(1, kLocal << 12);
  exec(lw(2, 1, 0x24));
  EXPECT_EQ(reg(2), 322'265'625u);
}

TEST_F(CoreTest, ProgramIsLoadedAndRead) {
  load(0, {1, 2, 3});
  load(0xFFFC, {0x11, 0x22});  // over the border of the two memories
  load(0x17FFC, {0x33});       // the last word
  EXPECT_EQ(memory(8), 3u);
  // Behind the end there is nothing, and nothing else is written.
  load(0x18000, {0x44});
  EXPECT_EQ(memory(0x18000), 0u);
  EXPECT_EQ(memory(0x10000), 0x22u);
  write(host::kMemAddress, 0);
  EXPECT_EQ(read(host::kMemRead), 1u);
  EXPECT_EQ(read(host::kMemRead), 2u);
  EXPECT_EQ(memory(0xFFFC), 0x11u);
  EXPECT_EQ(memory(0x10000), 0x22u);
  EXPECT_EQ(memory(0x17FFC), 0x33u);
}

TEST_F(CoreTest, RunsAndSleeps) {
  run({lui(1, kLocal), addi(2, 0, 42), sw(2, 1, 0x1C), kWfi, jal(0, -4)});
  clocks(60);
  EXPECT_EQ(read(host::kStatus), kAsleep | kMailOutWaits);
  EXPECT_EQ(rtl.asleep_o, 1);
  EXPECT_EQ(read(host::kMailOut), 42u);
  EXPECT_EQ(read(host::kStatus), kAsleep);
  EXPECT_EQ(memory(0), lui(1, kLocal));  // the memory is there in sleep
  halt();
  EXPECT_EQ(read(host::kPc), kBase + 16);
}

TEST_F(CoreTest, DebuggerReachesRegistersCsrsMemoryAndDevices) {
  setReg(5, 0x12345678);
  setReg(6, 0x9ABCDEF0);
  EXPECT_EQ(reg(5), 0x12345678u);
  EXPECT_EQ(reg(6), 0x9ABCDEF0u);
  EXPECT_EQ(reg(0), 0u);
  exec(csrrw(0, iss::kMscratch, 6));
  EXPECT_EQ(csr(iss::kMscratch), 0x9ABCDEF0u);
  EXPECT_EQ(csr(iss::kMinstret), 0u);  // injected instructions do not count,
  EXPECT_EQ(csr(iss::kMcycle), 0u);    // nor do their clocks
  setReg(7, kBase + 0x100);
  exec(sw(5, 7, 4));
  EXPECT_EQ(memory(0x104), 0x12345678u);
  exec(lh(8, 7, 6));
  EXPECT_EQ(reg(8), 0x1234u);
  exec(lui(9, kCard));
  exec(lw(10, 9, 0x24));
  EXPECT_EQ(reg(10), 0x24u);
  EXPECT_EQ(read(host::kPc), kBase);
}

TEST_F(CoreTest, DebuggerMovesTheProgram) {
  load(0x80, {addi(3, 0, 7), addi(3, 3, 1), beq(0, 0, -4)});
  setReg(5, kBase + 0x80);
  exec(jalr(0, 5, 0));
  EXPECT_EQ(read(host::kPc), kBase + 0x80);
  exec(auipc(6, 0));
  EXPECT_EQ(reg(6), kBase + 0x80);
  exec(beq(5, 0, 16));  // not taken
  EXPECT_EQ(read(host::kPc), kBase + 0x80);
  write(host::kCommand, 1);
  clocks(10);
  EXPECT_EQ(read(host::kPc), kBase + 0x84);
  EXPECT_EQ(reg(3), 7u);
  write(host::kCommand, 1);
  clocks(10);
  write(host::kCommand, 1);
  clocks(10);
  EXPECT_EQ(read(host::kPc), kBase + 0x84);
  EXPECT_EQ(reg(3), 8u);
  EXPECT_EQ(csr(iss::kMinstret), 3u);
}

TEST_F(CoreTest, InjectedInstructionsThatFailDoNothing) {
  setReg(5, 0x55);
  for (const Word bad : {0u, kEcall, kEbreak, lw(5, 0, 0), lw(5, 0, 1), sw(5, 0, 0),
                         csrrs(5, 0x7C0, 0), jalr(5, 0, 2)}) {
    exec(bad);
    EXPECT_EQ(read(host::kStatus), kHalted | kExecError) << std::hex << bad;
    EXPECT_EQ(read(host::kPc), kBase);
    EXPECT_EQ(reg(5), 0x55u);
    EXPECT_EQ(read(host::kStatus), kHalted);
  }
  EXPECT_EQ(csr(iss::kMcause), 0u);
  exec(kWfi);
  EXPECT_EQ(read(host::kStatus), kHalted);
  // The debugger's CSR is not there for programs.
  run({csrrs(1, 0x7B2, 0)});
  clocks(20);
  halt();
  EXPECT_EQ(csr(iss::kMcause), iss::kInstructionFault);  // of the handler at 0; before: illegal
  EXPECT_EQ(reg(1), 0u);
}

TEST_F(CoreTest, TimerEndsSleepAtItsTime) {
  // compare = 300; interrupts enabled in mie only, so WFI just goes on.
  run({lui(1, kLocal), addi(2, 0, 300), sw(0, 1, 0xC), sw(2, 1, 8), addi(2, 0, 0x80),
       csrrw(0, iss::kMie, 2), kWfi, lw(3, 1, 0), lui(4, kBase >> 12), sw(3, 4, 0x400), kWfi});
  clocks(600);
  const Word woke = memory(0x400);
  // Two clocks to compare, one to pend, then sleep, fetch (2), decode, execute, address, device
  // (2).
  EXPECT_GE(woke, 300u);
  EXPECT_LE(woke, 300u + 14);
}

TEST_F(CoreTest, MailboxInterruptsAndHoldsOneWord) {
  // Handler at 0x40: x5 = cause, x6 = MailIn, MailOut = x6 + 1.
  run({lui(1, kLocal),
       addi(2, 0, 1),
       sw(2, 1, 0x14),
       lui(3, kBase >> 12),
       addi(3, 3, 0x40),
       csrrw(0, iss::kMtvec, 3),
       lui(2, 1),
       addi(2, 2, -2048),
       csrrw(0, iss::kMie, 2),
       rv::csr(6, 0, iss::kMstatus, 8),
       kWfi,
       jal(0, -4),
       0,
       0,
       0,
       0,
       csrrs(5, iss::kMcause, 0),
       lw(6, 1, 0x18),
       addi(6, 6, 1),
       sw(6, 1, 0x1C),
       kMret});
  clocks(100);
  EXPECT_EQ(read(host::kStatus), kAsleep);
  write(host::kMailIn, 0xABC0);
  clocks(60);
  EXPECT_EQ(read(host::kStatus), kAsleep | kMailOutWaits);
  EXPECT_EQ(read(host::kMailOut), 0xABC1u);
  halt();
  EXPECT_EQ(reg(5), iss::kExternalInterrupt);
}

TEST_F(CoreTest, MailInIsRefusedWhenEmptyAndKeptWhenFull) {
  run({jal(0, 0)});
  write(host::kMailIn, 1);
  write(host::kMailIn, 2);  // ignored
  EXPECT_EQ(read(host::kStatus) & kMailInWaits, kMailInWaits);
  halt();
  setReg(1, kLocal << 12);
  exec(lw(2, 1, 0x18));
  EXPECT_EQ(read(host::kStatus), kHalted);
  EXPECT_EQ(reg(2), 1u);
  exec(lw(2, 1, 0x18));
  EXPECT_EQ(read(host::kStatus), kHalted | kExecError);
  exec(sw(1, 1, 0x1C));
  EXPECT_EQ(read(host::kStatus), kHalted | kMailOutWaits);
  exec(sw(2, 1, 0x1C));
  EXPECT_EQ(read(host::kStatus), kHalted | kMailOutWaits | kExecError);
  EXPECT_EQ(read(host::kMailOut), kLocal << 12);
  // Unknown offsets, writes to what is read only, stores of less than a word.
  for (const Word bad :
       {lw(2, 1, 0x28), sw(2, 1, 0x24), lw(2, 1, 0x108), sw(2, 1, 0x108), sw(2, 1, 0),
        sw(2, 1, 0x10), sb(2, 1, 8), sh(2, 1, 0xC), lw(2, 1, 0x1C), lw(2, 1, 0x108)}) {
    exec(bad);
    EXPECT_EQ(read(host::kStatus), kHalted | kExecError) << std::hex << bad;
  }
}

TEST_F(CoreTest, CardRegistersWaitAndRefuse) {
  wait = 9;
  run({lui(1, kCard), lw(2, 1, 0x44), addi(2, 2, 3), sw(2, 1, 0x48), lui(3, 1), add(3, 3, 1),
       lw(4, 3, 0), jal(0, 0)});
  clocks(120);
  EXPECT_EQ(last_address, 0x48u);
  EXPECT_EQ(last_value, 0x47u);
  halt();
  EXPECT_EQ(csr(iss::kMepc), 0u);  // the load was refused, and its handler at 0 is no memory
}

TEST_F(CoreTest, LinesFromTheCardInterrupt) {
  run({lui(1, kLocal), lui(2, 0x200), sw(2, 1, 0x14), lui(2, 1), addi(2, 2, -2048),
       csrrw(0, iss::kMie, 2), kWfi, lw(3, 1, 0x10), jal(0, 0)});
  rtl.irq_i = 1u << (20 - 8);  // not enabled
  clocks(100);
  EXPECT_EQ(rtl.asleep_o, 1);
  rtl.irq_i = 1u << (21 - 8);
  clocks(20);
  halt();
  EXPECT_EQ(reg(3), 1u << 21);
}

TEST_F(CoreTest, ClocksOfInstructions) {
  struct {
    const char* name;
    Word instruction;
    Word clocks;
  } const cases[] = {
      {"addi", addi(5, 5, 1), 2},
      {"fence", kFence, 2},
      {"slli", slli(5, 5, 3), 3},
      {"slt", op(0, 2, 5, 6, 7), 3},
      {"branch not taken", bne(0, 0, 8), 3},
      {"branch taken", beq(0, 0, 4), 5},
      {"jal", jal(5, 4), 5},
      {"lw", lw(5, 8, 0), 4},
      {"sw", sw(5, 8, 0), 5},
      {"csrrs", csrrs(5, iss::kMscratch, 0), 4},
      {"mul", op(1, 0, 5, 6, 7), 6},
      {"mulhu", op(1, 3, 5, 6, 7), 6},
      {"div", op(1, 4, 5, 6, 7), 36},
      {"remu by zero", op(1, 7, 5, 6, 0), 36},
      {"card load", lw(5, 9, 0), 6},
      {"card store", sw(5, 9, 0), 5},
  };
  for (const auto& c : cases) {
    run({lui(8, (kBase >> 12) + 1), lui(9, kCard), csrrs(1, iss::kMcycle, 0), c.instruction,
         csrrs(2, iss::kMcycle, 0), jal(0, 0)});
    clocks(150);
    halt();
    EXPECT_EQ(reg(2) - reg(1) - 4, c.clocks) << c.name;
  }
}

}  // namespace
}  // namespace plumbline::hw_test
