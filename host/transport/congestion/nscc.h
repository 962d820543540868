// NSCC, the network-signal congestion control of UET: a window at the source, controlled by ECN
// marks and queueing delay (UE transport §3.6.13; equations in docs/model/uet.md). Independent of
// packets, clock and network, so that it can be checked against its equations alone.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "transport/congestion/congestion_events.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::transport {

// The factors of one destination's NSCC with units: bytes, and picoseconds as double.
struct NsccParameters {
  double mtu = 0;            // nominal size of a full packet [bytes]
  double base_rtt = 0;       // configured [ps]
  double target = 0;         // target queueing delay [ps]
  double alpha = 0;          // proportional increase [bytes/ps]
  double fair_increase = 0;  // [bytes]
  double eta = 0;            // [bytes]
  double fast_increase = 0;  // share of the acknowledged bytes
  double gamma = 0;
  double max_md_jump = 0;
  double delay_gain = 0;
  double qa_limit = 0;      // max_wnd >> qa_gate [bytes]
  double qa_threshold = 0;  // [ps]
  double adjust_bytes = 0;
  double adjust_period = 0;  // [ps]
  double zero_qdelay = 0;    // [ps]
  double max_window = 0;     // [bytes]
};

// `mtu_bytes`: nominal size of a full packet. `trimming` decides the default target delay.
NsccParameters makeNsccParameters(const NsccSpec& spec, BitRate rate, Picoseconds base_rtt,
                                  std::uint32_t mtu_bytes, bool trimming);

// An algorithm of CongestionWindow (congestion_window.h).
class Nscc {
 public:
  // `parameters` must outlive the object; all destinations of a host share it.
  explicit Nscc(const NsccParameters& parameters, Picoseconds now);

  void onAck(const AckEvent& ack);
  void onTrim(const LossEvent& trim, bool adjust);
  void onLoss(const LossEvent& loss);
  void onTimeout(const LossEvent& loss) { onLoss(loss); }

  [[nodiscard]] double window() const { return cwnd_; }             // bytes
  [[nodiscard]] double averageDelay() const { return avg_delay_; }  // [ps]
  [[nodiscard]] double baseRtt() const { return base_rtt_; }        // smallest seen [ps]

 private:
  void judge(const AckEvent& ack);
  void sample(double qdelay);
  bool quickAdapt(double now, bool lost, double qdelay, std::int64_t inflight);
  [[nodiscard]] bool ignoring() const { return ignored_ < to_ignore_; }
  bool fastIncrease(double qdelay, double bytes);
  void fulfil(double now);
  void clamp();

  const NsccParameters* p_;
  double cwnd_;
  double base_rtt_;
  double avg_delay_ = 0;
  double inc_bytes_ = 0;       // increase not yet applied: divided by cwnd when it is
  double received_bytes_ = 0;  // since the last adjustment
  double zero_bytes_ = 0;      // acknowledged in a row without queueing delay
  double last_adjust_;         // times [ps]
  double last_eta_;
  double last_decrease_;
  double qa_end_ = 0;
  double achieved_bytes_ = 0;  // in this quick-adapt window
  double to_ignore_ = 0;
  double ignored_ = 0;
  bool qa_armed_ = false;
  bool qa_running_ = false;  // qa_end_ is set
};

}  // namespace plumbline::transport
