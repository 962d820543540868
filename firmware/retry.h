// Link-level retry of one port, by the host's policy: initialised when the link comes up, tried
// again with growing waits when that fails, and given up after so many attempts. All settings but
// the two enables of LLR_CONTROL stay as the host has written them.
//
// A link that is lost and comes back within LLR_PCS_LOST loses no frame: the card goes on by
// itself, and nothing is done here.
#pragma once

#include "firmware/card.h"
#include "firmware/interface.h"

namespace plumbline::firmware {

template <typename Bus>
class Retry {
 public:
  constexpr Retry(Bus& bus, uint32_t port) : bus_(bus), port_(port) {}

  // A new policy, with attempts and time as kSetRetry has them.
  void configure(RetryPolicy policy, uint32_t most, uint32_t limit_us) {
    policy_ = policy;
    most_ = most;
    limit_us_ = limit_us;
    reason_ = kRetryNone;
    attempts_ = 0;
    if (policy == kRetryInit) {
      // The other end's INIT is answered from now on.
      setEnables(kControlRx, kControlRx);
      go(kRetryNoLink);
    } else {
      if (policy == kRetryOff) setEnables(kControlTx | kControlRx, 0);
      go(kRetryIdle);
    }
  }

  // One step, `elapsed_us` after the last one.
  void poll(uint32_t elapsed_us) {
    if (state_ == kRetryIdle) return;
    const uint32_t status = bus_.readCard(at(regs::port::kLlrStatus));
    sender_ = static_cast<Sender>(regs::port::kLlrStatusTxState.get(status));
    const bool link = regs::port::kLlrStatusLinkUp.get(status) != 0;
    waited_us_ = waited_us_ > ~elapsed_us ? ~uint32_t{0} : waited_us_ + elapsed_us;
    if (!link) {
      if (state_ != kRetryNoLink) leave();
      return;
    }
    switch (state_) {
      case kRetryNoLink:
        attempts_ = 0;
        return initialised() ? goUp() : attempt();
      case kRetryBegun:
        return awaitEcho();
      case kRetryUp:
        return watch();
      case kRetryWaiting:
        if (waited_us_ >= wait()) attempt();
        return;
      default:
        return;
    }
  }

  // Whether `status` is another than what report() writes there.
  [[nodiscard]] bool differs(const volatile RetryStatus& status) const {
    return status.policy != policy_ || status.state != state_ || status.reason != reason_ ||
           status.attempts != attempts_ || status.most != most_ || status.limit_us != limit_us_ ||
           status.failures != failures_;
  }
  void report(volatile RetryStatus& status) const {
    status.policy = policy_;
    status.state = state_;
    status.reason = reason_;
    status.attempts = attempts_;
    status.most = most_;
    status.limit_us = limit_us_;
    status.failures = failures_;
  }

  [[nodiscard]] bool active() const { return state_ != kRetryIdle; }
  [[nodiscard]] RetryState state() const { return state_; }
  [[nodiscard]] RetryReason reason() const { return reason_; }

 private:
  enum Sender : uint32_t { kOff = 0, kInit = 1, kAdvance = 2, kReplay = 3, kFlush = 4 };

  static constexpr uint32_t kControlTx = regs::port::kLlrControlTxEnable.mask();
  static constexpr uint32_t kControlRx = regs::port::kLlrControlRxEnable.mask();
  // Retry that was up for so many limits of an attempt starts with a fresh count of attempts.
  static constexpr uint32_t kProven = 16;
  static constexpr uint32_t kLongestWaitUs = 10'000'000;

  [[nodiscard]] uint32_t at(uint32_t offset) const { return regs::port::address(port_, offset); }
  [[nodiscard]] bool initialised() const { return sender_ == kAdvance || sender_ == kReplay; }

  void setEnables(uint32_t mask, uint32_t value) {
    const BusLock<Bus> lock(bus_);
    const uint32_t before = bus_.readCard(at(regs::port::kLlrControl));
    bus_.writeCard(at(regs::port::kLlrControl), (before & ~mask) | value);
  }

  void go(RetryState state) {
    state_ = state;
    waited_us_ = 0;
  }

  void goUp() {
    reason_ = kRetryNone;
    go(kRetryUp);
  }

  // Switching the sender on initialises it; one that is on is told to.
  void attempt() {
    ++attempts_;
    if (sender_ == kOff) {
      setEnables(kControlTx | kControlRx, kControlTx | kControlRx);
    } else if (sender_ != kInit) {
      bus_.writeCard(at(regs::port::kLlrCommand), regs::port::kLlrCommandReInit.mask());
    }
    go(kRetryBegun);
  }

  void awaitEcho() {
    if (initialised()) {
      goUp();
    } else if (waited_us_ >= limit_us_) {
      fail(kRetryNoEcho);
    }
  }

  void watch() {
    if (initialised()) {
      if (waited_us_ >= kProven * limit_us_) attempts_ = 0;
    } else if (sender_ == kInit && attempts_ < most_) {
      // The card has begun anew by itself, or the host has.
      ++attempts_;
      reason_ = kRetryFlushed;
      go(kRetryBegun);
    } else {
      fail(kRetryFlushed);
    }
  }

  void leave() {
    reason_ = kRetryLinkLost;
    go(kRetryNoLink);
  }

  // The sender is off meanwhile: frames pass without retry, rather than wait.
  void fail(RetryReason reason) {
    ++failures_;
    reason_ = reason;
    setEnables(kControlTx, 0);
    go(attempts_ >= most_ ? kRetryGivenUp : kRetryWaiting);
  }

  [[nodiscard]] uint32_t wait() const {
    uint32_t wait_us = limit_us_;
    for (uint32_t i = 1; i < attempts_ && wait_us < kLongestWaitUs; ++i) wait_us *= 2;
    return wait_us < kLongestWaitUs ? wait_us : kLongestWaitUs;
  }

  Bus& bus_;
  uint32_t port_;
  RetryPolicy policy_ = kRetryLeave;
  RetryState state_ = kRetryIdle;
  RetryReason reason_ = kRetryNone;
  Sender sender_ = kOff;
  uint32_t attempts_ = 0;
  uint32_t most_ = 0;
  uint32_t limit_us_ = 0;
  uint32_t waited_us_ = 0;
  uint32_t failures_ = 0;
};

}  // namespace plumbline::firmware
