#include "transport/congestion/nscc.h"

#include <algorithm>
#include <cmath>

namespace plumbline::transport {
namespace {

double picoseconds(Picoseconds time) { return static_cast<double>(time.count()); }

}  // namespace

NsccParameters makeNsccParameters(const NsccSpec& spec, BitRate rate, Picoseconds base_rtt,
                                  std::uint32_t mtu_bytes, bool trimming) {
  NsccParameters p;
  p.mtu = mtu_bytes;
  p.base_rtt = picoseconds(base_rtt);
  const double bdp = static_cast<double>(rate.bitsPerSecond()) / 8.0 * base_rtt.toSeconds();
  p.target =
      spec.target_qdelay ? picoseconds(*spec.target_qdelay) : (trimming ? 0.75 : 1.0) * p.base_rtt;
  const double scaling_a = bdp / static_cast<double>(spec.reference_bdp.count());
  const double scaling_b = p.target / picoseconds(spec.reference_rtt);
  p.alpha = spec.alpha * p.mtu * scaling_a * scaling_b / p.target;
  p.fair_increase = spec.fair_increase * p.mtu * scaling_a;
  p.eta = spec.eta * p.mtu * scaling_a;
  p.fast_increase = spec.fast_increase * scaling_a;
  p.gamma = spec.gamma;
  p.max_md_jump = spec.max_md_jump;
  p.delay_gain = spec.delay_gain;
  p.max_window = std::max(spec.max_window * bdp, p.mtu);
  p.qa_limit = std::ldexp(p.max_window, -spec.qa_gate);
  p.qa_threshold = spec.qa_threshold * p.target;
  p.adjust_bytes = spec.adjust_bytes * p.mtu;
  p.adjust_period = spec.adjust_period ? picoseconds(*spec.adjust_period) : p.base_rtt;
  p.zero_qdelay = picoseconds(spec.zero_qdelay);
  return p;
}

Nscc::Nscc(const NsccParameters& parameters, Picoseconds now)
    : p_(&parameters),
      cwnd_(parameters.max_window),
      base_rtt_(parameters.base_rtt),
      last_adjust_(picoseconds(now)),
      last_eta_(picoseconds(now)),
      last_decrease_(picoseconds(now) - parameters.base_rtt) {}

void Nscc::onAck(const AckEvent& ack) {
  judge(ack);
  if (ack.penalty == 0) return;
  // Destination flow control.
  cwnd_ = std::min(cwnd_, static_cast<double>(ack.inflight)) -
          static_cast<double>(ack.penalty * ack.received_bytes >> 7);
  clamp();
}

void Nscc::judge(const AckEvent& ack) {
  const double now = picoseconds(ack.now);
  const auto bytes = static_cast<double>(ack.received_bytes);
  // An ACK without a delay sample uses the average.
  double qdelay = avg_delay_;
  if (ack.rtt) {
    base_rtt_ = std::min(base_rtt_, picoseconds(*ack.rtt));
    qdelay = picoseconds(*ack.rtt) - base_rtt_;
    sample(qdelay);
  }
  achieved_bytes_ += bytes;
  if (ignoring()) {
    ignored_ += bytes;
    return;
  }
  if (quickAdapt(now, false, qdelay, ack.inflight)) return;

  received_bytes_ += bytes;
  const bool fast = fastIncrease(ack.marked ? p_->target : qdelay, bytes);
  if (!ack.marked && qdelay < p_->target) {
    if (!fast) inc_bytes_ += p_->alpha * bytes * (p_->target - qdelay);
  } else if (!ack.marked) {
    inc_bytes_ += p_->fair_increase * bytes;
  } else if (qdelay >= p_->target && avg_delay_ > p_->target && now - last_decrease_ >= base_rtt_) {
    cwnd_ *= std::max(1 - p_->gamma * (avg_delay_ - p_->target) / avg_delay_, p_->max_md_jump);
    last_decrease_ = now;
  }
  clamp();
  if (now - last_adjust_ >= p_->adjust_period || received_bytes_ > p_->adjust_bytes) fulfil(now);
}

void Nscc::onTrim(const LossEvent& trim, bool adjust) {
  sample(p_->base_rtt);
  qa_armed_ = true;
  // A trimmed packet will not be acknowledged, so it counts here towards the bytes to ignore.
  const bool ignored = ignoring();
  ignored_ += static_cast<double>(trim.bytes);
  if (ignored || quickAdapt(picoseconds(trim.now), true, p_->base_rtt, trim.inflight)) return;
  if (adjust) cwnd_ -= static_cast<double>(trim.bytes);
  clamp();
}

void Nscc::onLoss(const LossEvent& loss) {
  qa_armed_ = true;
  const bool ignored = ignoring();
  ignored_ += static_cast<double>(loss.bytes);
  if (ignored || quickAdapt(picoseconds(loss.now), true, 0, loss.inflight)) return;
  cwnd_ -= static_cast<double>(loss.bytes);
  clamp();
}

void Nscc::sample(double qdelay) { avg_delay_ += p_->delay_gain * (qdelay - avg_delay_); }

// At the end of a window of base_rtt + target: was far less achieved than the window promises?
bool Nscc::quickAdapt(double now, bool lost, double qdelay, std::int64_t inflight) {
  if (qa_running_ && now < qa_end_) return false;
  const bool adapt = qa_running_ && (qa_armed_ || lost || qdelay > p_->qa_threshold) &&
                     achieved_bytes_ < p_->qa_limit;
  if (adapt) {
    cwnd_ = std::max(achieved_bytes_, p_->mtu);
    to_ignore_ = static_cast<double>(inflight);
    ignored_ = 0;
    inc_bytes_ = 0;
    received_bytes_ = 0;
    zero_bytes_ = 0;
  }
  qa_armed_ = false;
  qa_running_ = true;
  achieved_bytes_ = 0;
  qa_end_ = now + base_rtt_ + p_->target;
  return adapt;
}

bool Nscc::fastIncrease(double qdelay, double bytes) {
  if (qdelay > p_->zero_qdelay) {
    zero_bytes_ = 0;
    return false;
  }
  zero_bytes_ += bytes;
  if (zero_bytes_ <= cwnd_) return false;
  cwnd_ += bytes * p_->fast_increase;
  return true;
}

void Nscc::fulfil(double now) {
  cwnd_ += inc_bytes_ / cwnd_;
  if (now - last_eta_ >= p_->adjust_period) {
    cwnd_ += p_->eta;
    last_eta_ = now;
  }
  inc_bytes_ = 0;
  received_bytes_ = 0;
  last_adjust_ = now;
  clamp();
}

void Nscc::clamp() { cwnd_ = std::clamp(cwnd_, p_->mtu, p_->max_window); }

}  // namespace plumbline::transport
