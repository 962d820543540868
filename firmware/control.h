// The firmware's event loop: sleeps until the timer or the host wants something, carries out the
// host's commands, and parks the transmitter when the host has been silent for too long.
//
// It is the same source on the processor and in tests, where `Bus` (card.h) stands for what is
// around it.
#pragma once

#include "firmware/card.h"
#include "firmware/interface.h"
#include "firmware/local.h"
#include "firmware/version.h"

namespace plumbline::firmware {

template <typename Bus>
class Control {
 public:
  // `shared` is memory that the host reads and writes at any time.
  constexpr Control(Bus& bus, volatile Shared& shared) : bus_(bus), card_(bus), shared_(shared) {}

  // Fills in the shared block and asks for interrupts. To be called once.
  void start() {
    shared_.interface_version = kInterfaceVersion;
    shared_.version = kVersion;
    ports_ = card_.ports();
    bus_.writeLocal(local::kIrqEnable, local::kIrqMailIn);
    setTimer();
    log(kLogStarted, kVersion);
    checkAccesses(regs::global::kCapability);
    shared_.state = kReady;
    shared_.magic = kSharedMagic;
  }

  // Everything that is due, once.
  void service() {
    count(shared_.statistics.wakes);
    takeMail();
    if (watchdog_ != 0 && now() - heard_ >= watchdog_) {
      count(shared_.statistics.timer_events);
      park(kHostSilent);
      watchdog_ = 0;
      setTimer();
    }
  }

  [[noreturn]] void run() {
    start();
    for (;;) {
      bus_.sleep();
      service();
    }
  }

  // An exception that there is no way on from.
  void fault(uint32_t cause, uint32_t address, uint32_t value) {
    shared_.fault.cause = cause;
    shared_.fault.address = address;
    shared_.fault.value = value;
    shared_.state = kFaulted;
    log(kLogFault, cause);
  }

 private:
  static void count(volatile uint32_t& counter) { counter = counter + 1; }

  // Clocks since reset.
  uint64_t now() {
    for (;;) {
      const uint32_t high = bus_.readLocal(local::kMtimeHigh);
      const uint32_t low = bus_.readLocal(local::kMtimeLow);
      if (bus_.readLocal(local::kMtimeHigh) == high) return uint64_t{high} << 32 | low;
    }
  }

  // To the end of the host's time, or never. The high half comes first, as all ones, so that no
  // time in between is due.
  void setTimer() {
    const uint64_t due = watchdog_ != 0 ? heard_ + watchdog_ : ~uint64_t{0};
    bus_.writeLocal(local::kCompareHigh, ~uint32_t{0});
    bus_.writeLocal(local::kCompareLow, static_cast<uint32_t>(due));
    bus_.writeLocal(local::kCompareHigh, static_cast<uint32_t>(due >> 32));
  }

  void log(uint32_t event, uint32_t argument) {
    const uint64_t time = now();
    const uint32_t number = shared_.log_written;
    volatile LogEntry& entry = shared_.log[number % kLogEntries];
    entry.time_low = static_cast<uint32_t>(time);
    entry.time_high = static_cast<uint32_t>(time >> 32);
    entry.event = event;
    entry.argument = argument;
    shared_.log_written = number + 1;
  }

  // Notes if an access since the last call was refused; `offset` is what was being looked at.
  bool checkAccesses(uint32_t offset) {
    if (!bus_.takeFailure()) return true;
    count(shared_.statistics.failed_accesses);
    log(kLogAccessFailed, offset);
    return false;
  }

  void park(uint32_t reason) {
    card_.park();
    checkAccesses(regs::global::kControl);
    count(shared_.statistics.parks);
    shared_.state = kParked;
    log(kLogParked, reason);
  }

  void takeMail() {
    if ((bus_.readLocal(local::kMailStatus) & local::kMailInValid) == 0) return;
    const uint32_t sequence = bus_.readLocal(local::kMailIn);
    heard_ = now();
    if (shared_.command.sequence != sequence) {
      count(shared_.statistics.stale_words);
    } else {
      const uint32_t status = execute(shared_.command.code);
      count(status == kDone ? shared_.statistics.commands : shared_.statistics.refused);
      if (status != kDone) log(kLogCommandRefused, shared_.command.code);
      answer(sequence, status);
    }
    setTimer();
  }

  void answer(uint32_t sequence, uint32_t status) {
    shared_.reply.status = status;
    shared_.reply.sequence = sequence;
    if ((bus_.readLocal(local::kMailStatus) & local::kMailOutFull) != 0) {
      count(shared_.statistics.answers_dropped);
    } else {
      bus_.writeLocal(local::kMailOut, sequence);
    }
  }

  uint32_t execute(uint32_t code) {
    switch (code) {
      case kPing:
        return kDone;
      case kInfo:
        return info();
      case kArmWatchdog:
        return armWatchdog();
      case kDisarmWatchdog:
        watchdog_ = 0;
        shared_.state = kReady;
        log(kLogWatchdogDisarmed, 0);
        return kDone;
      case kPark:
        park(kHostAsked);
        return kDone;
      case kReadRow:
        return readRow();
      default:
        return kUnknownCommand;
    }
  }

  uint32_t info() {
    const uint64_t time = now();
    shared_.reply.values[kUptimeLow] = static_cast<uint32_t>(time);
    shared_.reply.values[kUptimeHigh] = static_cast<uint32_t>(time >> 32);
    shared_.reply.values[kWatchdogLow] = static_cast<uint32_t>(watchdog_);
    shared_.reply.values[kWatchdogHigh] = static_cast<uint32_t>(watchdog_ >> 32);
    return kDone;
  }

  uint32_t armWatchdog() {
    const uint32_t low = shared_.command.arguments[0];
    const uint32_t high = shared_.command.arguments[1];
    // Up to 2^56 clocks, seven years: times that far ahead are all in 64 bits.
    constexpr uint32_t kHighest = 1u << 24;
    if ((low == 0 && high == 0) || high >= kHighest) return kBadArgument;
    watchdog_ = uint64_t{high} << 32 | low;
    shared_.state = kReady;
    log(kLogWatchdogArmed, low);
    return kDone;
  }

  uint32_t readRow() {
    const uint32_t port = shared_.command.arguments[0];
    const uint32_t table = shared_.command.arguments[1];
    const uint32_t row = shared_.command.arguments[2];
    if (port >= ports_ || table > regs::port::kTblAddrTable.max() ||
        row > regs::port::kTblAddrRow.max()) {
      return kBadArgument;
    }
    uint32_t words[kValues];
    card_.readRow(port, table, row, words);
    for (uint32_t i = 0; i < kValues; ++i) shared_.reply.values[i] = words[i];
    return checkAccesses(regs::port::address(port, regs::port::kTblData)) ? kDone : kAccessFailed;
  }

  Bus& bus_;
  Card<Bus> card_;
  volatile Shared& shared_;
  uint32_t ports_ = 0;
  uint64_t watchdog_ = 0;  // clocks; 0 while it is not armed
  uint64_t heard_ = 0;     // when the host last spoke
};

}  // namespace plumbline::firmware
