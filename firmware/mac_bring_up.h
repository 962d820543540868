// Brings the link of a MAC up, and watches it: the sequence of register accesses (block mac of the
// register map), as a state machine without memory, clock or library of its own, so that the driver
// and the card's control processor run the same one.
//
// Bus: read(offset) and write(offset, value) of one card's registers. The block answers whatever
// the MAC does, so no access can hang here.
//
//   MacBringUp<Bus> link(bus, port, MacFec::kEither);
//   every Timing::poll_us:  link.poll();  link.state(), link.reason()
//
// An attempt: the MAC is reset with the FEC setting in place, transceivers and all if it has no
// clock; the clock has to come, then the lanes have to align, and the link has to be free of faults
// for a while. Meanwhile the MAC sends remote fault indication by itself (MAC_CONTROL.follow), as
// PG203 asks for. Frames may be sent while the state is kUp. A link that is lost aligns anew, and
// is reset when it does not; one that is down is tried again and again.
#pragma once

#include <stdint.h>

#include "firmware/registers.h"

namespace plumbline::firmware {

enum class MacState : uint8_t {
  kWorking,  // the first attempts after start or loss are under way
  kUp,
  kDown,  // they have failed, by reason(); they go on
};

// Why a link is not up, from what has to work first to what comes last. Of several attempts the
// reason of the one that came furthest counts.
enum class MacReason : uint8_t {
  kNone,
  kNoRegisters,     // the card has no block mac for this port
  kNoPower,         // the transceivers have no supply
  kNoClock,         // the MAC has no clock: most likely its reference clock is missing
  kInReset,         // the MAC does not leave its reset
  kNoSignal,        // no lane has block lock: no cable, no light, or another FEC setting
  kLanesMissing,    // some lanes have none
  kMarkersMissing,  // lanes with block lock, but without alignment markers
  kNotAligned,      // lanes with markers that do not align: too much skew, or a lane twice
  kHighErrorRatio,
  kLocalFault,   // received, or without another cause that is known
  kRemoteFault,  // the other end does not receive what is sent here
};

enum class MacFec : uint8_t {
  kOff,
  kOn,      // RS-FEC
  kEither,  // in turns, RS-FEC first, until one comes up
};

struct MacTiming {
  uint32_t poll_us = 100;       // between two calls of poll()
  uint32_t reset_us = 1'000;    // length of a reset
  uint32_t clock_us = 100'000;  // until the clock has to be there
  uint32_t align_us = 500'000;  // until the link has to be without fault
  uint32_t hold_us = 10'000;    // for so long, before it is up
};

// What the sequence needs of the register map.
struct MacMap {
  static constexpr uint32_t kId = regs::mac::kMacId;
  static constexpr uint32_t kIdValue = regs::mac::kMacIdValue;
  static constexpr uint32_t kControl = regs::mac::kMacControl;
  static constexpr uint32_t kControlUp =
      regs::mac::kMacControlTxEnable.mask() | regs::mac::kMacControlRxEnable.mask() |
      regs::mac::kMacControlFollow.mask() | regs::mac::kMacControlRsfecCorrection.mask() |
      regs::mac::kMacControlRsfecIndication.mask();
  static constexpr uint32_t kControlRsFec =
      regs::mac::kMacControlTxRsfec.mask() | regs::mac::kMacControlRxRsfec.mask();
  static constexpr uint32_t kReset = regs::mac::kMacReset;
  static constexpr uint32_t kResetSys = regs::mac::kMacResetSys.mask();
  static constexpr uint32_t kResetLink = regs::mac::kMacResetCoreTx.mask() |
                                         regs::mac::kMacResetCoreRx.mask() |
                                         regs::mac::kMacResetGtRx.mask();
  static constexpr uint32_t kStatus = regs::mac::kMacStatus;
  static constexpr uint32_t kStatusPowerGood = regs::mac::kMacStatusPowerGood.mask();
  static constexpr uint32_t kStatusClock = regs::mac::kMacStatusClock.mask();
  static constexpr uint32_t kStatusResets =
      regs::mac::kMacStatusTxReset.mask() | regs::mac::kMacStatusRxReset.mask();
  static constexpr uint32_t kStatusAligned = regs::mac::kMacStatusAligned.mask();
  static constexpr uint32_t kStatusSynced = regs::mac::kMacStatusSynced.mask();
  static constexpr uint32_t kStatusHiBer = regs::mac::kMacStatusHiBer.mask();
  static constexpr uint32_t kStatusLocalFault = regs::mac::kMacStatusLocalFault.mask();
  static constexpr uint32_t kStatusRxStatus = regs::mac::kMacStatusRxStatus.mask();
  static constexpr uint32_t kStatusRemoteFault = regs::mac::kMacStatusRemoteFault.mask();
  static constexpr uint32_t kLanes = regs::mac::kMacLanes;
  static constexpr uint32_t kAllLanes = regs::mac::kMacLanesBlockLock.mask();
};

template <typename Bus>
class MacBringUp {
 public:
  constexpr MacBringUp(Bus& bus, uint32_t port, MacFec fec, MacTiming timing = {})
      : bus_(bus),
        base_(regs::mac::address(port, 0)),
        policy_(fec),
        timing_(timing),
        fec_now_(fec != MacFec::kOff) {}

  // Begins anew with another policy, as after construction; the losses are kept.
  void restart(MacFec fec) {
    policy_ = fec;
    fec_now_ = fec != MacFec::kOff;
    state_ = MacState::kWorking;
    reason_ = MacReason::kNone;
    furthest_ = MacReason::kNone;
    attempts_ = 0;
    go(Step::kStart);
  }

  // Takes a link that is up as it is, if its FEC setting is one of the policy's: frames go on.
  // Otherwise as restart().
  void adopt(MacFec fec) {
    restart(fec);
    if (read(Map::kId) != Map::kIdValue || fault() != MacReason::kNone) return;
    const uint32_t control = read(Map::kControl);
    const uint32_t rs_fec = control & Map::kControlRsFec;
    if ((control & Map::kControlUp) != Map::kControlUp) return;
    if (rs_fec != (fec == MacFec::kOff ? 0 : Map::kControlRsFec) &&
        !(fec == MacFec::kEither && rs_fec == 0)) {
      return;
    }
    fec_now_ = rs_fec != 0;
    state_ = MacState::kUp;
    go(Step::kUp);
  }

  // Holds the MAC's halves in reset, but not its clock: the other end sees no signal. Until
  // restart(), which ends it, poll() must not be called.
  void hold() {
    write(Map::kReset, Map::kResetLink);
    state_ = MacState::kDown;
    reason_ = MacReason::kNone;
  }

  // One step; to be called every MacTiming::poll_us, and while the state is kUp at any time. At
  // most five register accesses.
  void poll() {
    switch (step_) {
      case Step::kStart:
        return start();
      case Step::kReset:
        return reset();
      case Step::kClock:
        return awaitClock();
      case Step::kAlign:
        return align();
      case Step::kUp:
        return watch();
    }
  }

  [[nodiscard]] MacState state() const { return state_; }
  // Why the state is kDown, or why a link that was up was lost last; else kNone.
  [[nodiscard]] MacReason reason() const { return reason_; }
  // The FEC setting of the present attempt, or of the link that is up.
  [[nodiscard]] bool rsFec() const { return fec_now_; }
  // How often the link was lost after it had been up.
  [[nodiscard]] uint32_t losses() const { return losses_; }

  // Why frames cannot pass now; kNone when they can. At most two register accesses.
  [[nodiscard]] MacReason fault() {
    const uint32_t status = read(Map::kStatus);
    const MacReason early = clockFault(status);
    if (early != MacReason::kNone) return early;
    if ((status & Map::kStatusAligned) == 0) {
      const uint32_t locked = read(Map::kLanes) & Map::kAllLanes;
      if (locked == 0) return MacReason::kNoSignal;
      if (locked != Map::kAllLanes) return MacReason::kLanesMissing;
      if ((status & Map::kStatusSynced) == 0) return MacReason::kMarkersMissing;
      return MacReason::kNotAligned;
    }
    if ((status & Map::kStatusHiBer) != 0) return MacReason::kHighErrorRatio;
    if ((status & Map::kStatusLocalFault) != 0) return MacReason::kLocalFault;
    if ((status & Map::kStatusRxStatus) == 0) return MacReason::kLocalFault;
    if ((status & Map::kStatusRemoteFault) != 0) return MacReason::kRemoteFault;
    return MacReason::kNone;
  }

 private:
  using Map = MacMap;
  enum class Step : uint8_t { kStart, kReset, kClock, kAlign, kUp };

  uint32_t read(uint32_t offset) { return bus_.read(base_ + offset); }
  void write(uint32_t offset, uint32_t value) { bus_.write(base_ + offset, value); }

  void go(Step step) {
    step_ = step;
    waited_us_ = 0;
    good_us_ = 0;
  }

  void start() {
    if (read(Map::kId) != Map::kIdValue) {
      state_ = MacState::kDown;
      reason_ = MacReason::kNoRegisters;
      return;
    }
    // Only a MAC without a clock is reset as a whole: that stops the clock, and may be the card's.
    const bool clock = (read(Map::kStatus) & Map::kStatusClock) != 0;
    write(Map::kReset, clock ? Map::kResetLink : Map::kResetSys);
    write(Map::kControl, Map::kControlUp | (fec_now_ ? Map::kControlRsFec : 0));
    go(Step::kReset);
  }

  void reset() {
    waited_us_ += timing_.poll_us;
    if (waited_us_ < timing_.reset_us) {
      return;
    }
    write(Map::kReset, 0);
    go(Step::kClock);
  }

  void awaitClock() {
    const uint32_t status = read(Map::kStatus);
    const MacReason missing = clockFault(status);
    if (missing == MacReason::kNone) {
      go(Step::kAlign);
    } else {
      waited_us_ += timing_.poll_us;
      if (waited_us_ >= timing_.clock_us) {
        fail(missing);
      }
    }
  }

  void align() {
    const MacReason missing = fault();
    if (missing == MacReason::kNone) {
      good_us_ += timing_.poll_us;
      if (good_us_ >= timing_.hold_us) {
        state_ = MacState::kUp;
        reason_ = MacReason::kNone;
        attempts_ = 0;
        furthest_ = MacReason::kNone;
        go(Step::kUp);
      }
      return;
    }
    good_us_ = 0;
    waited_us_ += timing_.poll_us;
    if (waited_us_ >= timing_.align_us || missing <= MacReason::kNoClock) {
      fail(missing);
    }
  }

  void watch() {
    const MacReason missing = fault();
    if (missing == MacReason::kNone) {
      return;
    }
    ++losses_;
    state_ = MacState::kWorking;
    reason_ = missing;
    go(missing <= MacReason::kInReset ? Step::kStart : Step::kAlign);
  }

  // An attempt has failed: the next one, with the other FEC setting if either may be.
  void fail(MacReason missing) {
    if (missing > furthest_) {
      furthest_ = missing;
    }
    ++attempts_;
    if (policy_ == MacFec::kEither) {
      fec_now_ = !fec_now_;
    }
    if (attempts_ >= (policy_ == MacFec::kEither ? 2U : 1U)) {
      state_ = MacState::kDown;
      reason_ = furthest_;
      attempts_ = 0;
      furthest_ = MacReason::kNone;
    }
    go(Step::kStart);
  }

  static MacReason clockFault(uint32_t status) {
    if ((status & Map::kStatusPowerGood) == 0) return MacReason::kNoPower;
    if ((status & Map::kStatusClock) == 0) return MacReason::kNoClock;
    if ((status & Map::kStatusResets) != 0) return MacReason::kInReset;
    return MacReason::kNone;
  }

  Bus& bus_;
  uint32_t base_;
  MacFec policy_;
  MacTiming timing_;
  Step step_ = Step::kStart;
  MacState state_ = MacState::kWorking;
  MacReason reason_ = MacReason::kNone;
  MacReason furthest_ = MacReason::kNone;  // of the attempts since up or down
  uint32_t attempts_ = 0;
  uint32_t waited_us_ = 0;
  uint32_t good_us_ = 0;
  uint32_t losses_ = 0;
  bool fec_now_;
};

}  // namespace plumbline::firmware
