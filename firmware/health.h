// Counters of one MAC, added up in 64 bits: the MAC's saturate, and the invalid blocks of a dead
// link fill 32 bits in three seconds. Each reading takes them and zeroes them at one clock edge, so
// nothing is counted twice or lost; the host must not use MAC_COMMAND beside it.
#pragma once

#include "firmware/registers.h"
#include "firmware/wide.h"

namespace plumbline::firmware {

template <typename Bus>
class HealthCounter {
 public:
  // Readings are `period_us` apart.
  constexpr HealthCounter(Bus& bus, uint32_t port, uint32_t period_us)
      : bus_(bus), base_(regs::mac::address(port, 0)), period_us_(period_us) {}

  // The sums begin anew with the next reading.
  void clear() { fresh_ = false; }

  // One step, `elapsed_us` after the last one. True when a reading is there to be added.
  bool poll(uint32_t elapsed_us) {
    if (!asked_) {
      waited_us_ += elapsed_us;
      if (waited_us_ < period_us_) return false;
      waited_us_ = 0;
      bus_.writeCard(base_ + regs::mac::kMacCommand,
                     regs::mac::kMacCommandSnapshot.mask() | regs::mac::kMacCommandClear.mask());
      asked_ = true;
      return false;
    }
    // A MAC without a clock keeps it busy for as long.
    if (regs::mac::kMacCountersBusy.get(bus_.readCard(base_ + regs::mac::kMacCounters)) != 0) {
      return false;
    }
    asked_ = false;
    return true;
  }

  // Adds the reading, of the time `now`. The first one has counts of an unknown time, which are
  // left out.
  void add(volatile Health& health, uint64_t now) {
    if (!fresh_) {
      fresh_ = true;
      store(health.from, now);
      health.readings = 0;
      health.saturated = 0;
      for (uint32_t i = 0; i < kHealthSums; ++i) store(health.sums[i], 0);
    } else {
      for (uint32_t i = 0; i < kHealthSums; ++i) addTo(health, i);
      health.readings = health.readings + 1;
    }
    store(health.to, now);
    health.clock_count = bus_.readCard(base_ + regs::mac::kMacClockCount);
  }

 private:
  static constexpr uint64_t kFullWide = (uint64_t{1} << 48) - 1;
  static constexpr uint64_t kFullNarrow = 0xFFFF'FFFF;

  // The sums are in the order of the registers; the first three have two words each.
  static constexpr uint32_t registerOf(uint32_t sum) {
    if (sum < kSumSymbolErrors) return regs::mac::kFecCodewordsLo + 8 * sum;
    if (sum < kSumBipErrors) return regs::mac::kFecSymbolErrors + 4 * (sum - kSumSymbolErrors);
    if (sum < kSumBadCodes) return regs::mac::kBipErrors + 4 * (sum - kSumBipErrors);
    return regs::mac::kBadCodes + 4 * (sum - kSumBadCodes);
  }
  static_assert(registerOf(kSumUncorrected) == regs::mac::kFecUncorrectedLo &&
                registerOf(kSumAlignmentLosses) == regs::mac::kAlignmentLosses &&
                registerOf(kSumHiBerEvents) == regs::mac::kHiBerEvents &&
                registerOf(kSumLocalFaults) == regs::mac::kLocalFaults &&
                registerOf(kSumRemoteFaults) == regs::mac::kRemoteFaults &&
                registerOf(kSumTxUnderflows) == regs::mac::kTxUnderflows &&
                registerOf(kSumTxOverflows) == regs::mac::kTxOverflows &&
                registerOf(kSumRxFifoOverflows) == regs::mac::kRxFifoOverflows);

  void addTo(volatile Health& health, uint32_t sum) {
    const uint32_t offset = base_ + registerOf(sum);
    const bool wide = sum < kSumSymbolErrors;
    uint64_t count = bus_.readCard(offset);
    if (wide) count |= uint64_t{bus_.readCard(offset + 4)} << 32;
    if (count == (wide ? kFullWide : kFullNarrow)) health.saturated = 1;
    store(health.sums[sum], load(health.sums[sum]) + count);
  }

  Bus& bus_;
  uint32_t base_;
  uint32_t period_us_;
  uint32_t waited_us_ = 0;
  bool asked_ = false;
  bool fresh_ = false;  // the counters were zeroed by an earlier reading
};

}  // namespace plumbline::firmware
