// What the firmware does for one port of the card: its link, its link-level retry, the counts of
// its MAC; and what the host sees of them (PortStatus).
#pragma once

#include "firmware/health.h"
#include "firmware/mac_bring_up.h"
#include "firmware/retry.h"
#include "firmware/wide.h"

namespace plumbline::firmware {

// The card's registers as MacBringUp has them.
template <typename Bus>
struct CardRegisters {
  Bus& bus;
  uint32_t read(uint32_t offset) { return bus.readCard(offset); }
  void write(uint32_t offset, uint32_t value) { bus.writeCard(offset, value); }
};

struct PortTiming {
  MacTiming link;
  uint32_t health_us = 100'000;  // from one reading of the MAC's counters to the next
};

// Changes of a step, to be logged.
struct PortChanges {
  bool link = false;
  bool retry = false;
};

template <typename Bus>
class Port {
 public:
  constexpr Port(Bus& bus, uint32_t port, volatile PortStatus& status, PortTiming timing)
      : bus_(bus),
        number_(port),
        status_(status),
        registers_{bus},
        link_(registers_, port, kInitialFec, timing.link),
        retry_(bus, port),
        health_(bus, port, timing.health_us) {}

  // Whether there is a MAC with registers for port `port`, which the card need not have.
  static bool hasMac(Bus& bus, uint32_t port) {
    return bus.readCard(regs::mac::address(port, regs::mac::kMacId)) == regs::mac::kMacIdValue;
  }

  // Looks for the MAC. From here on its link is watched, or brought up if it is not up.
  void start() {
    has_mac_ = hasMac(bus_, number_);
    if (has_mac_) link_.adopt(kInitialFec);
    const Update update(status_.sequence);
    status_.has_mac = has_mac_ ? 1 : 0;
    status_.link.mode = has_mac_ ? kLinkRun : kLinkReleased;
    status_.link.fec = static_cast<uint32_t>(kInitialFec);
  }

  // The card has link-level retry.
  void addRetry() {
    has_retry_ = true;
    const Update update(status_.sequence);
    status_.has_retry = 1;
  }

  [[nodiscard]] bool hasMac() const { return has_mac_; }
  [[nodiscard]] bool hasRetry() const { return has_retry_; }
  // The firmware has a use for MAC_STATUS.link_changed.
  [[nodiscard]] bool watchesLink() const { return has_mac_ && status_.link.mode == kLinkRun; }
  // There is something to be done from time to time.
  [[nodiscard]] bool active() const {
    return (has_mac_ && status_.link.mode != kLinkReleased) || retry_.active();
  }

  // One step at the time `now` [clocks], `elapsed_us` after the last one.
  PortChanges poll(uint64_t now, uint32_t elapsed_us) {
    if (has_mac_) {
      if (status_.link.mode == kLinkRun) link_.poll();
      if (status_.link.mode != kLinkReleased && health_.poll(elapsed_us)) {
        const Update update(status_.sequence);
        health_.add(status_.health, now);
      }
    }
    retry_.poll(elapsed_us);
    return report(now);
  }

  // The MAC has told of a change of its link: a loss is dealt with at once. What brings a link up
  // counts its time in polls.
  PortChanges linkChanged(uint64_t now) {
    bus_.writeCard(regs::mac::address(number_, regs::mac::kMacCommand),
                   regs::mac::kMacCommandSeen.mask());
    if (link_.state() == MacState::kUp) link_.poll();
    return report(now);
  }

  void setFec(MacFec fec) {
    {
      const Update update(status_.sequence);
      status_.link.fec = static_cast<uint32_t>(fec);
    }
    restart();
  }

  // A link that is held or released stays so.
  void restart() {
    if (status_.link.mode == kLinkRun) link_.restart(static_cast<MacFec>(status_.link.fec));
  }

  void setMode(LinkMode mode) {
    const uint32_t before = status_.link.mode;
    if (mode == before) return;
    {
      const Update update(status_.sequence);
      status_.link.mode = mode;
    }
    if (mode == kLinkHeld) link_.hold();
    if (mode != kLinkRun) return;
    if (before == kLinkReleased) {
      link_.adopt(static_cast<MacFec>(status_.link.fec));
    } else {
      restart();
    }
  }

  void setRetry(RetryPolicy policy, uint32_t most, uint32_t limit_us) {
    retry_.configure(policy, most, limit_us);
  }

  void clearHealth() { health_.clear(); }

  // Writes what has changed.
  PortChanges report(uint64_t now) {
    PortChanges changes;
    const bool link = linkDiffers();
    const bool retry = retry_.differs(status_.retry);
    if (!link && !retry) return changes;
    const Update update(status_.sequence);
    if (link) changes.link = reportLink(now);
    if (retry) changes.retry = reportRetry(now);
    return changes;
  }

 private:
  // As the MAC is after its own reset, and the other setting when nothing comes up with it.
  static constexpr MacFec kInitialFec = MacFec::kEither;

  [[nodiscard]] bool linkDiffers() const {
    const volatile LinkStatus& seen = status_.link;
    return has_mac_ && (seen.state != static_cast<uint32_t>(link_.state()) ||
                        seen.reason != static_cast<uint32_t>(link_.reason()) ||
                        seen.rs_fec != (link_.rsFec() ? 1U : 0U) || seen.losses != link_.losses());
  }

  // Whether state or reason has changed. (The FEC setting of attempts alternates.)
  bool reportLink(uint64_t now) {
    volatile LinkStatus& seen = status_.link;
    const bool changed = seen.state != static_cast<uint32_t>(link_.state()) ||
                         seen.reason != static_cast<uint32_t>(link_.reason());
    seen.state = static_cast<uint32_t>(link_.state());
    seen.reason = static_cast<uint32_t>(link_.reason());
    seen.rs_fec = link_.rsFec() ? 1 : 0;
    seen.losses = link_.losses();
    if (changed) store(seen.changed, now);
    return changed;
  }

  bool reportRetry(uint64_t now) {
    volatile RetryStatus& seen = status_.retry;
    const bool changed = seen.state != retry_.state() || seen.reason != retry_.reason();
    retry_.report(seen);
    if (changed) store(seen.changed, now);
    return changed;
  }

  Bus& bus_;
  uint32_t number_;
  volatile PortStatus& status_;
  CardRegisters<Bus> registers_;
  MacBringUp<CardRegisters<Bus>> link_;
  Retry<Bus> retry_;
  HealthCounter<Bus> health_;
  bool has_mac_ = false;
  bool has_retry_ = false;
};

}  // namespace plumbline::firmware
