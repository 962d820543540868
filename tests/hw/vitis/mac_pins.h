// The pins of plumb_mac_regs towards a model of the MAC.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "sim/mac_status_model.h"
#include "tests/regs/mac_status.h"

namespace plumbline::hw_test {

// The MAC takes what it is told, `told` being control_t from its lowest bit on, and says in
// `status` how it is at `now`.
template <typename Signal>
void playMac(sim::MacStatusModel& model, std::uint32_t told, Signal& status, Picoseconds now) {
  namespace pins = rtl::mac_status;
  const auto bit = [&](int n) { return (told >> n & 1) != 0; };
  model.order({bit(4), bit(3), bit(2), bit(1), bit(0), bit(11), bit(8), bit(10)}, now);
  const sim::MacLevels is = model.levels(now);
  rtl::setStatus(status, pins::kPowerGood, is.power_good);
  rtl::setStatus(status, pins::kTxReset, is.tx_reset ? 1 : 0);
  rtl::setStatus(status, pins::kRxReset, is.rx_reset ? 1 : 0);
  rtl::setStatus(status, pins::kBlockLock, is.block_lock);
  rtl::setStatus(status, pins::kSynced, is.synced);
  rtl::setStatus(status, pins::kAligned, is.aligned ? 1 : 0);
  rtl::setStatus(status, pins::kRxStatus, is.rx_status ? 1 : 0);
  rtl::setStatus(status, pins::kHiBer, is.hi_ber ? 1 : 0);
  rtl::setStatus(status, pins::kLocalFault, is.local_fault ? 1 : 0);
  rtl::setStatus(status, pins::kInternalLocalFault, is.internal_local_fault ? 1 : 0);
  rtl::setStatus(status, pins::kReceivedLocalFault, is.received_local_fault ? 1 : 0);
  rtl::setStatus(status, pins::kRemoteFault, is.remote_fault ? 1 : 0);
}

}  // namespace plumbline::hw_test
