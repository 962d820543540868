// Swift, a delay-based congestion control: a window at the source, adjusted to reach a target round
// trip (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
// Datacenter", SIGCOMM 2020). Here it controls the window of a UET destination context: delay is
// the fabric's part of the round trip. Equations and omissions: docs/model/uet.md.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "transport/congestion/congestion_events.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::transport {

// The factors of one host's Swift with units: bytes, packets, and picoseconds as double.
struct SwiftParameters {
  double mtu = 0;           // nominal size of a full packet [bytes]
  double base_target = 0;   // base RTT plus the target queueing delay with a large window [ps]
  double flow_range = 0;    // most that flow scaling adds [ps]
  double flow_alpha = 0;    // of flow scaling [ps · sqrt(packets)]
  double flow_beta = 0;     // [ps]
  double increase = 0;      // per round trip [bytes]
  double decrease = 0;      // beta
  double max_decrease = 0;  // max_mdf
  double max_window = 0;    // [bytes]
};

// `mtu_bytes`: nominal size of a full packet.
SwiftParameters makeSwiftParameters(const SwiftSpec& spec, BitRate rate, Picoseconds base_rtt,
                                    std::uint32_t mtu_bytes);

// An algorithm of CongestionWindow (congestion_window.h).
class Swift {
 public:
  // `parameters` must outlive the object; all destinations of a host share it.
  Swift(const SwiftParameters& parameters, Picoseconds now);

  void onAck(const AckEvent& ack);
  void onTrim(const LossEvent& trim, bool adjust);
  void onLoss(const LossEvent& loss);
  void onTimeout(const LossEvent& loss) { onLoss(loss); }

  [[nodiscard]] double window() const { return window_; }  // bytes
  // The target round trip with a window of `window` bytes [ps].
  [[nodiscard]] double target(double window) const;

 private:
  [[nodiscard]] bool mayDecrease(double now) const { return now - last_decrease_ >= last_rtt_; }
  void clamp();

  const SwiftParameters* p_;
  double window_;
  double last_rtt_;       // [ps]
  double last_decrease_;  // time [ps]
};

}  // namespace plumbline::transport
