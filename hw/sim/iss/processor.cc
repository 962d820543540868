#include "sim/iss/processor.h"

#include <limits>

namespace plumbline::iss {
namespace {

std::int32_t asSigned(std::uint32_t value) { return static_cast<std::int32_t>(value); }

std::uint32_t shiftRightArithmetic(std::uint32_t value, std::uint32_t by) {
  return static_cast<std::uint32_t>(asSigned(value) >> by);
}

// Results of OP and OP-IMM without `alternative` (SUB, SRA).
std::uint32_t plain(std::uint32_t funct3, std::uint32_t a, std::uint32_t b) {
  switch (funct3) {
    case 0:
      return a + b;
    case 1:
      return a << (b & 31);
    case 2:
      return asSigned(a) < asSigned(b) ? 1 : 0;
    case 3:
      return a < b ? 1 : 0;
    case 4:
      return a ^ b;
    case 5:
      return a >> (b & 31);
    case 6:
      return a | b;
    default:
      return a & b;
  }
}

}  // namespace

std::uint32_t multiplyDivide(std::uint32_t funct3, std::uint32_t a, std::uint32_t b) {
  const std::int64_t signed_a = asSigned(a);
  const std::int64_t signed_b = asSigned(b);
  const bool overflows =
      asSigned(a) == std::numeric_limits<std::int32_t>::min() && asSigned(b) == -1;
  switch (funct3) {
    case 0:  // MUL
      return a * b;
    case 1:  // MULH
      return static_cast<std::uint32_t>((signed_a * signed_b) >> 32);
    case 2:  // MULHSU
      return static_cast<std::uint32_t>((signed_a * static_cast<std::int64_t>(b)) >> 32);
    case 3:  // MULHU
      return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
    case 4:  // DIV
      if (b == 0) return 0xFFFFFFFFu;
      return overflows ? a : static_cast<std::uint32_t>(asSigned(a) / asSigned(b));
    case 5:  // DIVU
      return b == 0 ? 0xFFFFFFFFu : a / b;
    case 6:  // REM
      if (b == 0) return a;
      return overflows ? 0 : static_cast<std::uint32_t>(asSigned(a) % asSigned(b));
    default:  // REMU
      return b == 0 ? a : a % b;
  }
}

Step Processor::fault(Step step, std::uint32_t cause, std::uint32_t value) {
  step.trap = TrapTaken{cause, value};
  next_pc_ = csrs_.trap(cause, value, step.pc);
  return step;
}

Step Processor::jump(Step step, std::uint32_t target) {
  if ((target & 3) != 0) return fault(step, kInstructionMisaligned, target);
  next_pc_ = target;
  return step;
}

Step Processor::write(Step step, std::uint32_t value) {
  step.rd = Instruction(step.instruction).rd();
  step.value = step.rd == 0 ? 0 : value;
  setReg(step.rd, value);
  return step;
}

Step Processor::step() {
  Step step;
  step.pc = pc_;
  waiting_ = false;
  counts_ = true;
  next_pc_ = pc_ + 4;
  if (!memory_.contains(pc_)) {
    step = fault(step, kInstructionFault, pc_);
  } else {
    step.instruction = memory_.read(pc_);
    step = execute(step, Instruction(step.instruction));
  }
  if (!step.trap && counts_) csrs_.countInstruction();
  pc_ = next_pc_;
  return step;
}

Step Processor::takeInterrupt() {
  Step step;
  step.pc = pc_;
  waiting_ = false;
  step = fault(step, csrs_.interrupt().value(), 0);
  pc_ = next_pc_;
  return step;
}

Step Processor::execute(const Step& step, Instruction in) {
  switch (in.opcode()) {
    case kLui:
      return write(step, in.immU());
    case kAuipc:
      return write(step, step.pc + in.immU());
    case kJal: {
      const Step jumped = jump(step, step.pc + in.immJ());
      return jumped.trap ? jumped : write(jumped, step.pc + 4);
    }
    case kJalr: {
      if (in.funct3() != 0) return illegal(step);
      const Step jumped = jump(step, (reg(in.rs1()) + in.immI()) & ~1u);
      return jumped.trap ? jumped : write(jumped, step.pc + 4);
    }
    case kBranch:
      return branch(step, in);
    case kLoad:
      return load(step, in);
    case kStore:
      return store(step, in);
    case kOpImm:
      return opImmediate(step, in);
    case kOp:
      return op(step, in);
    case kMiscMem:  // FENCE: accesses are in order anyway. FENCE.I does not exist.
      return in.funct3() == 0 ? step : illegal(step);
    case kSystem:
      return in.funct3() == 0 ? system(step, in) : csrAccess(step, in);
    default:
      return illegal(step);
  }
}

Step Processor::branch(const Step& step, Instruction in) {
  const std::uint32_t a = reg(in.rs1());
  const std::uint32_t b = reg(in.rs2());
  bool taken = false;
  switch (in.funct3() >> 1) {
    case 0:
      taken = a == b;
      break;
    case 2:
      taken = asSigned(a) < asSigned(b);
      break;
    case 3:
      taken = a < b;
      break;
    default:
      return illegal(step);
  }
  if ((in.funct3() & 1) != 0) taken = !taken;
  return taken ? jump(step, step.pc + in.immB()) : step;
}

Step Processor::load(const Step& step, Instruction in) {
  const std::uint32_t size = in.funct3() & 3;  // log2 of the bytes
  if (size == 3 || in.funct3() == 6) return illegal(step);
  const std::uint32_t address = reg(in.rs1()) + in.immI();
  if ((address & ((1u << size) - 1)) != 0) return fault(step, kLoadMisaligned, address);
  std::optional<std::uint32_t> word;
  if (memory_.contains(address)) {
    word = memory_.read(address & ~3u);
  } else if (address >= bus_base_) {
    word = bus_.read(address & ~3u);
  }
  if (!word) return fault(step, kLoadFault, address);
  const unsigned bits = 8u << size;
  const std::uint32_t value = *word >> (8 * (address & 3));
  const bool is_unsigned = in.funct3() >= 4;
  if (size == 2) return write(step, value);
  return write(step, is_unsigned ? value & ((1u << bits) - 1) : signExtend(value, bits));
}

Step Processor::store(Step step, Instruction in) {
  const std::uint32_t size = in.funct3();
  if (size > 2) return illegal(step);
  const std::uint32_t address = reg(in.rs1()) + in.immS();
  if ((address & ((1u << size) - 1)) != 0) return fault(step, kStoreMisaligned, address);
  const std::uint32_t lane = address & 3;
  const std::uint32_t bytes = size == 2 ? 0xFFFFFFFFu : (1u << (8u << size)) - 1;
  StoreAccess access;
  access.address = address & ~3u;
  access.value = (reg(in.rs2()) & bytes) << (8 * lane);
  access.strobe = ((1u << (1u << size)) - 1) << lane;
  if (memory_.contains(address)) {
    memory_.write(access.address, access.value, access.strobe);
  } else if (address < bus_base_ || !bus_.write(access.address, access.value, access.strobe)) {
    return fault(step, kStoreFault, address);
  }
  step.store = access;
  return step;
}

Step Processor::opImmediate(const Step& step, Instruction in) {
  const std::uint32_t a = reg(in.rs1());
  const bool shifts = in.funct3() == 1 || in.funct3() == 5;
  if (shifts && in.funct7() != 0) {
    if (in.funct3() != 5 || in.funct7() != 0x20) return illegal(step);
    return write(step, shiftRightArithmetic(a, in.rs2()));
  }
  return write(step, plain(in.funct3(), a, in.immI()));
}

Step Processor::op(const Step& step, Instruction in) {
  const std::uint32_t a = reg(in.rs1());
  const std::uint32_t b = reg(in.rs2());
  switch (in.funct7()) {
    case 0:
      return write(step, plain(in.funct3(), a, b));
    case 1:
      return write(step, multiplyDivide(in.funct3(), a, b));
    case 0x20:
      if (in.funct3() == 0) return write(step, a - b);
      if (in.funct3() == 5) return write(step, shiftRightArithmetic(a, b & 31));
      return illegal(step);
    default:
      return illegal(step);
  }
}

Step Processor::system(Step step, Instruction in) {
  switch (in.word()) {
    case 0x00000073:
      return fault(step, kEnvironmentCall, 0);
    case 0x00100073:
      return fault(step, kBreakpoint, step.pc);
    case 0x30200073:  // MRET
      next_pc_ = csrs_.leave();
      return step;
    case 0x10500073:  // WFI
      waiting_ = true;
      return step;
    default:
      return illegal(step);
  }
}

Step Processor::csrAccess(const Step& step, Instruction in) {
  const std::uint32_t operation = in.funct3() & 3;  // 1 write, 2 set, 3 clear
  const bool writes = operation == 1 || in.rs1() != 0;
  const auto old = csrs_.read(in.csr());
  if (operation == 0 || !old || (writes && in.csr() >> 10 == 3)) return illegal(step);
  const std::uint32_t operand = in.funct3() >= 4 ? in.rs1() : reg(in.rs1());
  if (writes) {
    // Written instead of counted (Unprivileged ISA, section 9.1).
    counts_ = in.csr() != kMinstret && in.csr() != kMinstreth;
    const std::uint32_t values[] = {0, operand, *old | operand, *old & ~operand};
    csrs_.write(in.csr(), values[operation]);
  }
  return write(step, *old);
}

}  // namespace plumbline::iss
