#include "transport/congestion/dcqcn.h"

#include <algorithm>
#include <cmath>

#include "transport/application.h"

namespace plumbline::transport {

namespace {

// By squaring, because std::pow differs between libraries.
double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

double toDouble(BitRate rate) { return static_cast<double>(rate.bitsPerSecond()); }

// Rounded up; without std::ceil(), which is a call on processors that this is compiled for.
Picoseconds timeOf(std::int64_t bytes, double rate) {
  const double time = static_cast<double>(bytes) * 8e12 / rate;
  const auto whole = static_cast<std::int64_t>(time);
  return Picoseconds(whole + static_cast<std::int64_t>(static_cast<double>(whole) < time));
}

}  // namespace

DcqcnRules::DcqcnRules(const DcqcnSpec& spec, BitRate line)
    : spec_(spec),
      min_rate_(std::min(toDouble(spec.min_rate), toDouble(line))),
      max_rate_(spec.max_rate == BitRate{} ? toDouble(line)
                                           : std::min(toDouble(spec.max_rate), toDouble(line))),
      starts_below_line_(spec.enabled && max_rate_ < toDouble(line)) {}

DcqcnState DcqcnRules::initial() const {
  DcqcnState state;
  state.current = max_rate_;
  state.target = max_rate_;
  state.alpha = spec_.initial_alpha;
  state.alpha_at = kNever;
  state.increase_at = kNever;
  return state;
}

DcqcnState DcqcnRules::firstCnp(Picoseconds now) const {
  DcqcnState state = initial();
  if (spec_.first_cnp_rate == BitRate{}) {
    cut(state, now);
  } else {
    state.current = std::clamp(toDouble(spec_.first_cnp_rate), min_rate_, max_rate_);
    restart(state, now);
  }
  return state;
}

void DcqcnRules::onCnp(DcqcnState& state, Picoseconds now) const {
  if (state.increase_at == kNever) {  // it is the first one
    state = firstCnp(now);
    return;
  }
  advance(state, now);
  if (now - state.cut_at < spec_.decrease_interval) return;
  cut(state, now);
}

void DcqcnRules::cut(DcqcnState& state, Picoseconds now) const {
  const bool raised =
      state.byte_stage > 0 || (spec_.clamp_target_after_timer && state.time_stage > 0);
  if (spec_.clamp_target || raised) state.target = state.current;
  const double factor = std::max(1 - state.alpha * spec_.cut_weight, spec_.min_cut_factor);
  state.current = std::max(state.current * factor, min_rate_);
  state.alpha = (1 - spec_.g) * state.alpha + spec_.g;
  restart(state, now);
}

void DcqcnRules::restart(DcqcnState& state, Picoseconds now) const {
  state.bytes = 0;
  state.byte_stage = 0;
  state.time_stage = 0;
  state.cut_at = now;
  state.alpha_at = now + spec_.alpha_period;
  state.increase_at = now + spec_.increase_period;
}

void DcqcnRules::onSent(DcqcnState& state, std::int64_t bytes, Picoseconds now) const {
  if (state.increase_at == kNever) return;
  advance(state, now);
  if (spec_.increase_bytes == 0) return;
  for (state.bytes += bytes; state.bytes >= spec_.increase_bytes;
       state.bytes -= spec_.increase_bytes) {
    ++state.byte_stage;
    increase(state);
  }
}

void DcqcnRules::advance(DcqcnState& state, Picoseconds now) const {
  if (state.alpha_at <= now) {
    const std::int64_t expired = (now - state.alpha_at) / spec_.alpha_period + 1;
    state.alpha = std::max(state.alpha * power(1 - spec_.g, expired), spec_.min_alpha);
    state.alpha_at += spec_.alpha_period * expired;
  }
  while (state.increase_at <= now) expireIncreaseTimer(state, now);
}

// Handles one expiry, or all that are due if they only change the count.
void DcqcnRules::expireIncreaseTimer(DcqcnState& state, Picoseconds now) const {
  if (saturated(state)) {
    const std::int64_t expired = (now - state.increase_at) / spec_.increase_period + 1;
    state.time_stage += static_cast<std::uint32_t>(expired);
    state.increase_at += spec_.increase_period * expired;
    return;
  }
  ++state.time_stage;
  increase(state);
  state.increase_at += spec_.increase_period;
}

void DcqcnRules::increase(DcqcnState& state) const {
  const std::uint32_t max = std::max(state.byte_stage, state.time_stage);
  // Without a byte counter its stage does not delay the increase.
  const std::uint32_t min =
      spec_.increase_bytes == 0 ? state.time_stage : std::min(state.byte_stage, state.time_stage);
  const std::uint32_t threshold = spec_.fast_recovery_steps;
  if (min > threshold) {
    const double times = spec_.scaled_hyper_increase ? min - threshold : 1;
    state.target += times * toDouble(spec_.hyper_increase);
  } else if (max >= threshold) {
    state.target += toDouble(spec_.additive_increase);
  }
  state.target = std::min(state.target, max_rate_);
  state.current = std::clamp((state.target + state.current) / 2, min_rate_, max_rate_);
}

Picoseconds DcqcnRules::paidAt(const DcqcnState& state, Picoseconds start,
                               std::int64_t wire_bytes) const {
  Picoseconds paid = start + timeOf(wire_bytes, state.current);
  if (paid <= state.increase_at || state.current >= max_rate_) return paid;
  DcqcnState ahead = state;
  while (ahead.increase_at < paid && !saturated(ahead)) {
    const Picoseconds raised_at = ahead.increase_at;
    expireIncreaseTimer(ahead, raised_at);
    paid = std::max(raised_at, start + timeOf(wire_bytes, ahead.current));
  }
  return paid;
}

}  // namespace plumbline::transport
