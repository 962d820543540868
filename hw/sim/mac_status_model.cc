#include "sim/mac_status_model.h"

#include <algorithm>

namespace plumbline::sim {

Picoseconds MacStatusModel::draw(Picoseconds most) {
  return Picoseconds(static_cast<std::int64_t>(random_() % 1'000) * most.count() / 1'000);
}

void MacStatusModel::restartClock(Picoseconds now) {
  clock_on_ = conditions_.reference_clock && conditions_.power && !orders_.sys_reset &&
              !orders_.gt_tx_reset;
  clock_from_ = now + draw(delays_.clock);
  restartReceiver(now);
}

void MacStatusModel::restartReceiver(Picoseconds now) {
  const Picoseconds from = std::max(now, clock_from_);
  Picoseconds last{};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    lock_at_[lane] = from + draw(delays_.lane);
    synced_at_[lane] = lock_at_[lane] + draw(delays_.align);
    last = std::max(last, synced_at_[lane]);
  }
  aligned_at_ = last + draw(delays_.align);
  content_at_ = aligned_at_ + draw(delays_.peer);
  rs_fec_ = orders_.rs_fec;
}

void MacStatusModel::setConditions(const MacConditions& conditions, Picoseconds now) {
  conditions_ = conditions;
  const bool on =
      conditions.reference_clock && conditions.power && !orders_.sys_reset && !orders_.gt_tx_reset;
  if (on != clock_on_) {
    restartClock(now);
  } else {
    restartReceiver(now);
  }
}

void MacStatusModel::order(const MacOrders& orders, Picoseconds now) {
  if (orders == orders_) return;
  const MacOrders before = orders_;
  const bool rs_fec = rs_fec_;
  orders_ = orders;
  if (orders.sys_reset != before.sys_reset || orders.gt_tx_reset != before.gt_tx_reset) {
    restartClock(now);
  } else if (orders.core_rx_reset != before.core_rx_reset ||
             orders.gt_rx_reset != before.gt_rx_reset || orders.rx_enable != before.rx_enable ||
             orders.force_resync != before.force_resync) {
    restartReceiver(now);
    // Only a reset takes the FEC setting.
    if (orders.core_rx_reset == before.core_rx_reset) rs_fec_ = rs_fec;
  }
}

MacLevels MacStatusModel::levels(Picoseconds now) const {
  MacLevels levels;
  levels.power_good = conditions_.power ? 0xF : 0;
  levels.tx_reset = orders_.sys_reset || orders_.core_tx_reset || orders_.gt_tx_reset;
  levels.rx_reset = orders_.sys_reset || orders_.core_rx_reset || orders_.gt_rx_reset;
  const bool receives = !levels.rx_reset && orders_.rx_enable && !orders_.force_resync &&
                        conditions_.signal && conditions_.peer_rs_fec == rs_fec_;
  for (std::uint32_t lane = 0; receives && lane < kLanes; ++lane) {
    const std::uint32_t bit = 1U << lane;
    if ((conditions_.dead_lanes & bit) != 0) continue;
    if (now >= lock_at_[lane]) levels.block_lock |= bit;
    if (now >= synced_at_[lane] && !conditions_.no_markers) levels.synced |= bit;
  }
  levels.aligned = levels.synced == (1U << kLanes) - 1 && !conditions_.skewed && now >= aligned_at_;
  levels.hi_ber = levels.aligned && conditions_.high_error_ratio;
  levels.rx_status = levels.aligned && !levels.hi_ber;
  levels.internal_local_fault = !levels.rx_status;
  levels.received_local_fault = levels.rx_status && conditions_.received_fault;
  levels.local_fault = levels.internal_local_fault || levels.received_local_fault;
  // The far end says that it has a fault until it has received long enough.
  levels.remote_fault = levels.rx_status && !levels.received_local_fault &&
                        (conditions_.deaf_peer || now < content_at_);
  return levels;
}

}  // namespace plumbline::sim
