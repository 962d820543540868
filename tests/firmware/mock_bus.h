// What is around the control processor, as far as the firmware sees it: registers of a card as
// plain words with tables behind TBL_CMD, timer and mailbox.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "firmware/local.h"
#include "firmware/registers.h"

namespace plumbline::firmware_test {

namespace regs = firmware::regs;
namespace local = firmware::local;

class MockBus {
 public:
  explicit MockBus(std::uint32_t ports) {
    card[regs::global::kCapability] = regs::global::kCapabilityPorts.of(ports);
  }

  // ---- As the firmware has it ----

  std::uint32_t readCard(std::uint32_t offset) {
    reads.push_back(offset);
    if (refused.contains(offset)) {
      failed = true;
      return 0;
    }
    return card[offset];
  }
  void writeCard(std::uint32_t offset, std::uint32_t value) {
    writes.emplace_back(offset, value);
    if (refused.contains(offset)) {
      failed = true;
      return;
    }
    if (offset == regs::global::kBusLock) {
      locked = value == regs::global::kBusLockTake.mask();
      return;
    }
    if (!locked) unlocked_writes.push_back(offset);
    card[offset] = value;
    if (on_write) on_write(offset);
    const std::uint32_t port = offset / regs::port::kSize - 1;
    if (offset == regs::port::address(port, regs::port::kTblCmd) && value == 2) loadRow(port);
  }
  bool takeFailure() { return std::exchange(failed, false); }

  std::uint32_t readLocal(std::uint32_t offset) {
    switch (offset) {
      case local::kMtimeLow:
        return static_cast<std::uint32_t>(mtime);
      case local::kMtimeHigh:
        return static_cast<std::uint32_t>(mtime >> 32U);
      case local::kMailStatus:
        return (mail_in ? local::kMailInValid : 0) | (mail_out ? local::kMailOutFull : 0);
      case local::kMailIn:
        return std::exchange(mail_in, std::nullopt).value();
      case local::kIrqPending:
        return irq_pending;
      case local::kClockHz:
        return clock_hz;
      default:
        return 0;
    }
  }
  void writeLocal(std::uint32_t offset, std::uint32_t value) {
    if (offset == local::kCompareLow) compare = (compare & ~0xFFFFFFFFULL) | value;
    if (offset == local::kCompareHigh)
      compare = (compare & 0xFFFFFFFFULL) | std::uint64_t{value} << 32U;
    // What must never become due on the way to a new time.
    if (offset != local::kIrqEnable && compare < mtime) due_too_early = true;
    if (offset == local::kIrqEnable) irq_enable = value;
    if (offset == local::kMailOut) mail_out = value;
  }

  // ---- As the test has it ----

  // What a row of port, table and row reads as: each word differs from all others.
  static std::uint32_t rowWord(std::uint32_t port, std::uint32_t address, std::uint32_t word) {
    return (port << 28U | address << 4U | word) * 0x9E3779B1U;
  }

  std::map<std::uint32_t, std::uint32_t> card;
  std::set<std::uint32_t> refused;              // offsets whose accesses fail
  std::function<void(std::uint32_t)> on_write;  // after one to an offset of the card
  std::vector<std::uint32_t> reads;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> writes;
  std::vector<std::uint32_t> unlocked_writes;
  bool locked = false;
  bool failed = false;
  std::uint64_t mtime = 0;
  std::uint32_t clock_hz = 0;  // of mtime
  std::uint64_t compare = ~std::uint64_t{0};
  bool due_too_early = false;
  std::uint32_t irq_enable = 0;
  std::uint32_t irq_pending = 0;  // of the ports
  std::optional<std::uint32_t> mail_in;
  std::optional<std::uint32_t> mail_out;

 private:
  void loadRow(std::uint32_t port) {
    const std::uint32_t address = card[regs::port::address(port, regs::port::kTblAddr)];
    for (std::uint32_t word = 0; word < 16; ++word) {
      card[regs::port::address(port, regs::port::kTblData) + 4 * word] =
          rowWord(port, address, word);
    }
  }
};

}  // namespace plumbline::firmware_test
