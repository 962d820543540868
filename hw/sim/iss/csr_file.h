// Control and status registers of the control processor: machine mode only (Privileged ISA 1.12,
// chapter 3). docs/core.md lists them.
#pragma once

#include <cstdint>
#include <optional>

namespace plumbline::iss {

enum Csr : std::uint32_t {
  kMstatus = 0x300,
  kMisa = 0x301,
  kMie = 0x304,
  kMtvec = 0x305,
  kMstatush = 0x310,
  kMscratch = 0x340,
  kMepc = 0x341,
  kMcause = 0x342,
  kMtval = 0x343,
  kMip = 0x344,
  kMcycle = 0xB00,
  kMinstret = 0xB02,
  kMcycleh = 0xB80,
  kMinstreth = 0xB82,
  kMvendorid = 0xF11,
  kMarchid = 0xF12,
  kMimpid = 0xF13,
  kMhartid = 0xF14,
  kMconfigptr = 0xF15,
};

// Values of mcause (table 3.6).
enum Cause : std::uint32_t {
  kInstructionMisaligned = 0,
  kInstructionFault = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kLoadMisaligned = 4,
  kLoadFault = 5,
  kStoreMisaligned = 6,
  kStoreFault = 7,
  kEnvironmentCall = 11,
  kTimerInterrupt = 0x80000007,
  kExternalInterrupt = 0x8000000B,
};

inline constexpr std::uint32_t kTimerBit = 1u << 7;      // in mip and mie
inline constexpr std::uint32_t kExternalBit = 1u << 11;  // in mip and mie
inline constexpr std::uint32_t kMisaValue = 0x40001100;  // RV32IM
inline constexpr std::uint32_t kMimpidValue = 1;         // version of this processor

class CsrFile {
 public:
  // The value, or none if the register does not exist.
  [[nodiscard]] std::optional<std::uint32_t> read(std::uint32_t csr) const;
  // Writes the writable bits of `value`. The register must exist.
  void write(std::uint32_t csr, std::uint32_t value);

  // Levels of the two interrupt lines.
  void setTimerInterrupt(bool high) { setPending(kTimerBit, high); }
  void setExternalInterrupt(bool high) { setPending(kExternalBit, high); }
  // Some interrupt is pending and enabled in mie, which ends WFI.
  [[nodiscard]] bool wakes() const { return (mip_ & mie_) != 0; }
  // Cause of the interrupt that is to be taken now; none while mstatus.MIE is clear.
  [[nodiscard]] std::optional<std::uint32_t> interrupt() const;

  // Enters the trap handler: returns its address.
  std::uint32_t trap(std::uint32_t cause, std::uint32_t value, std::uint32_t pc);
  // Leaves it (MRET): returns the return address.
  std::uint32_t leave();

  // Clocks in which the processor ran.
  void countClocks(std::uint64_t clocks) { mcycle_ += clocks; }
  void countInstruction() { ++minstret_; }

 private:
  void setPending(std::uint32_t bit, bool high) { mip_ = high ? mip_ | bit : mip_ & ~bit; }

  bool mie_on_ = false;   // mstatus.MIE
  bool mpie_on_ = false;  // mstatus.MPIE
  std::uint32_t mie_ = 0;
  std::uint32_t mip_ = 0;
  std::uint32_t mtvec_ = 0;
  std::uint32_t mscratch_ = 0;
  std::uint32_t mepc_ = 0;
  std::uint32_t mcause_ = 0;
  std::uint32_t mtval_ = 0;
  std::uint64_t mcycle_ = 0;
  std::uint64_t minstret_ = 0;
};

}  // namespace plumbline::iss
