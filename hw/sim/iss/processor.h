// Instruction-set simulator of the card's control processor: RV32IM with Zicsr, machine mode, one
// memory for code and data (docs/core.md). It executes one instruction at a time and reports all
// changes of the instruction, with which the RTL is compared.
//
// It has no notion of clocks except mcycle, which the caller advances: the clocks of an instruction
// are a property of the RTL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/iss/bus.h"
#include "sim/iss/csr_file.h"
#include "sim/iss/instruction.h"

namespace plumbline::iss {

// A store on the bus.
struct StoreAccess {
  std::uint32_t address = 0;  // multiple of four
  std::uint32_t value = 0;    // bytes in their lanes, zero elsewhere
  std::uint32_t strobe = 0;   // the lanes written
  bool operator==(const StoreAccess&) const = default;
};

struct TrapTaken {
  std::uint32_t cause = 0;
  std::uint32_t value = 0;  // mtval
  bool operator==(const TrapTaken&) const = default;
};

// Effects of one step.
struct Step {
  std::uint32_t pc = 0;           // of the instruction, or at which an interrupt was taken
  std::uint32_t instruction = 0;  // 0 for an interrupt, or a fetch that failed
  std::uint32_t rd = 0;           // register written; 0 for none
  std::uint32_t value = 0;        // written to it
  std::optional<StoreAccess> store;
  std::optional<TrapTaken> trap;  // the instruction had no other effect
  bool operator==(const Step&) const = default;
};

class Processor {
 public:
  // Begins at `base`, the first address of its memory, with all registers zero. `bus` covers every
  // address from `bus_base` up. Both must outlive it.
  Processor(Memory& memory, Bus& bus, std::uint32_t base, std::uint32_t bus_base)
      : memory_(memory), bus_(bus), bus_base_(bus_base), pc_(base) {}

  // Executes the next instruction, whether or not an interrupt is due.
  Step step();
  // Enters the handler of the interrupt that is due (csrs().interrupt()).
  Step takeInterrupt();

  [[nodiscard]] std::uint32_t pc() const { return pc_; }
  void setPc(std::uint32_t pc) { pc_ = pc; }
  [[nodiscard]] std::uint32_t reg(std::uint32_t index) const { return regs_[index]; }
  // Index 0 stays zero.
  void setReg(std::uint32_t index, std::uint32_t value) {
    if (index != 0) regs_[index] = value;
  }
  [[nodiscard]] CsrFile& csrs() { return csrs_; }
  // The last instruction was WFI: no instruction is executed until csrs().wakes().
  [[nodiscard]] bool waiting() const { return waiting_; }

 private:
  // An exception of the current instruction.
  Step fault(Step step, std::uint32_t cause, std::uint32_t value);
  Step illegal(const Step& step) { return fault(step, kIllegalInstruction, step.instruction); }
  Step jump(Step step, std::uint32_t target);
  Step write(Step step, std::uint32_t value);

  Step execute(const Step& step, Instruction in);
  Step branch(const Step& step, Instruction in);
  Step load(const Step& step, Instruction in);
  Step store(Step step, Instruction in);
  Step opImmediate(const Step& step, Instruction in);
  Step op(const Step& step, Instruction in);
  Step system(Step step, Instruction in);
  Step csrAccess(const Step& step, Instruction in);

  Memory& memory_;
  Bus& bus_;
  std::uint32_t bus_base_;
  std::uint32_t pc_;
  std::uint32_t next_pc_ = 0;
  std::array<std::uint32_t, 32> regs_{};
  CsrFile csrs_;
  bool waiting_ = false;
  bool counts_ = true;  // counts in minstret, which the instruction has not written itself
};

// Results of OP with funct7 = 1 (chapter 7).
std::uint32_t multiplyDivide(std::uint32_t funct3, std::uint32_t a, std::uint32_t b);

}  // namespace plumbline::iss
