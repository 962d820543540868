#include "sim/iss/csr_file.h"

namespace plumbline::iss {
namespace {

constexpr std::uint32_t kMieBit = 1u << 3;
constexpr std::uint32_t kMpieBit = 1u << 7;
constexpr std::uint32_t kMppMachine = 3u << 11;  // read only: machine mode is the only mode

// Event counters and selectors, which exist and are zero.
bool isZeroCounter(std::uint32_t csr) {
  return (csr >= 0xB03 && csr <= 0xB1F) || (csr >= 0xB83 && csr <= 0xB9F) ||
         (csr >= 0x323 && csr <= 0x33F);
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
std::uint64_t withLow(std::uint64_t old, std::uint32_t value) { return (old >> 32 << 32) | value; }
std::uint64_t withHigh(std::uint64_t old, std::uint32_t value) {
  return static_cast<std::uint64_t>(value) << 32 | low(old);
}

}  // namespace

std::optional<std::uint32_t> CsrFile::read(std::uint32_t csr) const {
  switch (csr) {
    case kMstatus:
      return kMppMachine | (mie_on_ ? kMieBit : 0) | (mpie_on_ ? kMpieBit : 0);
    case kMisa:
      return kMisaValue;
    case kMie:
      return mie_;
    case kMip:
      return mip_;
    case kMtvec:
      return mtvec_;
    case kMscratch:
      return mscratch_;
    case kMepc:
      return mepc_;
    case kMcause:
      return mcause_;
    case kMtval:
      return mtval_;
    case kMcycle:
      return low(mcycle_);
    case kMcycleh:
      return high(mcycle_);
    case kMinstret:
      return low(minstret_);
    case kMinstreth:
      return high(minstret_);
    case kMimpid:
      return kMimpidValue;
    case kMstatush:
    case kMvendorid:
    case kMarchid:
    case kMhartid:
    case kMconfigptr:
      return 0;
    default:
      if (isZeroCounter(csr)) return 0;
      return std::nullopt;
  }
}

void CsrFile::write(std::uint32_t csr, std::uint32_t value) {
  switch (csr) {
    case kMstatus:
      mie_on_ = (value & kMieBit) != 0;
      mpie_on_ = (value & kMpieBit) != 0;
      break;
    case kMie:
      mie_ = value & (kTimerBit | kExternalBit);
      break;
    case kMtvec:
      mtvec_ = value & ~3u;
      break;
    case kMscratch:
      mscratch_ = value;
      break;
    case kMepc:
      mepc_ = value & ~3u;
      break;
    case kMcause:
      mcause_ = value & 0x8000000Fu;
      break;
    case kMtval:
      mtval_ = value;
      break;
    case kMcycle:
      mcycle_ = withLow(mcycle_, value);
      break;
    case kMcycleh:
      mcycle_ = withHigh(mcycle_, value);
      break;
    case kMinstret:
      minstret_ = withLow(minstret_, value);
      break;
    case kMinstreth:
      minstret_ = withHigh(minstret_, value);
      break;
    default:  // misa, mip, mstatush, event counters: fixed
      break;
  }
}

std::optional<std::uint32_t> CsrFile::interrupt() const {
  if (!mie_on_) return std::nullopt;
  if ((mip_ & mie_ & kExternalBit) != 0) return kExternalInterrupt;
  if ((mip_ & mie_ & kTimerBit) != 0) return kTimerInterrupt;
  return std::nullopt;
}

std::uint32_t CsrFile::trap(std::uint32_t cause, std::uint32_t value, std::uint32_t pc) {
  mepc_ = pc;
  mcause_ = cause;
  mtval_ = value;
  mpie_on_ = mie_on_;
  mie_on_ = false;
  return mtvec_;
}

std::uint32_t CsrFile::leave() {
  mie_on_ = mpie_on_;
  mpie_on_ = true;
  return mepc_;
}

}  // namespace plumbline::iss
