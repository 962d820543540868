// The link of a card's MAC, from the host: brought up by the sequence of mac_bring_up.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "card/mac_bring_up.h"
#include "card/register_bus.h"
#include "card/registers.h"

namespace plumbline::card {

// What mac_bring_up.h needs of the register map, from the generated header.
struct CardMacMap {
  static constexpr std::uint32_t kBase = regs::mac::kBase;
  static constexpr std::uint32_t kSize = regs::mac::kSize;
  static constexpr std::uint32_t kId = regs::mac::kMacId;
  static constexpr std::uint32_t kIdValue = regs::mac::kMacIdValue;
  static constexpr std::uint32_t kControl = regs::mac::kMacControl;
  static constexpr std::uint32_t kControlUp =
      regs::mac::kMacControlTxEnable.mask() | regs::mac::kMacControlRxEnable.mask() |
      regs::mac::kMacControlFollow.mask() | regs::mac::kMacControlRsfecCorrection.mask() |
      regs::mac::kMacControlRsfecIndication.mask();
  static constexpr std::uint32_t kControlRsFec =
      regs::mac::kMacControlTxRsfec.mask() | regs::mac::kMacControlRxRsfec.mask();
  static constexpr std::uint32_t kReset = regs::mac::kMacReset;
  static constexpr std::uint32_t kResetSys = regs::mac::kMacResetSys.mask();
  static constexpr std::uint32_t kResetLink = regs::mac::kMacResetCoreTx.mask() |
                                              regs::mac::kMacResetCoreRx.mask() |
                                              regs::mac::kMacResetGtRx.mask();
  static constexpr std::uint32_t kStatus = regs::mac::kMacStatus;
  static constexpr std::uint32_t kStatusPowerGood = regs::mac::kMacStatusPowerGood.mask();
  static constexpr std::uint32_t kStatusClock = regs::mac::kMacStatusClock.mask();
  static constexpr std::uint32_t kStatusResets =
      regs::mac::kMacStatusTxReset.mask() | regs::mac::kMacStatusRxReset.mask();
  static constexpr std::uint32_t kStatusAligned = regs::mac::kMacStatusAligned.mask();
  static constexpr std::uint32_t kStatusSynced = regs::mac::kMacStatusSynced.mask();
  static constexpr std::uint32_t kStatusHiBer = regs::mac::kMacStatusHiBer.mask();
  static constexpr std::uint32_t kStatusLocalFault = regs::mac::kMacStatusLocalFault.mask();
  static constexpr std::uint32_t kStatusRxStatus = regs::mac::kMacStatusRxStatus.mask();
  static constexpr std::uint32_t kStatusRemoteFault = regs::mac::kMacStatusRemoteFault.mask();
  static constexpr std::uint32_t kLanes = regs::mac::kMacLanes;
  static constexpr std::uint32_t kAllLanes = regs::mac::kMacLanesBlockLock.mask();
};

// A reason in words, without a full stop.
std::string_view describe(MacReason reason);

struct MacLink {
  MacState state = MacState::kWorking;
  MacReason reason = MacReason::kNone;
  bool rs_fec = false;
};

// A port of a card behind a register bus.
struct MacPort {
  RegisterBus* bus = nullptr;
  std::uint32_t port = 0;
};

// Brings up the links of `ports` side by side, since two of them may be the ends of one cable.
// Returns when each is up or down, after at most two attempts; in the order of `ports`. Errors of
// a bus throw Error(kTester).
std::vector<MacLink> bringUpMacs(std::span<const MacPort> ports, MacFec fec, MacTiming timing = {});

}  // namespace plumbline::card
