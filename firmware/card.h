// What firmware does with the card's registers.
//
// A Bus has
//   uint32_t readCard(uint32_t offset)              a register of the card (registers.h)
//   void writeCard(uint32_t offset, uint32_t value)
//   bool takeFailure()     an access since the last call was refused; its read was 0
//   uint32_t readLocal(uint32_t offset)             a register of the processor's own (local.h)
//   void writeLocal(uint32_t offset, uint32_t value)
//   void sleep()           until the timer's time has come, or an enabled interrupt is pending
#pragma once

#include "firmware/registers.h"

namespace plumbline::firmware {

// Keeps the host off the card's registers while it lives. The card ends it by itself after 2,047
// clocks: some 150 accesses, or 60 where the processor has a clock of its own.
template <typename Bus>
class BusLock {
 public:
  explicit BusLock(Bus& bus) : bus_(bus) {
    bus_.writeCard(regs::global::kBusLock, regs::global::kBusLockTake.mask());
  }
  ~BusLock() { bus_.writeCard(regs::global::kBusLock, regs::global::kBusLockRelease.mask()); }
  BusLock(const BusLock&) = delete;
  BusLock& operator=(const BusLock&) = delete;

 private:
  Bus& bus_;
};

template <typename Bus>
class Card {
 public:
  constexpr explicit Card(Bus& bus) : bus_(bus) {}

  [[nodiscard]] uint32_t ports() {
    return regs::global::kCapabilityPorts.get(bus_.readCard(regs::global::kCapability));
  }

  // Stops the schedule as the driver does, and takes all ports out of the common start, so that an
  // arming that comes too late sends nothing.
  void park() {
    const uint32_t count = ports();
    const BusLock<Bus> lock(bus_);
    bus_.writeCard(regs::global::kControl, regs::global::kControlStop.mask());
    for (uint32_t port = 0; port < count; ++port) {
      const uint32_t control = regs::port::address(port, regs::port::kPortControl);
      bus_.writeCard(control, bus_.readCard(control) & ~regs::port::kPortControlTxEnable.mask());
    }
  }

  // Reads a row of a table into `words`, unseen by the host: TBL_ADDR and TBL_DATA are left as they
  // were.
  void readRow(uint32_t port, uint32_t table, uint32_t row, uint32_t (&words)[16]) {
    const auto at = [port](uint32_t offset) { return regs::port::address(port, offset); };
    uint32_t saved[16];
    const BusLock<Bus> lock(bus_);
    readData(at(regs::port::kTblData), saved);
    const uint32_t address = bus_.readCard(at(regs::port::kTblAddr));
    bus_.writeCard(at(regs::port::kTblAddr),
                   regs::port::kTblAddrTable.of(table) | regs::port::kTblAddrRow.of(row));
    bus_.writeCard(at(regs::port::kTblCmd), regs::port::kTblCmdRead.mask());
    readData(at(regs::port::kTblData), words);
    for (uint32_t i = 0; i < 16; ++i) bus_.writeCard(at(regs::port::kTblData) + 4 * i, saved[i]);
    bus_.writeCard(at(regs::port::kTblAddr), address);
  }

 private:
  void readData(uint32_t data, uint32_t (&words)[16]) {
    for (uint32_t i = 0; i < 16; ++i) words[i] = bus_.readCard(data + 4 * i);
  }

  Bus& bus_;
};

}  // namespace plumbline::firmware
