// What a 100G MAC says of its link, and whether it has a clock: lanes that lock and align late, or
// never; a far end that wants another FEC setting, or does not hear; a reference clock that is
// dead. The names are those of the MAC's pins (PG203). Times and orders of events are the model's
// own: a real MAC's have not been measured.
#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "base/units.h"

namespace plumbline::sim {

// How things are around the MAC.
struct MacConditions {
  bool reference_clock = true;
  bool power = true;
  bool signal = true;            // light, on all lanes
  bool peer_rs_fec = true;       // the far end's setting; another one than ours locks no lane
  std::uint32_t dead_lanes = 0;  // PCS lanes that never lock
  bool no_markers = false;       // lanes lock, but carry no markers
  bool skewed = false;           // markers are found, lanes do not align
  bool high_error_ratio = false;
  bool received_fault = false;  // the far end sends local fault
  bool deaf_peer = false;       // the far end receives nothing: it sends remote fault
};

// What the MAC is told (the pins ctl_* and the resets).
struct MacOrders {
  bool sys_reset = false;
  bool core_tx_reset = false;
  bool core_rx_reset = false;
  bool gt_tx_reset = false;
  bool gt_rx_reset = false;
  bool rx_enable = false;
  bool rs_fec = false;  // taken at the receiver's reset
  bool force_resync = false;
  bool operator==(const MacOrders&) const = default;
};

struct MacLevels {
  std::uint32_t power_good = 0;  // one bit per transceiver
  bool tx_reset = false;
  bool rx_reset = false;
  std::uint32_t block_lock = 0;  // one bit per PCS lane
  std::uint32_t synced = 0;
  bool aligned = false;
  bool rx_status = false;
  bool hi_ber = false;
  bool local_fault = false;
  bool internal_local_fault = false;
  bool received_local_fault = false;
  bool remote_fault = false;
};

class MacStatusModel {
 public:
  // How long things take at most; each is drawn anew when the receiver starts.
  struct Delays {
    Picoseconds clock = microseconds(3);  // reset's end or reference clock to the MAC's clock
    Picoseconds lane = microseconds(6);   // signal to block lock, each lane by itself
    Picoseconds align = microseconds(2);  // last marker to alignment
    Picoseconds peer = microseconds(4);   // alignment here to the far end's content
  };

  explicit MacStatusModel(std::uint32_t seed) : MacStatusModel(seed, Delays{}) {}
  MacStatusModel(std::uint32_t seed, const Delays& delays) : random_(seed), delays_(delays) {
    restartClock(Picoseconds{});
  }

  void setConditions(const MacConditions& conditions, Picoseconds now);
  void order(const MacOrders& orders, Picoseconds now);
  // The lanes are lost for a moment and searched anew.
  void loseAlignment(Picoseconds now) { restartReceiver(now); }

  // The MAC's clock has edges.
  [[nodiscard]] bool clockRuns(Picoseconds now) const { return clock_on_ && now >= clock_from_; }
  [[nodiscard]] MacLevels levels(Picoseconds now) const;

 private:
  static constexpr std::uint32_t kLanes = 20;

  void restartClock(Picoseconds now);
  void restartReceiver(Picoseconds now);
  Picoseconds draw(Picoseconds most);

  std::mt19937 random_;
  Delays delays_;
  MacConditions conditions_;
  MacOrders orders_;
  bool rs_fec_ = false;
  bool clock_on_ = true;
  Picoseconds clock_from_;
  std::array<Picoseconds, kLanes> lock_at_{};
  std::array<Picoseconds, kLanes> synced_at_{};
  Picoseconds aligned_at_;
  Picoseconds content_at_;
};

}  // namespace plumbline::sim
