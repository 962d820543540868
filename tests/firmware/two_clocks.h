// Two cards, each with an oscillator of its own and the firmware on it, and a link between their
// ports: registers of the blocks time and event as docs/registers.md has them, frames that take
// time, timestamps with noise. All times of the model are ps of a common, true time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "firmware/control.h"

namespace plumbline::firmware_test {

// How a card's oscillator is: its frequency is off by `error`, and that grows by `drift` a second.
struct Oscillator {
  double error = 0;
  double drift = 0;
  // Its time at the true time `now`.
  [[nodiscard]] long double at(std::int64_t now) const {
    const long double seconds = static_cast<long double>(now) * 1e-12L;
    return static_cast<long double>(now) * (1 + error + 0.5L * drift * seconds);
  }
};

class ClockCard {
 public:
  using Frame = std::vector<std::uint8_t>;
  struct Arrival {
    std::int64_t time;
    Frame bytes;
  };

  ClockCard(std::uint64_t seed, const Oscillator& oscillator, std::int64_t phase_ps)
      : oscillator_(oscillator), random_(seed) {
    // The card was switched on before: its time differs from the other's by any amount.
    base_card_ = static_cast<long double>(phase_ps);
    control.start();
  }
  ClockCard(const ClockCard&) = delete;
  ClockCard& operator=(const ClockCard&) = delete;

  // ---- As the firmware has it ----

  std::uint32_t readCard(std::uint32_t offset) {
    namespace regs = firmware::regs;
    if (offset >= regs::event::kBase && offset < regs::event::kBase + regs::event::kSize) {
      return readEvent(offset - regs::event::kBase);
    }
    switch (offset) {
      case regs::global::kCapability:
        return regs::global::kCapabilityPorts.of(1);
      case regs::global::kClockPeriodNum:
        return 102'400;
      case regs::global::kClockPeriodDen:
        return 33;
      case regs::time::kBase + regs::time::kTimeId:
        return 0x504C544D;
      case regs::time::kBase + regs::time::kPpsControl:
        return pps_control_;
      case regs::time::kBase + regs::time::kPpsCount:
        return pulses_;
      case regs::time::kBase + regs::time::kPpsTimeLo:
        return static_cast<std::uint32_t>(pulse_time_);
      case regs::time::kBase + regs::time::kPpsTimeHi:
        return static_cast<std::uint32_t>(pulse_time_ >> 32U);
      default:
        return 0;
    }
  }
  void writeCard(std::uint32_t offset, std::uint32_t value) {
    namespace regs = firmware::regs;
    if (offset >= regs::event::kBase && offset < regs::event::kBase + regs::event::kSize) {
      return writeEvent(offset - regs::event::kBase, value);
    }
    switch (offset) {
      case regs::time::kBase + regs::time::kPpsControl:
        pps_control_ = value;
        return;
      case regs::time::kBase + regs::time::kRateLo:
        rate_low_ = value;
        return;
      case regs::time::kBase + regs::time::kRateHi:
        return setRate(value);
      case regs::time::kBase + regs::time::kStepLo:
        step_low_ = value;
        return;
      case regs::time::kBase + regs::time::kStepHi:
        return step(static_cast<std::int64_t>(std::uint64_t{value} << 32U | step_low_));
      default:
        return;
    }
  }
  static bool takeFailure() { return false; }
  std::uint32_t readLocal(std::uint32_t offset) {
    namespace local = firmware::local;
    switch (offset) {
      case local::kMtimeLow:
        return static_cast<std::uint32_t>(clocks());
      case local::kMtimeHigh:
        return static_cast<std::uint32_t>(clocks() >> 32U);
      case local::kMailStatus:
        return mail_in_ ? local::kMailInValid : 0;
      case local::kClockHz:
        return 322'265'625;
      case local::kMailIn:
        return std::exchange(mail_in_, std::nullopt).value();
      default:
        return 0;
    }
  }
  void writeLocal(std::uint32_t offset, std::uint32_t value) {
    namespace local = firmware::local;
    if (offset == local::kCompareLow) compare_ = (compare_ & ~0xFFFFFFFFULL) | value;
    if (offset == local::kCompareHigh) {
      compare_ = (compare_ & 0xFFFFFFFFULL) | std::uint64_t{value} << 32U;
    }
  }

  // ---- As the test has it ----

  // The firmware runs if its timer says so.
  void runAt(std::int64_t now) {
    now_ = now;
    if (clocks() >= compare_) control.service();
  }
  std::uint32_t ask(std::uint32_t code, std::initializer_list<std::uint32_t> arguments) {
    shared.command.sequence = ++sequence_;
    shared.command.code = code;
    std::copy(arguments.begin(), arguments.end(), shared.command.arguments);
    mail_in_ = sequence_;
    control.service();
    return shared.reply.status;
  }
  // The card's time, whole ps.
  [[nodiscard]] std::int64_t timeAt(std::int64_t now) const {
    return static_cast<std::int64_t>(base_card_ +
                                     (oscillator_.at(now) - base_local_) * (1 + rate_));
  }
  // The card's registers and its time as after power-up; the processor goes on.
  void resetCard() {
    base_card_ = 0;
    base_local_ = oscillator_.at(now_);
    rate_ = 0;
    listens_ = false;
    pps_control_ = 0;
    slots_.clear();
    departs_ = 0;
  }
  void pulseAt(std::int64_t now) {
    pulse_time_ = static_cast<std::uint64_t>(stamp(now));
    ++pulses_;
  }

  std::function<void(std::int64_t, const Frame&)> on_sent;  // at its true time of departure
  std::deque<Arrival> arrivals;
  double jitter_ps = 13'000;  // of each timestamp, uniform
  std::uint32_t steps = 0;
  std::uint32_t lost_frames = 0;

  firmware::Shared shared{};
  firmware::Control<ClockCard> control{*this, shared};

 private:
  [[nodiscard]] std::uint64_t clocks() const {
    return static_cast<std::uint64_t>(oscillator_.at(now_) * 33 / 102'400);
  }
  std::int64_t stamp(std::int64_t now) {
    return timeAt(now) + static_cast<std::int64_t>(
                             std::uniform_real_distribution(-jitter_ps, jitter_ps)(random_));
  }

  void rebase() {
    base_card_ += (oscillator_.at(now_) - base_local_) * (1 + rate_);
    base_local_ = oscillator_.at(now_);
  }
  // 40 bits, signed, in 2^-32 ps for each clock of 102,400/33 ps.
  void setRate(std::uint32_t high) {
    rebase();
    auto value = static_cast<std::int64_t>(std::uint64_t{high & 0xFFU} << 32U | rate_low_);
    if (value >= std::int64_t{1} << 39U) value -= std::int64_t{1} << 40U;
    rate_ = static_cast<long double>(value) / 4'294'967'296.0L / (102'400.0L / 33);
  }
  void step(std::int64_t ps) {
    rebase();
    base_card_ += static_cast<long double>(ps);
    ++steps;
  }

  std::uint32_t readEvent(std::uint32_t offset) {
    namespace event = firmware::regs::event;
    const bool there = !slots_.empty();
    switch (offset) {
      case event::kEventId:
        return 0x504C4556;
      case event::kEventControl:
        return listens_ ? 1 : 0;
      case event::kEventStatus:
        advance();
        return static_cast<std::uint32_t>(slots_.size()) | (departs_ > now_ ? 0x100U : 0U);
      case event::kEventRxLength:
        return there ? static_cast<std::uint32_t>(slots_.front().bytes.size()) : 0;
      case event::kEventRxData:
        return there ? wordOf(slots_.front().bytes, read_word_++) : 0;
      case event::kEventRxTimeLo:
        return there ? static_cast<std::uint32_t>(slots_.front().time) : 0;
      case event::kEventRxTimeHi:
        return there ? static_cast<std::uint32_t>(slots_.front().time >> 32) : 0;
      case event::kEventTxTimeLo:
        return static_cast<std::uint32_t>(sent_time_);
      case event::kEventTxTimeHi:
        return static_cast<std::uint32_t>(sent_time_ >> 32);
      default:
        return 0;
    }
  }
  void writeEvent(std::uint32_t offset, std::uint32_t value) {
    namespace event = firmware::regs::event;
    if (offset == event::kEventControl) listens_ = (value & 1) != 0;
    if (offset == event::kEventCommand && (value & 1) != 0 && !slots_.empty()) {
      slots_.pop_front();
      read_word_ = 0;
    }
    if (offset == event::kEventTxData) {
      for (unsigned i = 0; i < 4; ++i) out_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    if (offset == event::kEventTxSend) {
      out_.resize(value);
      // The gate has other frames, too.
      departs_ = now_ + std::uniform_int_distribution<std::int64_t>(200'000, 5'000'000)(random_);
      sent_time_ = stamp(departs_);
      if (on_sent) on_sent(departs_, out_);
      out_.clear();
    }
  }
  // Frames that have come: four slots.
  void advance() {
    while (!arrivals.empty() && arrivals.front().time <= now_) {
      if (listens_ && slots_.size() < 4) {
        slots_.push_back({stamp(arrivals.front().time), arrivals.front().bytes});
      } else {
        ++lost_frames;
      }
      arrivals.pop_front();
    }
  }
  static std::uint32_t wordOf(const Frame& bytes, std::size_t word) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = 4 * word + i;
      // Beyond the end anything may be.
      value |= std::uint32_t{at < bytes.size() ? bytes[at] : std::uint8_t{0xA5}} << 8 * i;
    }
    return value;
  }

  Oscillator oscillator_;
  std::mt19937_64 random_;
  std::int64_t now_ = 0;
  long double base_card_ = 0;
  long double base_local_ = 0;
  long double rate_ = 0;
  std::uint32_t rate_low_ = 0;
  std::uint32_t step_low_ = 0;
  std::uint64_t compare_ = ~std::uint64_t{0};
  std::optional<std::uint32_t> mail_in_;
  std::uint32_t sequence_ = 0;
  bool listens_ = false;
  std::uint32_t pps_control_ = 0;
  std::deque<Arrival> slots_;  // times are stamps here
  std::size_t read_word_ = 0;
  Frame out_;
  std::int64_t departs_ = 0;
  std::int64_t sent_time_ = 0;
  std::uint32_t pulses_ = 0;
  std::uint64_t pulse_time_ = 0;
};

}  // namespace plumbline::firmware_test
