// The card's time and the event frames of one port, as the clock of ptp_clock.h has them: blocks
// time and event of the register map. The host leaves both alone while the firmware has a role.
#pragma once

#include "firmware/ptp_clock.h"
#include "firmware/registers.h"

namespace plumbline::firmware {

template <typename Bus>
class EventPort {
 public:
  constexpr explicit EventPort(Bus& bus) : bus_(bus) {}

  // The card's clock takes num/den ps.
  void start(uint32_t num, uint32_t den) {
    num_ = num;
    den_ = den;
  }

  [[nodiscard]] bool hasTime() {
    return bus_.readCard(time(regs::time::kTimeId)) == regs::time::kTimeIdValue;
  }
  [[nodiscard]] bool hasEvents(uint32_t port) {
    return bus_.readCard(regs::event::address(port, regs::event::kEventId)) ==
           regs::event::kEventIdValue;
  }

  // Takes event frames at `port`, or, with false, none any more.
  void listen(uint32_t port, bool on) {
    port_ = port;
    bus_.writeCard(at(regs::event::kEventControl),
                   regs::event::kEventControlRxEthernet.of(on ? 1 : 0));
    bus_.writeCard(at(regs::event::kEventCommand), regs::event::kEventCommandRxClear.mask() |
                                                       regs::event::kEventCommandTxRewind.mask());
  }

  // Whether the card takes event frames at the port of listen(), or pulses: a reset of the card
  // ends that. False also when the card refuses to say.
  [[nodiscard]] bool listens() {
    return regs::event::kEventControlRxEthernet.get(
               bus_.readCard(at(regs::event::kEventControl))) != 0;
  }
  [[nodiscard]] bool listensToPulses() {
    return regs::time::kPpsControlInEnable.get(bus_.readCard(time(regs::time::kPpsControl))) != 0;
  }

  void listenToPulses(bool on) {
    const uint32_t control = bus_.readCard(time(regs::time::kPpsControl));
    const uint32_t enable = regs::time::kPpsControlInEnable.mask();
    bus_.writeCard(time(regs::time::kPpsControl), on ? control | enable : control & ~enable);
    pulses_ = bus_.readCard(time(regs::time::kPpsCount));
  }

  bool receive(ptp::Received& frame) {
    if (regs::event::kEventStatusRxLevel.get(bus_.readCard(at(regs::event::kEventStatus))) == 0) {
      return false;
    }
    frame.length =
        regs::event::kEventRxLengthBytes.get(bus_.readCard(at(regs::event::kEventRxLength)));
    frame.time_ps = wide(at(regs::event::kEventRxTimeLo));
    for (uint32_t byte = 0; byte < ptp::kMaxFrameBytes; byte += 4) {
      const uint32_t word = bus_.readCard(at(regs::event::kEventRxData));
      for (uint32_t i = 0; i < 4 && byte + i < ptp::kMaxFrameBytes; ++i) {
        frame.bytes[byte + i] = static_cast<uint8_t>(word >> 8 * i);
      }
    }
    bus_.writeCard(at(regs::event::kEventCommand), regs::event::kEventCommandRxTake.mask());
    return true;
  }

  [[nodiscard]] bool idle() {
    status_ = bus_.readCard(at(regs::event::kEventStatus));
    return regs::event::kEventStatusTxBusy.get(status_) == 0;
  }

  void send(const uint8_t (&bytes)[ptp::kMaxFrameBytes], uint32_t length) {
    for (uint32_t byte = 0; byte < length; byte += 4) {
      uint32_t word = 0;
      for (uint32_t i = 0; i < 4 && byte + i < length; ++i) word |= bytes[byte + i] << 8 * i;
      bus_.writeCard(at(regs::event::kEventTxData), word);
    }
    bus_.writeCard(at(regs::event::kEventTxSend), regs::event::kEventTxSendBytes.of(length));
  }

  // After idle().
  bool sent(uint64_t& time_ps) {
    time_ps = wide(at(regs::event::kEventTxTimeLo));
    return regs::event::kEventStatusTxLost.get(status_) == 0;
  }

  bool pulse(uint64_t& time_ps) {
    const uint32_t count = bus_.readCard(time(regs::time::kPpsCount));
    if (count == pulses_) return false;
    time_ps = wide(time(regs::time::kPpsTimeLo));
    // With another edge in between the halves may not belong together: it comes with the next step.
    if (bus_.readCard(time(regs::time::kPpsCount)) != count) return false;
    pulses_ = count;
    return true;
  }

  // The register has 2^-32 ps for each clock: rate · num/den · 2^32/10^12, and 10^12 = 2^12 · 5^12.
  void setRate(int32_t rate) {
    rate_ = rate;
    constexpr int64_t kFive12 = 244'140'625;
    constexpr int64_t kTwo20 = 1 << 20;
    const int64_t scaled = int64_t{rate} * num_;
    const int64_t gain = (scaled / kFive12 * kTwo20 + scaled % kFive12 * kTwo20 / kFive12) / den_;
    bus_.writeCard(time(regs::time::kRateLo), static_cast<uint32_t>(gain));
    bus_.writeCard(time(regs::time::kRateHi),
                   regs::time::kRateHiWhole.of(static_cast<uint32_t>(gain >> 32)));
  }

  // Sets the last rate again, which a reset of the card has taken away.
  void restoreRate() { setRate(rate_); }

  void step(int64_t ps) {
    bus_.writeCard(time(regs::time::kStepLo), static_cast<uint32_t>(ps));
    bus_.writeCard(time(regs::time::kStepHi), static_cast<uint32_t>(ps >> 32));
  }

 private:
  static constexpr uint32_t time(uint32_t offset) { return regs::time::kBase + offset; }
  [[nodiscard]] uint32_t at(uint32_t offset) const { return regs::event::address(port_, offset); }
  uint64_t wide(uint32_t low) {
    const uint64_t value = bus_.readCard(low);
    return value | uint64_t{bus_.readCard(low + 4)} << 32;
  }

  Bus& bus_;
  uint32_t port_ = 0;
  uint32_t num_ = 0;
  uint32_t den_ = 1;
  uint32_t status_ = 0;
  uint32_t pulses_ = 0;
  int32_t rate_ = 0;
};

}  // namespace plumbline::firmware
