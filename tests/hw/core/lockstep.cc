#include "tests/hw/core/lockstep.h"

#include <fmt/format.h>

#include <stdexcept>

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kMemoryBytes = 98304;
constexpr std::uint32_t kBusBase = 0x40000000;
constexpr std::uint64_t kPatience = 400;  // clocks of sleep without anything happening

std::string describe(const iss::Step& s) {
  std::string text =
      fmt::format("pc {:08x} instruction {:08x} x{} = {:08x}", s.pc, s.instruction, s.rd, s.value);
  if (s.store) {
    text += fmt::format(" store {:08x} = {:08x} lanes {:x}", s.store->address, s.store->value,
                        s.store->strobe);
  }
  if (s.trap) text += fmt::format(" trap {:08x} value {:08x}", s.trap->cause, s.trap->value);
  return text;
}

}  // namespace

std::optional<std::uint32_t> ReplayedBus::read(std::uint32_t address) {
  if (accesses.empty() || accesses.front().write || accesses.front().address != address) {
    difference = fmt::format("the RTL has not read device {:08x}", address);
    return std::nullopt;
  }
  const DeviceAccess access = accesses.front();
  accesses.pop_front();
  if (access.error) return std::nullopt;
  return access.value;
}

bool ReplayedBus::write(std::uint32_t address, std::uint32_t value, std::uint32_t strobe) {
  if (accesses.empty() || !accesses.front().write || accesses.front().address != address ||
      accesses.front().value != value || accesses.front().strobe != strobe) {
    difference = fmt::format("the RTL has not written {:08x} to device {:08x}", value, address);
    return false;
  }
  const bool error = accesses.front().error;
  accesses.pop_front();
  return !error;
}

Lockstep::Lockstep(std::uint64_t seed, const Surroundings& surroundings)
    : random_(seed, "core/lockstep"),
      surroundings_(surroundings),
      context_(std::make_unique<VerilatedContext>()),
      memory_(kProgramBase, kMemoryBytes) {
  rtl_ = std::make_unique<Vcore_bench>(context_.get());
  rtl_->load_en_i = 1;
  rtl_->load_we_i = 1;
  rtl_->load_wdata_i = 0;
  for (std::uint32_t word = 0; word < kMemoryBytes / 4; ++word) {
    rtl_->load_addr_i = word;
    clock();
  }
  rtl_->load_en_i = 0;
}

Lockstep::Lockstep(std::uint64_t seed, const Surroundings& surroundings, Devices& devices)
    : Lockstep(seed, surroundings) {
  devices_ = &devices;
}

Lockstep::~Lockstep() { rtl_->final(); }

void Lockstep::run(const std::vector<std::uint32_t>& program, std::uint64_t steps) {
  lines_ = {};
  rtl_->timer_irq_i = rtl_->ext_irq_i = 0;
  rtl_->halt_i = 1;
  rtl_->step_i = rtl_->bus_ack_i = 0;
  rtl_->rst_ni = 0;
  rtl_->load_en_i = rtl_->load_we_i = 1;
  for (std::uint32_t i = 0; i < program.size(); ++i) {
    rtl_->load_addr_i = i;
    rtl_->load_wdata_i = program[i];
    memory_.write(kProgramBase + 4 * i, program[i]);
    clock();
  }
  rtl_->load_en_i = rtl_->load_we_i = 0;
  clock();
  auto fresh = std::make_unique<iss::Processor>(memory_, bus_, kProgramBase, kBusBase);
  for (std::uint32_t reg = 1; iss_ && reg < 32; ++reg) fresh->setReg(reg, iss_->reg(reg));
  iss_ = std::move(fresh);
  bus_ = {};
  rtl_->rst_ni = 1;
  rtl_->halt_i = 0;
  running_ = counted_ = asleep_ = 0;
  past_ = {};
  lines_changed_ = last_step_ = last_halt_ = clock_;
  traps_in_a_row_ = 0;
  goOn(steps);
}

void Lockstep::goOn(std::uint64_t steps) {
  asleep_ = 0;
  for (const std::uint64_t end = steps_ + steps;
       steps_ < end && asleep_ < kPatience && traps_in_a_row_ < 4;) {
    drive();
    clock();
  }
}

void Lockstep::wait(std::uint64_t clocks) {
  for (const std::uint64_t end = clock_ + clocks; clock_ < end;) {
    drive();
    clock();
  }
}

void Lockstep::store(std::uint32_t address, std::uint32_t value) {
  rtl_->load_en_i = rtl_->load_we_i = 1;
  rtl_->load_addr_i = (address - kProgramBase) / 4;
  rtl_->load_wdata_i = value;
  drive();
  clock();
  rtl_->load_en_i = rtl_->load_we_i = 0;
  memory_.write(address, value);
}

bool Lockstep::memoriesAreEqual() {
  bool equal = true;
  rtl_->load_en_i = 1;
  for (std::uint32_t word = 0; word < kMemoryBytes / 4; ++word) {
    rtl_->load_addr_i = word;
    drive();
    clock();
    equal = equal && rtl_->load_rdata_o == memory_.read(kProgramBase + 4 * word);
  }
  rtl_->load_en_i = 0;
  return equal;
}

void Lockstep::setLines(Lines lines) {
  if (lines.timer != lines_.timer || lines.external != lines_.external) lines_changed_ = clock_;
  lines_ = lines;
  rtl_->timer_irq_i = lines_.timer ? 1 : 0;
  rtl_->ext_irq_i = lines_.external ? 1 : 0;
}

void Lockstep::drive() {
  const auto chance = [&](std::uint64_t once_in) {
    return once_in != 0 && random_.below(once_in) == 0;
  };
  if (devices_ != nullptr) {
    devices_->clock();
    setLines({devices_->timerInterrupt(), devices_->externalInterrupt()});
    answerDevices();
    return;
  }
  const bool wakes = asleep_ == kPatience / 2 && surroundings_.interrupts != 0;
  if (chance(surroundings_.interrupts) || wakes) {
    Lines lines = lines_;
    if (wakes) {
      lines = {true, true};
    } else if (random_.below(2) == 0) {
      lines.timer = !lines.timer;
    } else {
      lines.external = !lines.external;
    }
    setLines(lines);
    lines_changed_ = clock_;
  }
  rtl_->step_i = 0;
  if (rtl_->halt_i != 0) {
    if (random_.below(8) == 0) rtl_->step_i = rtl_->halted_o;
    if (random_.below(32) == 0) rtl_->halt_i = 0;
  } else if (chance(surroundings_.halts)) {
    rtl_->halt_i = 1;
  }
  if (rtl_->halt_i != 0) last_halt_ = clock_;
  answerDevices();
}

void Lockstep::answerDevices() {
  rtl_->bus_ack_i = 0;
  if (rtl_->bus_req_o == 0) {
    device_due_ = 0;
    return;
  }
  if (device_due_ == 0) device_due_ = clock_ + random_.below(surroundings_.slowest_device + 1);
  if (clock_ < device_due_) return;
  DeviceAccess access{.write = rtl_->bus_write_o != 0,
                      .address = rtl_->bus_addr_o,
                      .strobe = rtl_->bus_strobe_o,
                      .value = rtl_->bus_wdata_o,
                      .error = false};
  if (devices_ != nullptr) {
    devices_->access(access);
  } else {
    access.error = random_.below(8) == 0;
    if (!access.write) access.value = static_cast<std::uint32_t>(random_.next());
  }
  rtl_->bus_ack_i = 1;
  rtl_->bus_error_i = access.error ? 1 : 0;
  rtl_->bus_rdata_i = access.value;
  bus_.accesses.push_back(access);
}

void Lockstep::clock() {
  rtl_->clk_i = 0;
  rtl_->eval();
  past_[clock_ % past_.size()] = {lines_, running_};
  if (rtl_->rst_ni != 0) {
    asleep_ = rtl_->asleep_o != 0 ? asleep_ + 1 : 0;
    if (rtl_->valid_o != 0) compare();
    running_ += rtl_->running_o;
  }
  rtl_->clk_i = 1;
  rtl_->eval();
  ++clock_;
}

void Lockstep::compare() {
  iss::Step got;
  got.pc = rtl_->pc_o;
  got.instruction = rtl_->instr_o;
  got.rd = rtl_->rd_o;
  got.value = rtl_->value_o;
  if (rtl_->store_o != 0) got.store = {rtl_->address_o, rtl_->wdata_o, rtl_->strobe_o};
  if (rtl_->trap_o != 0) {
    got.trap = {static_cast<std::uint32_t>(rtl_->irq_o) << 31 | rtl_->cause_o, rtl_->tval_o};
  }

  auto& csrs = iss_->csrs();
  // Interrupts are decided on two clocks before, CSRs read three; lines take a clock.
  const bool reads_csr = !got.trap && (got.instruction & 0x7F) == iss::kSystem;
  const std::uint64_t ago = reads_csr ? 3 : 2;
  csrs.setTimerInterrupt(past(ago + 1).lines.timer);
  csrs.setExternalInterrupt(past(ago + 1).lines.external);
  csrs.countClocks(past(ago).running - counted_);
  counted_ = past(ago).running;

  iss::Step expected;
  if (rtl_->trap_o != 0 && rtl_->irq_o != 0) {
    if (!csrs.interrupt()) fail("no interrupt is due", expected, got);
    expected = iss_->takeInterrupt();
    ++interrupts_;
  } else {
    if (iss_->waiting() && !csrs.wakes() && lines_changed_ + 4 < last_step_ &&
        last_halt_ < last_step_) {
      fail("the processor should sleep", expected, got);
    }
    if (csrs.interrupt() && lines_changed_ + 4 < last_step_) {
      fail("an interrupt is due", expected, got);
    }
    const std::uint32_t low = csrs.read(iss::kMcycle).value();
    expected = iss_->step();
    followCounterWrite(expected, low);
  }
  if (!bus_.difference.empty()) fail(bus_.difference, expected, got);
  if (!bus_.accesses.empty()) fail("an access to a device too many", expected, got);
  if (expected != got) fail("different", expected, got);
  ++steps_;
  traps_ += rtl_->trap_o;
  traps_in_a_row_ = rtl_->trap_o != 0 ? traps_in_a_row_ + 1 : 0;
  last_step_ = clock_;
}

// The RTL has read mcycle three clocks before this one, and written it one clock before.
void Lockstep::followCounterWrite(const iss::Step& step, std::uint32_t low_before) {
  const iss::Instruction in(step.instruction);
  const bool writes = in.opcode() == iss::kSystem && in.funct3() != 0 && !step.trap &&
                      ((in.funct3() & 3) == 1 || in.rs1() != 0);
  if (!writes) return;
  auto& csrs = iss_->csrs();
  const auto between = static_cast<std::uint32_t>(running_ - counted_);
  if (in.csr() == iss::kMcycle) {
    const bool wraps = low_before + between < low_before;
    csrs.write(iss::kMcycleh, csrs.read(iss::kMcycleh).value() + (wraps ? 1 : 0));
    counted_ = running_;
  } else if (in.csr() == iss::kMcycleh) {
    csrs.write(iss::kMcycle, low_before + between);
    counted_ = running_;
  }
}

void Lockstep::fail(const std::string& what, const iss::Step& expected,
                    const iss::Step& got) const {
  throw std::runtime_error(fmt::format("step {} clock {}: {}\n  simulator {}\n  RTL       {}",
                                       steps_, clock_, what, describe(expected), describe(got)));
}

}  // namespace plumbline::hw_test
