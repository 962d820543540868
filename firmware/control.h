// The firmware's event loop: sleeps until the timer or the host wants something, carries out the
// host's commands, watches the ports, keeps the card's time to another's, and parks the transmitter
// when the host has been silent for too long.
//
// It is the same source on the processor and in tests, where `Bus` (card.h) stands for what is
// around it.
#pragma once

#include "firmware/card.h"
#include "firmware/event_port.h"
#include "firmware/interface.h"
#include "firmware/local.h"
#include "firmware/port.h"
#include "firmware/version.h"

namespace plumbline::firmware {

template <typename Bus>
class Control {
 public:
  // `shared` is memory that the host reads and writes at any time. `timing`: of the ports.
  constexpr Control(Bus& bus, volatile Shared& shared, PortTiming timing = {})
      : bus_(bus),
        card_(bus),
        shared_(shared),
        poll_us_(timing.link.poll_us),
        ports_{{bus, 0, shared.port[0], timing}, {bus, 1, shared.port[1], timing},
               {bus, 2, shared.port[2], timing}, {bus, 3, shared.port[3], timing},
               {bus, 4, shared.port[4], timing}, {bus, 5, shared.port[5], timing},
               {bus, 6, shared.port[6], timing}, {bus, 7, shared.port[7], timing}},
        events_(bus),
        clock_(events_) {}

  // Fills in the shared block and asks for interrupts. To be called once.
  void start() {
    shared_.interface_version = kInterfaceVersion;
    shared_.version = kVersion;
    log(kLogStarted, kVersion);
    startPorts();
    setTimer();
    setInterrupts();
    shared_.state = kReady;
    shared_.magic = kSharedMagic;
  }

  // Everything that is due, once.
  void service() {
    count(shared_.statistics.wakes);
    if (!card_known_) lookAgain();
    if (park_owed_) park_owed_ = !tryPark();
    takeMail();
    if (polling_ && now() >= next_poll_) pollPorts();
    serveInterrupts();
    if (watchdog_ != 0 && now() - heard_ >= watchdog_) {
      count(shared_.statistics.timer_events);
      park(kHostSilent);
      watchdog_ = 0;
    }
    setTimer();
    setInterrupts();
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

  void startPorts() {
    constexpr uint64_t kUsPerSecond = 1'000'000;
    // A timer without a frequency has no polls.
    poll_clocks_ = uint64_t{poll_us_} * bus_.readLocal(local::kClockHz) / kUsPerSecond;
    card_known_ = learnCard();
    if (!card_known_) {
      noteRefusal(regs::global::kCapability);
      addPorts(portsWithMac());
    }
    checkAccesses(regs::mac::kBase);
    schedulePolls();
  }

  // What the card says of itself. Where the processor has a clock of its own, that of the card may
  // be stopped: it is looked for again with each wake, and until then the MACs tell of the ports.
  bool learnCard() {
    const uint32_t count = card_.ports();
    if (bus_.takeFailure()) return false;
    const uint32_t features = bus_.readCard(regs::global::kFeatures);
    // A clock of the card takes num/den ps.
    const uint32_t num = bus_.readCard(regs::global::kClockPeriodNum);
    const uint32_t den = bus_.readCard(regs::global::kClockPeriodDen);
    const bool has_time = events_.hasTime();
    if (bus_.takeFailure()) return false;
    addPorts(count);
    if (regs::global::kFeaturesLlr.get(features) != 0) {
      for (uint32_t port = 0; port < port_count_; ++port) ports_[port].addRetry();
    }
    events_.start(num, den);
    shared_.ptp.has_time = num != 0 && den != 0 && has_time ? 1 : 0;
    return true;
  }

  void lookAgain() {
    card_known_ = learnCard();
    if (card_known_) schedulePolls();
  }

  void addPorts(uint32_t count) {
    for (; port_count_ < count && port_count_ < kMaxPorts; ++port_count_) {
      ports_[port_count_].start();
    }
    shared_.ports = port_count_;
  }

  uint32_t portsWithMac() {
    uint32_t count = kMaxPorts;
    while (count > 0 && !Port<Bus>::hasMac(bus_, count - 1)) --count;
    return count;
  }

  // Polls begin when there is a port to be polled, and end with the last one.
  void schedulePolls() {
    bool active = false;
    for (uint32_t port = 0; port < port_count_; ++port) active |= ports_[port].active();
    active |= clock_.settings().role != kPtpOff;
    active &= poll_clocks_ != 0;
    if (active && !polling_) next_poll_ = now() + poll_clocks_;
    polling_ = active;
  }

  void pollPorts() {
    const uint64_t time = now();
    next_poll_ = time + poll_clocks_;
    silenced_ = 0;
    served_ = 0;
    for (uint32_t port = 0; port < port_count_; ++port) {
      if (!ports_[port].active()) continue;
      const PortChanges changes = ports_[port].poll(time, poll_us_);
      logChanges(port, changes, time);
      // Counted, not logged: a card that refuses accesses would fill the log.
      if (bus_.takeFailure()) count(shared_.statistics.failed_accesses);
    }
    if (clock_.settings().role != kPtpOff) {
      renewRole();
      pollClock(time, poll_us_);
    }
  }

  // A reset of the card ends its part of a role: the role begins anew, at the rate of before.
  void renewRole() {
    const ptp::Settings is = clock_.settings();
    if (withFrames(is.role) ? events_.listens() : events_.listensToPulses()) return;
    if (bus_.takeFailure()) return;
    events_.restoreRate();
    changeRole(is);
  }

  static bool withFrames(PtpRole role) { return role == kPtpSlave || role == kPtpMaster; }

  // Looks at once at what the ports tell of. An interrupt that stays although it has been looked
  // at, and all of them when they come too often, are off until the next poll.
  void serveInterrupts() {
    const uint32_t pending = bus_.readLocal(local::kIrqPending) & irq_enable_ & ~local::kIrqMailIn;
    if (pending == 0) return;
    const uint64_t time = now();
    for (uint32_t port = 0; port < port_count_; ++port) {
      if ((pending & local::irqLink(port)) == 0) continue;
      logChanges(port, ports_[port].linkChanged(time), time);
      if (bus_.takeFailure()) count(shared_.statistics.failed_accesses);
    }
    if ((pending & eventInterrupt()) != 0) pollClock(time, 0);
    silenced_ |= bus_.readLocal(local::kIrqPending) & pending;
    if (++served_ == kMostServed) silenced_ = ~uint32_t{0};
  }

  // Of the port whose event frames are used; 0: of none.
  uint32_t eventInterrupt() {
    const ptp::Settings& is = clock_.settings();
    return withFrames(is.role) ? local::irqEvent(is.port) : 0;
  }

  void setInterrupts() {
    uint32_t wanted = 0;
    if (polling_) {
      wanted = eventInterrupt();
      for (uint32_t port = 0; port < port_count_; ++port) {
        if (ports_[port].watchesLink()) wanted |= local::irqLink(port);
      }
    }
    wanted = (wanted & ~silenced_) | local::kIrqMailIn;
    if (wanted == irq_enable_) return;
    irq_enable_ = wanted;
    bus_.writeLocal(local::kIrqEnable, wanted);
  }

  void pollClock(uint64_t time, uint32_t elapsed_us) {
    const uint32_t steps = clock_.steps();
    clock_.poll(elapsed_us);
    if (bus_.takeFailure()) count(shared_.statistics.failed_accesses);
    if (clock_.steps() != steps) logAt(time, kLogPtpStep, nanoseconds(clock_.lastStepPs()));
    reportClock(time);
  }

  static uint32_t nanoseconds(int64_t ps) {
    constexpr int64_t kMax = 0x7FFF'FFFF;
    const int64_t ns = ps / 1000;
    return static_cast<uint32_t>(ns > kMax ? kMax : ns < -kMax ? -kMax : ns);
  }

  // Only when there is something new: the host's reading is not disturbed more often than that.
  void reportClock(uint64_t time) {
    volatile PtpStatus& seen = shared_.ptp;
    const uint32_t state = clock_.state();
    const uint32_t role = clock_.settings().role;
    const bool changed = seen.state != state || seen.role != role;
    if (!changed && seen.syncs == clock_.syncs() && seen.exchanges == clock_.exchanges()) return;
    {
      const Update update(seen.sequence);
      clock_.report(seen);
      if (changed) store(seen.changed, time);
    }
    if (changed) logAt(time, kLogPtp, state | role << 8 | uint32_t{clock_.settings().port} << 16);
  }

  void logChanges(uint32_t port, const PortChanges& changes, uint64_t time) {
    const volatile PortStatus& is = shared_.port[port];
    if (changes.link) {
      logAt(time, kLogLink,
            port | is.link.state << 8 | is.link.reason << 16 | is.link.rs_fec << 24);
    }
    if (changes.retry) {
      logAt(time, kLogRetry,
            port | is.retry.state << 8 | is.retry.reason << 16 | is.retry.attempts << 24);
    }
  }

  // To the end of the host's time or the next poll, or never. The high half comes first, as all
  // ones, so that no time in between is due.
  void setTimer() {
    uint64_t due = watchdog_ != 0 ? heard_ + watchdog_ : ~uint64_t{0};
    if (polling_ && next_poll_ < due) due = next_poll_;
    if (due == due_) return;
    due_ = due;
    bus_.writeLocal(local::kCompareHigh, ~uint32_t{0});
    bus_.writeLocal(local::kCompareLow, static_cast<uint32_t>(due));
    bus_.writeLocal(local::kCompareHigh, static_cast<uint32_t>(due >> 32));
  }

  void log(uint32_t event, uint32_t argument) { logAt(now(), event, argument); }

  void logAt(uint64_t time, uint32_t event, uint32_t argument) {
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
    noteRefusal(offset);
    return false;
  }

  void noteRefusal(uint32_t offset) {
    count(shared_.statistics.failed_accesses);
    log(kLogAccessFailed, offset);
  }

  // A card that refuses, as one whose clock is stopped, is parked as soon as it does not any more:
  // its schedule may go on then.
  void park(uint32_t reason) {
    park_reason_ = reason;
    park_owed_ = !tryPark();
    if (park_owed_) noteRefusal(regs::global::kControl);
  }

  bool tryPark() {
    card_.park();
    if (bus_.takeFailure()) return false;
    count(shared_.statistics.parks);
    shared_.state = kParked;
    log(kLogParked, park_reason_);
    return true;
  }

  // The host has taken over again.
  void release() {
    park_owed_ = false;
    shared_.state = kReady;
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
        release();
        log(kLogWatchdogDisarmed, 0);
        return kDone;
      case kPark:
        park(kHostAsked);
        return park_owed_ ? kAccessFailed : kDone;
      case kReadRow:
        return readRow();
      case kSetFec:
      case kRestartLink:
      case kSetLink:
      case kClearHealth:
      case kSetRetry:
        return setPort(code);
      case kSetPtp:
        return setPtp();
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
    release();
    log(kLogWatchdogArmed, low);
    return kDone;
  }

  uint32_t readRow() {
    const uint32_t port = shared_.command.arguments[0];
    const uint32_t table = shared_.command.arguments[1];
    const uint32_t row = shared_.command.arguments[2];
    if (port >= port_count_ || table > regs::port::kTblAddrTable.max() ||
        row > regs::port::kTblAddrRow.max()) {
      return kBadArgument;
    }
    uint32_t words[kValues];
    card_.readRow(port, table, row, words);
    for (uint32_t i = 0; i < kValues; ++i) shared_.reply.values[i] = words[i];
    return checkAccesses(regs::port::address(port, regs::port::kTblData)) ? kDone : kAccessFailed;
  }

  // The commands of one port.
  uint32_t setPort(uint32_t code) {
    const uint32_t number = shared_.command.arguments[0];
    if (number >= port_count_) return kBadArgument;
    const uint32_t status = applyTo(ports_[number], code);
    if (status != kDone) return status;
    const uint64_t time = now();
    logChanges(number, ports_[number].report(time), time);
    schedulePolls();
    return checkAccesses(regs::mac::address(number, 0)) ? kDone : kAccessFailed;
  }

  uint32_t applyTo(Port<Bus>& port, uint32_t code) {
    const uint32_t value = shared_.command.arguments[1];
    if (!(code == kSetRetry ? port.hasRetry() : port.hasMac())) return kBadArgument;
    switch (code) {
      case kSetFec:
        if (value > static_cast<uint32_t>(MacFec::kEither)) return kBadArgument;
        port.setFec(static_cast<MacFec>(value));
        return kDone;
      case kRestartLink:
        port.restart();
        return kDone;
      case kSetLink:
        if (value > kLinkReleased) return kBadArgument;
        port.setMode(static_cast<LinkMode>(value));
        return kDone;
      case kClearHealth:
        port.clearHealth();
        return kDone;
      default:
        return setRetry(port, value);
    }
  }

  uint32_t setRetry(Port<Bus>& port, uint32_t policy) {
    const uint32_t most = shared_.command.arguments[2];
    const uint32_t limit_us = shared_.command.arguments[3];
    if (policy > kRetryInit) return kBadArgument;
    if (policy == kRetryInit &&
        (most < 1 || most > kMaxAttempts || limit_us < kMinLimitUs || limit_us > kMaxLimitUs)) {
      return kBadArgument;
    }
    port.setRetry(static_cast<RetryPolicy>(policy), most, limit_us);
    return kDone;
  }

  // A signed byte of `word`, and whether it is within its bounds.
  static bool signedByte(uint32_t word, uint32_t byte, int32_t least, int32_t most, int8_t& value) {
    value = static_cast<int8_t>(word >> 8 * byte);
    return value >= least && value <= most;
  }

  uint32_t setPtp() {
    const volatile uint32_t(&arguments)[kArguments] = shared_.command.arguments;
    ptp::Settings wanted{};
    const uint32_t role = arguments[0] & 0xFF;
    const uint32_t port = arguments[0] >> 8 & 0xFF;
    if (shared_.ptp.has_time == 0 || role > kPtpPps || port >= port_count_ ||
        arguments[0] >> 24 != 0) {
      return kBadArgument;
    }
    wanted.role = static_cast<PtpRole>(role);
    wanted.port = static_cast<uint16_t>(port);
    wanted.domain = static_cast<uint8_t>(arguments[0] >> 16);
    const uint32_t intervals = arguments[1];
    if (!signedByte(intervals, 0, ptp::Servo::kMinLog, ptp::Servo::kMaxLog, wanted.log_sync) ||
        !signedByte(intervals, 1, ptp::Servo::kMinLog, ptp::Servo::kMaxLog, wanted.log_delay) ||
        !signedByte(intervals, 2, kMinAnnounceLog, ptp::Servo::kMaxLog, wanted.log_announce)) {
      return kBadArgument;
    }
    for (uint32_t i = 0; i < 6; ++i) {
      wanted.mac[i] = static_cast<uint8_t>(arguments[2 + i / 4] >> 8 * (i % 4));
    }
    if (withFrames(wanted.role) && !events_.hasEvents(port)) return kBadArgument;
    changeRole(wanted);
    return checkAccesses(regs::time::kBase) ? kDone : kAccessFailed;
  }

  void changeRole(const ptp::Settings& wanted) {
    const ptp::Settings& before = clock_.settings();
    if (withFrames(before.role)) events_.listen(before.port, false);
    if (withFrames(wanted.role)) events_.listen(wanted.port, true);
    events_.listenToPulses(wanted.role == kPtpPps);
    clock_.start(wanted);
    reportClock(now());
    schedulePolls();
  }

  static constexpr int32_t kMinAnnounceLog = -3;
  static constexpr uint32_t kMostServed = 8;  // services of interrupts between two polls

  Bus& bus_;
  Card<Bus> card_;
  volatile Shared& shared_;
  uint32_t poll_us_;
  Port<Bus> ports_[kMaxPorts];
  EventPort<Bus> events_;
  ptp::Clock<EventPort<Bus>> clock_;
  uint32_t port_count_ = 0;
  bool card_known_ = false;   // it has said what it has
  uint64_t poll_clocks_ = 0;  // from one poll of the ports to the next; 0: none
  uint64_t next_poll_ = 0;
  uint64_t due_ = 0;  // what the timer waits for
  bool polling_ = false;
  uint32_t irq_enable_ = 0;  // as the processor's register has it
  uint32_t silenced_ = 0;    // interrupts that are off until the next poll
  uint32_t served_ = 0;      // since the last poll
  bool park_owed_ = false;   // the card has refused it
  uint32_t park_reason_ = 0;
  uint64_t watchdog_ = 0;  // clocks; 0 while it is not armed
  uint64_t heard_ = 0;     // when the host last spoke
};

}  // namespace plumbline::firmware
