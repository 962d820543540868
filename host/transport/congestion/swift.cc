#include "transport/congestion/swift.h"

#include <algorithm>
#include <cmath>

namespace plumbline::transport {
namespace {

double inPicoseconds(Picoseconds time) { return static_cast<double>(time.count()); }

}  // namespace

SwiftParameters makeSwiftParameters(const SwiftSpec& spec, BitRate rate, Picoseconds base_rtt,
                                    std::uint32_t mtu_bytes) {
  SwiftParameters p;
  p.mtu = mtu_bytes;
  const double base = inPicoseconds(base_rtt);
  const double queueing = spec.target_qdelay ? inPicoseconds(*spec.target_qdelay) : base;
  p.base_target = base + queueing;
  p.flow_range = spec.flow_range * queueing;
  p.flow_alpha =
      p.flow_range / (1 / std::sqrt(spec.flow_min_window) - 1 / std::sqrt(spec.flow_max_window));
  p.flow_beta = -p.flow_alpha / std::sqrt(spec.flow_max_window);
  p.increase = spec.additive_increase * p.mtu;
  p.decrease = spec.beta;
  p.max_decrease = spec.max_mdf;
  const double bdp = static_cast<double>(rate.bitsPerSecond()) / 8.0 * base_rtt.toSeconds();
  p.max_window = std::max(spec.max_window * bdp, p.mtu);
  return p;
}

Swift::Swift(const SwiftParameters& parameters, Picoseconds now)
    : p_(&parameters),
      window_(parameters.max_window),
      last_rtt_(parameters.base_target),
      last_decrease_(inPicoseconds(now) - parameters.base_target) {}

double Swift::target(double window) const {
  const double scaled = p_->flow_alpha / std::sqrt(window / p_->mtu) + p_->flow_beta;
  return p_->base_target + std::clamp(scaled, 0.0, p_->flow_range);
}

void Swift::onAck(const AckEvent& ack) {
  // An ACK without a sample uses the last one.
  if (ack.rtt) last_rtt_ = inPicoseconds(*ack.rtt);
  const double now = inPicoseconds(ack.now);
  const double aim = target(window_);
  if (last_rtt_ < aim) {
    window_ += p_->increase * static_cast<double>(ack.received_bytes) / window_;
  } else if (mayDecrease(now)) {
    window_ *= std::max(1 - p_->decrease * (last_rtt_ - aim) / last_rtt_, 1 - p_->max_decrease);
    last_decrease_ = now;
  }
  clamp();
}

void Swift::onTrim(const LossEvent& trim, bool adjust) {
  if (adjust) onLoss(trim);
}

void Swift::onLoss(const LossEvent& loss) {
  const double now = inPicoseconds(loss.now);
  if (!mayDecrease(now)) return;
  window_ *= 1 - p_->max_decrease;
  last_decrease_ = now;
  clamp();
}

void Swift::clamp() { window_ = std::clamp(window_, p_->mtu, p_->max_window); }

}  // namespace plumbline::transport
